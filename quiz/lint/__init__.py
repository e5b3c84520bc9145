"""Everything that is wrong in deck files, all at once, each with its place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quiz import registers
from quiz.calculators.base import nearest
from quiz.card import AREAS
from quiz.deck import Loaded, load
from quiz.language import LANGUAGES, say
from quiz.library import REGISTERS, deck_files, shipped_decks
from quiz.lint import numbers, texts
from quiz.lint.notes import Notes
from quiz.problem import Problem, in_order
from quiz.registers import Registers
from quiz.terms import Glossary
from quiz.wording import Wording

__all__ = ["World", "lint_deck", "lint_paths"]


@dataclass(frozen=True, slots=True)
class World:
    """What a deck is held against: registers, and where each id stands (``file:line``), of cards and of decks.

    `strict` decks are those shipped: in both languages, with key points, in their area's folder, and who asks
    counted over their sources.
    """

    registers: Registers
    cards: Mapping[str, str]
    decks: Mapping[str, str]
    glossary: Glossary
    strict: bool


def lint_paths(paths: Sequence[Path] | None = None, *, every_figure: bool = False) -> list[Problem]:
    """All problems of the deck files at `paths` (files or folders; the shipped decks if none), by place.

    A folder that has a sources.yaml is a collection of its own and held to what is shipped; decks elsewhere may be
    in one language, and are held against the shipped ones: no card's id may be taken twice over all of them.
    `every_figure` lists figures in open answers that nothing computes even where the card has references.
    """
    chosen = [path.absolute() for path in paths or [shipped_decks()]]
    names = {path.absolute(): str(path) for path in paths or [shipped_decks()]}
    problems: list[Problem] = []
    for home in dict.fromkeys(_home(path) for path in chosen):
        mine = [path for path in chosen if _home(path) == home]
        base = home or shipped_decks()
        files = {path: _shown(path, chosen, names) for start in mine for path in _files(start)}
        others = [path for path in deck_files(base) if path not in files] if base.is_dir() else []
        loaded = {path: load(path, own=home is None, shown=shown) for path, shown in files.items()}
        beside = [load(path) for path in others]
        extra = [registers.load(path) for path in mine if path.is_dir() and path != base]
        shared = _merged([registers.load(base, shown=_shown(base, chosen, names)), *extra])
        world = _world(shared, [*beside, *loaded.values()], strict=home is not None)
        problems += [problem for deck in loaded.values() for problem in deck.problems]
        for path, deck in loaded.items():
            problems += lint_deck(deck, world, folder=path.parent.name, every_figure=every_figure)
        problems += _twice([*beside, *loaded.values()], {deck.path for deck in loaded.values()})
        if any(path.is_dir() or path.name in REGISTERS for path in mine):
            problems += shared.problems
            problems += _register_faults(shared, world)
    return in_order(problems)


def lint_deck(loaded: Loaded, world: World, *, folder: str = "", every_figure: bool = False) -> list[Problem]:
    """The problems of one deck that could be read; those of reading it are in `loaded.problems`."""
    problems: list[Problem] = []
    if world.strict and loaded.read and folder in AREAS and loaded.read[0].card.area not in ("", folder):
        span = loaded.places["area"]
        text = say("lint.wrong_folder", area=loaded.read[0].card.area, folder=folder)
        problems.append(Problem(loaded.path, span.line, span.column, "", "area", text))
    languages = LANGUAGES if world.strict else _languages(loaded)
    for language in languages:
        if f"title.{language}" not in loaded.places and "title" in loaded.places:
            span = loaded.places["title"]
            text = say("lint.missing_language", name=language)
            problems.append(Problem(loaded.path, span.line, span.column, "", f"title.{language}", text))
    for read in loaded.read:
        notes = Notes(loaded, read)
        _names(notes, world)
        texts.check(notes, world.glossary, languages, strict=world.strict, every_figure=every_figure)
        numbers.check(notes)
        problems += notes.problems
    return problems


def _languages(loaded: Loaded) -> tuple[str, ...]:
    """The languages of a learner's own deck: it may be in one, but what it is in anywhere it has to be in everywhere."""
    used = {
        language
        for language in LANGUAGES
        if f"title.{language}" in loaded.places
        or any(getattr(text, language) for read in loaded.read for _, text in texts.texts(read.card))
    }
    return tuple(language for language in LANGUAGES if language in used)


def _names(notes: Notes, world: World) -> None:
    """Ids that are retired, or of cards, companies and sources that do not exist."""
    card, shared = notes.card, world.registers
    if card.id in shared.retired:
        now = shared.retired[card.id]
        notes.note("id", say("lint.retired_for", id=card.id, now=now) if now else say("lint.retired", id=card.id))
    for number, name in enumerate(card.follow_ups):
        where = f"follow_ups[{number}]"
        if name == card.id:
            notes.note(where, say("lint.follows_itself"), words=name)
        elif name not in world.cards:
            text = say("lint.unknown_follow_up", name=name, near=nearest(name, list(world.cards)))
            notes.note("follow_ups", text, words=name)
    companies = {company.id for company in shared.companies}
    for name in card.companies:
        if name not in companies:
            text = say("deck.unknown_company", name=name, near=nearest(name, sorted(companies)))
            notes.note("companies", text, words=name)
    for name in card.sources:
        if name not in shared.sources:
            text = say("lint.unknown_source", name=name, near=nearest(name, list(shared.sources)))
            notes.note("sources", text, words=name)
    _companies(notes, world)


def _companies(notes: Notes, world: World) -> None:
    """Who asks a shipped card is counted over its sources."""
    card, known = notes.card, world.registers.sources
    if not (world.strict or card.sources) or not notes.read.whole or not set(card.sources) <= set(known):
        return
    counted = Counter(company for name in card.sources for company in known[name].companies)
    if dict(counted) != card.companies:
        text = say("lint.companies_off", counted=_counts(counted), said=_counts(card.companies))
        notes.note("companies", text)


def _counts(counted: Mapping[str, int]) -> str:
    return "{" + ", ".join(f"{name}: {counted[name]}" for name in sorted(counted)) + "}"


def _twice(decks: Sequence[Loaded], asked: set[str]) -> list[Problem]:
    """Ids that two files have: noted where they come again, in the files that were asked for."""
    problems: list[Problem] = []
    cards: dict[str, str] = {}
    names: dict[str, str] = {}
    for deck in decks:
        name = deck.deck.id if deck.deck else ""
        if name:
            span = deck.places["deck"]
            if name in names and deck.path in asked:
                text = say("deck.duplicate_deck", id=name, where=names[name])
                problems.append(Problem(deck.path, span.line, span.column, "", "deck", text))
            names.setdefault(name, f"{deck.path}:{span.line}")
        for read in deck.read:
            span = read.places.get("id", read.places[""])
            elsewhere = cards.get(read.card.id, "")
            if elsewhere and not elsewhere.startswith(f"{deck.path}:") and deck.path in asked:
                text = say("deck.duplicate_id", id=read.card.id, where=elsewhere)
                problems.append(Problem(deck.path, span.line, span.column, read.card.id, "id", text))
            cards.setdefault(read.card.id, f"{deck.path}:{span.line}")
    return problems


def _register_faults(shared: Registers, world: World) -> list[Problem]:
    """Names in registers that do not exist, and retired ids still in use."""
    problems = []
    for old, now in shared.retired.items():
        place = shared.places[f"retired.{old}"]
        if old in world.cards:
            text = say("lint.retired_in_use", where=world.cards[old])
            problems.append(Problem(*place, old, "", text))
        if now and now not in world.cards:
            text = say("lint.unknown_successor", name=now, near=nearest(now, list(world.cards)))
            problems.append(Problem(*place, old, "now", text))
    return problems


def _world(shared: Registers, decks: Sequence[Loaded], *, strict: bool) -> World:
    cards: dict[str, str] = {}
    names: dict[str, str] = {}
    for deck in decks:
        if deck.deck:
            names.setdefault(deck.deck.id, deck.path)
        for read in deck.read:
            cards.setdefault(read.card.id, f"{deck.path}:{read.card.line}")
    return World(shared, cards, names, Glossary(shared.glossary), strict)


def _merged(all_registers: Sequence[Registers]) -> Registers:
    return Registers(
        companies=tuple({c.id: c for r in all_registers for c in r.companies}.values()),
        sources={name: source for r in all_registers for name, source in r.sources.items()},
        glossary=sum((r.glossary for r in all_registers), Wording()),
        retired={old: now for r in all_registers for old, now in r.retired.items()},
        problems=tuple(problem for r in all_registers for problem in r.problems),
        places={name: place for r in all_registers for name, place in r.places.items()},
    )


def _home(path: Path) -> Path | None:
    """The collection that `path` is or lies in: the nearest folder with a sources.yaml."""
    return next((folder for folder in (path, *path.parents) if (folder / "sources.yaml").is_file()), None)


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return list(deck_files(path))
    return [] if path.name in REGISTERS else [path]


def _shown(path: Path, chosen: Sequence[Path], names: Mapping[Path, str]) -> str:
    """`path` as the one who asked would write it."""
    for start in chosen:
        if path == start:
            return names[start]
        if start in path.parents:
            return str(Path(names[start]) / path.relative_to(start))
    return str(path)
