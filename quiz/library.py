"""All decks: those shipped with the program and the learner's own, found, indexed and read when needed.

What choosing cards needs lies in an index in the cache, so that no YAML is read unless a deck changed; a
card's full text is read with its deck when it is first shown. Without a usable cache all of it still works.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quiz import __version__
from quiz.card import Card, DeckSummary, Summary, summary
from quiz.companies import Companies, Company
from quiz.errors import UnknownName
from quiz.index import (
    FORMAT,
    pack_card,
    pack_problem,
    pack_summary,
    unpack_card,
    unpack_problem,
    unpack_summary,
)
from quiz.language import Text, say
from quiz.problem import Problem
from quiz.wording import Wording

REGISTERS = ("companies.yaml", "sources.yaml", "glossary.yaml", "retired.yaml")
NEEDED = ("companies.yaml", "glossary.yaml", "retired.yaml")
INDEX = "decks.json"
SETTLED_AFTER = 2_000_000_000
STALE_S = 3600

Stamp = list[int]


def shipped_decks() -> Path:
    """The decks that come with the program: inside the package in a wheel, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "decks"
    return inside if inside.is_dir() else package.parent / "decks"


def deck_files(folder: Path) -> Iterator[Path]:
    """Deck files under `folder`, in order; registers and hidden files are none. A file is itself."""
    if folder.is_file():
        yield folder
        return
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            shared = name in REGISTERS and Path(root) == folder
            if name.endswith((".yaml", ".yml")) and not name.startswith(".") and not shared:
                yield Path(root, name)


@dataclass(slots=True)
class Entry:
    """What the index holds of one file. `places` are the [line, column] of each card's id and, under "", the deck's."""

    stamp: Stamp
    digest: str
    deck: list[Any] | None = None
    summaries: list[Summary] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    register: Any = None


class Library:
    """`summaries` and `decks` by id, `problems` of decks that are (partly) left out, `glossary`, `retired` ids."""

    def __init__(self, cache: Path | None) -> None:
        self.summaries: dict[str, Summary] = {}
        self.decks: dict[str, DeckSummary] = {}
        self.problems: list[Problem] = []
        self.companies = Companies(())
        self.glossary = Wording()
        self.retired: dict[str, str] = {}
        self._cache = cache
        self._file_of: dict[str, Path] = {}
        self._digests: dict[Path, str] = {}
        self._cards: dict[Path, dict[str, Card]] = {}

    @classmethod
    def open(cls, folders: Sequence[Path], cache_dir: Path | None = None) -> Library:
        """The decks under `folders`; those outside of the shipped folder are the learner's own.

        Never fails for what a deck holds: a faulty card is left out and told in `problems`, as is a card whose id
        an earlier deck already has. A folder that does not exist holds nothing.
        """
        library = cls(cache_dir)
        library._read([folder.absolute() for folder in folders])
        return library

    # Looking up

    def card(self, name: str) -> Card:
        """The whole card. UnknownName, with the nearest ids, if there is none."""
        if name in self._file_of:
            cards = self._cards_of(self._file_of[name])
            if name in cards:
                return cards[name]
        raise UnknownName(say("deck.unknown_card", name=name, near=_near(name, self.summaries)))

    def cards(self) -> Iterator[Card]:
        """All cards, in the order of `summaries`."""
        return (self.card(name) for name in self.summaries)

    def deck(self, name: str) -> DeckSummary:
        """UnknownName, with the nearest ids, if there is none."""
        if name not in self.decks:
            raise UnknownName(say("deck.unknown_deck", name=name, near=_near(name, self.decks)))
        return self.decks[name]

    def company(self, spelling: str) -> Company:
        """The company under any spelling in either language. UnknownName, with the nearest, if there is none."""
        return self.companies.find(spelling)

    def select(
        self, decks: Iterable[str] = (), companies: Iterable[str] = (), tags: Iterable[str] = ()
    ) -> list[Summary]:
        """Cards of any of these decks, asked by any of these companies or a part of one, with any of these tags.

        What is empty restricts nothing. UnknownName for a deck, company or tag that does not exist.
        """
        wanted = {self.deck(name).id for name in decks}
        askers = {part for spelling in companies for part in self.companies.parts(self.company(spelling).id)}
        labels = {self._tag(tag) for tag in tags}
        return [
            card
            for card in self.summaries.values()
            if (not wanted or card.deck in wanted)
            and (not askers or not askers.isdisjoint(card.companies))
            and (not labels or not labels.isdisjoint(card.tags))
        ]

    def tags(self) -> dict[str, int]:
        """All tags with the number of their cards."""
        counted: dict[str, int] = {}
        for card in self.summaries.values():
            for tag in card.tags:
                counted[tag] = counted.get(tag, 0) + 1
        return counted

    def _tag(self, name: str) -> str:
        known = self.tags()
        if name not in known:
            raise UnknownName(say("deck.unknown_tag", name=name, near=_near(name, known)))
        return name

    # Reading

    def _read(self, folders: Sequence[Path]) -> None:
        old = self._read_index()
        fresh: dict[str, Entry] = {}
        changed = False
        for folder in dict.fromkeys(folders):
            own = folder.resolve() != shipped_decks().resolve()
            paths = [folder / name for name in NEEDED if (folder / name).is_file()]
            for path in [*paths, *deck_files(folder)]:
                known = old.pop(str(path), None)
                entry = self._entry(path, known, own=own, register=path in paths)
                changed |= entry is not known
                fresh[str(path)] = entry
                self._add(path, entry, own=own)
        kept = {name: entry for name, entry in old.items() if Path(name).exists()}
        if changed or len(kept) < len(old):
            self._write_index(fresh | kept)

    def _entry(self, path: Path, known: Entry | None, *, own: bool, register: bool) -> Entry:
        """`known` if the file is still the same, else what it holds now."""
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "not a regular file")
            stamp = [status.st_size, status.st_mtime_ns, status.st_ctime_ns]
            if known and known.stamp == stamp:
                return known
            # A file changed a moment ago may change again without its times moving on: look at it again next time.
            if abs(time.time_ns() - max(stamp[1:])) < SETTLED_AFTER:
                stamp = []
            data = path.read_bytes()
        except OSError as error:
            text = say("deck.unreadable_file", why=error.strerror or str(error))
            return Entry([], "", problems=[Problem(str(path), 1, 1, "", "", text)])
        import hashlib

        digest = hashlib.blake2b(os.fsencode(path) + b"\0" + data, digest_size=16).hexdigest()
        if known and known.digest == digest:
            if known.stamp == stamp:
                return known
            return Entry(stamp, digest, known.deck, known.summaries, known.places, known.problems, known.register)
        return self._register(path, stamp, digest) if register else self._deck(path, stamp, digest, data, own=own)

    def _deck(self, path: Path, stamp: Stamp, digest: str, data: bytes, *, own: bool) -> Entry:
        from quiz.deck import parse

        loaded = parse(data, str(path), own=own)
        entry = Entry(stamp, digest, problems=list(loaded.problems))
        if loaded.deck:
            deck = loaded.deck
            entry.deck = [deck.id, deck.area, deck.title]
            entry.summaries = [summary(card) for card in deck.cards]
            entry.places = {card.card.id: _start(card.places, "id") for card in loaded.read}
            entry.places[""] = _start(loaded.places, "deck")
            self._cards[path] = {card.id: card for card in deck.cards}
            self._write_json(self._card_file(digest), [pack_card(card) for card in deck.cards])
        return entry

    def _register(self, path: Path, stamp: Stamp, digest: str) -> Entry:
        from quiz import registers

        read = registers.load(path.parent, names=(path.name,))
        held = {
            "companies.yaml": [[c.id, c.name, c.parent, c.aliases] for c in read.companies],
            "glossary.yaml": [read.glossary.synonyms, read.glossary.opposites, read.glossary.rivals],
            "retired.yaml": read.retired,
        }
        return Entry(stamp, digest, problems=list(read.problems), register=held[path.name])

    def _add(self, path: Path, entry: Entry, *, own: bool) -> None:
        self._digests[path] = entry.digest
        self.problems += entry.problems
        if path.name == "companies.yaml" and entry.register is not None:
            more = [Company(c, Text(*name), parent, tuple(aliases)) for c, name, parent, aliases in entry.register]
            self.companies = Companies([*more, *self.companies.by_id.values()])
        elif path.name == "glossary.yaml" and entry.register is not None:
            synonyms, opposites, rivals = entry.register
            self.glossary += Wording(
                tuple(tuple(names) for names in synonyms),
                tuple((tuple(one), tuple(other)) for one, other in opposites),
                tuple(tuple(names) for names in rivals),
            )
        elif path.name == "retired.yaml" and entry.register is not None:
            self.retired |= entry.register
        if entry.deck is None:
            return
        name, area, title = entry.deck
        if name in self.decks:
            line, column = entry.places[""]
            text = say("deck.duplicate_deck", id=name, where=self.decks[name].path)
            self.problems.append(Problem(str(path), line, column, "", "deck", text))
            return
        new = [card for card in entry.summaries if card.id not in self.summaries]
        for card in entry.summaries:
            if card.id in self.summaries:
                line, column = entry.places[card.id]
                text = say("deck.duplicate_id", id=card.id, where=str(self._file_of[card.id]))
                self.problems.append(Problem(str(path), line, column, card.id, "id", text))
        self.decks[name] = DeckSummary(name, area, Text(*title), str(path), tuple(card.id for card in new), own)
        self.summaries |= {card.id: card for card in new}
        self._file_of |= {card.id: path for card in new}

    def _cards_of(self, path: Path) -> dict[str, Card]:
        if path not in self._cards:
            packed = self._read_json(self._card_file(self._digests[path]))
            try:
                cards = [unpack_card(card) for card in packed]
            except _UNUSABLE:
                from quiz.deck import load

                deck = load(path).deck
                cards = list(deck.cards) if deck else []
            self._cards[path] = {card.id: card for card in cards}
        return self._cards[path]

    # The cache

    def _card_file(self, digest: str) -> str:
        return f"cards-{digest}.json"

    def _read_index(self) -> dict[str, Entry]:
        index = self._read_json(INDEX)
        try:
            if index["format"] != [FORMAT, __version__]:
                return {}
            return {
                path: Entry(
                    stamp,
                    digest,
                    deck,
                    [unpack_summary(card) for card in summaries],
                    places,
                    [unpack_problem(problem) for problem in problems],
                    register,
                )
                for path, (stamp, digest, deck, summaries, places, problems, register) in index["files"].items()
            }
        except _UNUSABLE:
            return {}

    def _write_index(self, entries: dict[str, Entry]) -> None:
        files = {
            path: [
                e.stamp,
                e.digest,
                e.deck,
                [pack_summary(card) for card in e.summaries],
                e.places,
                [pack_problem(problem) for problem in e.problems],
                e.register,
            ]
            for path, e in entries.items()
        }
        self._write_json(INDEX, {"format": [FORMAT, __version__], "files": files})
        used = {self._card_file(entry.digest) for entry in entries.values()}
        if self._cache is not None:
            with contextlib.suppress(OSError):  # a cache that cannot be tidied is still a cache
                for file in self._cache.glob("cards-*.json"):
                    if file.name not in used:
                        file.unlink()
                for draft in self._cache.glob(".*.json.*"):
                    if time.time() - draft.stat().st_mtime > STALE_S:
                        draft.unlink()

    def _read_json(self, name: str) -> Any:
        """None if there is no such file in the cache, or what it holds is no JSON."""
        if self._cache is None:
            return None
        try:
            return json.loads((self._cache / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None

    def _write_json(self, name: str, value: Any) -> None:
        """Whole or not at all; nothing if the cache cannot be written, which only costs time."""
        if self._cache is None:
            return
        target = self._cache / name
        whole = self._cache / f".{name}.{os.getpid()}"
        try:
            # The cache is often the first thing made in the learner's folder.
            self._cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._cache.mkdir(exist_ok=True)
            whole.write_text(json.dumps(value, separators=(",", ":")), encoding="utf-8")
            whole.replace(target)
        except OSError:
            with contextlib.suppress(OSError):
                whole.unlink(missing_ok=True)


_UNUSABLE = (TypeError, ValueError, KeyError, AttributeError, IndexError)


def _start(places: dict[str, Any], name: str) -> list[int]:
    span = places.get(name) or places.get("")
    return [span.line, span.column] if span else [1, 1]


def _near(name: str, known: Iterable[str]) -> str:
    import difflib

    ids = list(known)
    holding = [one for one in ids if name and name in one][:3]
    close = difflib.get_close_matches(name, ids, n=3, cutoff=0.4)
    return ", ".join(list(dict.fromkeys(holding + close))[:3] or sorted(ids)[:3])
