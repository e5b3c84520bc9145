"""How a deck file becomes cards: the deck format. Every fault is reported with its line and column, all at once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from quiz.card import (
    AREAS,
    KINDS,
    ROLES,
    Card,
    Deck,
    Figure,
    Inputs,
    KeyPoint,
    Numeric,
    Reference,
    Value,
    fields_of,
)
from quiz.language import Text, say
from quiz.problem import Problem, in_order
from quiz.schema import Reader
from quiz.strict_yaml import Broken, Document, Mapping, Node, Scalar, Span, read
from quiz.strict_yaml import Sequence as ListNode

DECK_KEYS = ("deck", "area", "title", "cards")
CARD_KEYS = (
    "id",
    "kind",
    "sources",
    "companies",
    "roles",
    "tags",
    "difficulty",
    "as_of",
    "calculator",
    "asks",
    "given",
    "draws",
    "rtol",
    "unit",
    "question",
    "answer",
    "pitfall",
    "figures",
    "key_points",
    "follow_ups",
    "references",
)
NUMERIC_KEYS = ("calculator", "asks", "given", "draws", "rtol", "unit")
Read = TypeVar("Read")

_SOURCE = re.compile(r"[a-z0-9-]+:[a-z0-9.]+")
_DATE = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")
_URL = re.compile(r"https?://[^\s]+")


@dataclass(frozen=True, slots=True)
class LoadedCard:
    """A card as far as it could be read. `places` tells where each field stands, by path (``figures[0].says``)."""

    card: Card
    whole: bool
    places: dict[str, Span]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a deck file holds: all cards in `read`, those without a fault in `deck`, and all faults."""

    path: str
    deck: Deck | None
    read: tuple[LoadedCard, ...]
    problems: tuple[Problem, ...]
    document: Document
    places: dict[str, Span] = field(default_factory=dict)


def load(path: Path, *, own: bool = False, shown: str = "") -> Loaded:
    """The deck in the file at `path`, called `shown` in its problems. A file that cannot be read is a problem too."""
    try:
        data = path.read_bytes()
    except OSError as error:
        text = say("deck.unreadable_file", why=error.strerror or str(error))
        problem = Problem(shown or str(path), 1, 1, "", "", text)
        return Loaded(shown or str(path), None, (), (problem,), Document(None, ()))
    return parse(data, shown or str(path), own=own)


def parse(data: bytes, path: str, *, own: bool = False) -> Loaded:
    """The deck written in `data`; `path` is the name that its problems carry."""
    document = read(data)
    reader = Reader(path, document)
    reader.problems += [Problem(path, fault.line, fault.column, "", "", fault.text) for fault in document.faults]
    if document.root is None or (isinstance(document.root, Scalar) and not document.root.text):
        if not document.faults:
            reader.note(Span(1, 1, 1, 1), "", say("deck.empty"))
        return Loaded(path, None, (), tuple(in_order(reader.problems)), document)
    values = reader.fields(document.root, "", DECK_KEYS, DECK_KEYS)
    name = reader.identifier(values["deck"], "deck") if "deck" in values else None
    area = reader.choice(values["area"], "area", AREAS) if "area" in values else None
    title = reader.text_by_language(values["title"], "title") if "title" in values else None
    head = dict(reader.places)
    cards = _cards(reader, values["cards"], name or "", area or "") if "cards" in values else ()
    problems = tuple(in_order([_with_card(problem, cards) for problem in reader.problems]))
    deck = None
    if name and area and title:
        whole = tuple(loaded.card for loaded in cards if loaded.whole and not _inside(problems, loaded))
        deck = Deck(name, area, title, path, whole, own)
    return Loaded(path, deck, cards, problems, document, head)


def _with_card(problem: Problem, cards: tuple[LoadedCard, ...]) -> Problem:
    """A fault of the YAML itself (a duplicate key, an alias) with the card in which it stands."""
    if problem.card:
        return problem
    for loaded in cards:
        if _holds(loaded.places[""], problem):
            return replace(problem, card=loaded.card.id)
    return problem


def _inside(problems: tuple[Problem, ...], loaded: LoadedCard) -> bool:
    return any(_holds(loaded.places[""], problem) for problem in problems)


def _holds(span: Span, problem: Problem) -> bool:
    return (span.line, span.column) <= (problem.line, problem.column) < (span.end_line, span.end_column)


def _cards(reader: Reader, node: Node, deck: str, area: str) -> tuple[LoadedCard, ...]:
    cards: list[LoadedCard] = []
    lines: dict[str, int] = {}
    for path, item in reader.items(node, "cards"):
        before = len(reader.problems)
        reader.card, reader.places = _id_of(item) or path, {}
        if not isinstance(item, Mapping):
            if not isinstance(item, Broken):
                reader.note(item.span, "", say("deck.not_mapping"))
            continue
        card = _card(reader, item, deck, area)
        if card.id in lines and "id" in reader.places:
            where = f"{reader.path}:{lines[card.id]}"
            reader.note(reader.places["id"], "id", say("deck.duplicate_id", id=card.id, where=where))
        lines.setdefault(card.id, card.line)
        cards.append(LoadedCard(card, len(reader.problems) == before, reader.places))
    reader.card, reader.places = "", {}
    return tuple(cards)


def _id_of(node: Node) -> str:
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if key.text == "id" and isinstance(value, Scalar):
                return value.text
    return ""


def _card(reader: Reader, node: Mapping, deck: str, area: str) -> Card:
    """The card in `node`; what is missing or faulty is left empty, and has been noted."""
    values = reader.fields(node, "", CARD_KEYS, ("id", "kind", "question", "answer"))

    def take(key: str, how: Callable[[Node, str], Read | None], default: Read) -> Read:
        value = how(values[key], key) if key in values else None
        return default if value is None else value

    def names(key: str, how: Callable[[Node, str], str | None]) -> tuple[str, ...]:
        return take(key, lambda n, w: reader.distinct(n, w, how), ())

    def each(key: str, how: Callable[[Reader, Node, str], Read | None]) -> tuple[Read, ...]:
        return take(
            key, lambda n, w: reader.list_of(n, w, lambda item, path: how(reader, item, path), may_be_empty=True), ()
        )

    kind = take("kind", lambda n, w: reader.choice(n, w, KINDS), "")
    numeric = _numeric(reader, node, values) if kind == "numeric" else None
    if kind and kind != "numeric":
        for key in NUMERIC_KEYS:
            if key in values:
                reader.note(reader.places[key], key, say("deck.only_numeric", name=key))
    card = Card(
        id=take("id", reader.identifier, reader.card),
        deck=deck,
        area=area,
        kind=kind,
        question=take("question", reader.text_by_language, Text("", "")),
        answer=take("answer", reader.text_by_language, Text("", "")),
        pitfall=reader.text_by_language(values["pitfall"], "pitfall") if "pitfall" in values else None,
        sources=names("sources", lambda n, w: reader.matching(n, w, _SOURCE, "deck.bad_source")),
        companies=take("companies", lambda n, w: _companies(reader, n, w), {}),
        roles=names("roles", lambda n, w: reader.choice(n, w, ROLES)),
        tags=names("tags", reader.text),
        difficulty=take("difficulty", lambda n, w: reader.integer(n, w, 1, 3), 1),
        key_points=each("key_points", _key_point),
        follow_ups=names("follow_ups", reader.identifier),
        references=each("references", _reference),
        figures=each("figures", _figure),
        as_of=take("as_of", lambda n, w: reader.matching(n, w, _DATE, "deck.bad_date"), ""),
        numeric=numeric,
        path=reader.path,
        line=node.span.line,
    )
    return replace(card, hash=content_hash(card))


def _numeric(reader: Reader, node: Mapping, values: dict[str, Node]) -> Numeric:
    for key in ("calculator", "asks"):
        if key not in values:
            reader.note(node.span, key, say("deck.missing_key", name=key))
    rtol = reader.number(values["rtol"], "rtol", 0, 0.5) if "rtol" in values else None
    rows = reader.list_of(values["draws"], "draws", lambda n, w: _inputs(reader, n, w)) if "draws" in values else ()
    return Numeric(
        calculator=(reader.text(values["calculator"], "calculator") if "calculator" in values else None) or "",
        asks=(reader.text(values["asks"], "asks") if "asks" in values else None) or "",
        given=_choices(reader, values["given"], "given") if "given" in values else {},
        draws=rows,
        rtol=0.01 if rtol is None else rtol,
        unit=(reader.text(values["unit"], "unit") if "unit" in values and not _blank(values["unit"]) else None) or "",
    )


def _blank(node: Node) -> bool:
    return isinstance(node, Scalar) and not node.text.strip()


def _choices(reader: Reader, node: Node, where: str) -> dict[str, Value | tuple[Value, ...]]:
    """Inputs by name: each a value, or a list to draw from."""
    chosen: dict[str, Value | tuple[Value, ...]] = {}
    for name, value in _entries(reader, node, where):
        path = f"{where}.{name}"
        if isinstance(value, ListNode):
            chosen[name] = reader.list_of(value, path, reader.value)
        else:
            one = reader.value(value, path)
            if one is not None:
                chosen[name] = one
    return chosen


def _inputs(reader: Reader, node: Node, where: str) -> Inputs:
    read_all = ((name, reader.value(value, f"{where}.{name}")) for name, value in _entries(reader, node, where))
    return {name: value for name, value in read_all if value is not None}


def _entries(reader: Reader, node: Node, where: str) -> list[tuple[str, Node]]:
    """The entries of a mapping whose keys are decided elsewhere (by a calculator, by the list of companies)."""
    known = [key.text for key, _ in node.entries] if isinstance(node, Mapping) else []
    return list(reader.fields(node, where, known).items())


def _companies(reader: Reader, node: Node, where: str) -> dict[str, int]:
    """{company: in how many of the card's sources}; a plain list means once each."""
    if isinstance(node, ListNode):
        return dict.fromkeys(reader.distinct(node, where, reader.identifier), 1)
    counted = (
        (name, reader.integer(value, f"{where}.{name}", 1, 999)) for name, value in _entries(reader, node, where)
    )
    return {name: count for name, count in counted if count is not None}


def _key_point(reader: Reader, node: Node, where: str) -> KeyPoint | None:
    text = reader.text_by_language(node, where, beside=("terms",))
    terms: tuple[tuple[str, ...], ...] = ()
    if isinstance(node, Mapping):
        for key, value in node.entries:
            if key.text == "terms":
                terms = reader.list_of(value, f"{where}.terms", lambda n, w: reader.list_of(n, w, reader.text) or None)
    return KeyPoint(text, terms) if text else None


def _reference(reader: Reader, node: Node, where: str) -> Reference | None:
    values = reader.fields(node, where, ("title", "url"), ("title",))
    title = reader.text(values["title"], f"{where}.title") if "title" in values else None
    url = reader.matching(values["url"], f"{where}.url", _URL, "deck.bad_url") if "url" in values else None
    return Reference(title, url or "") if title else None


def _figure(reader: Reader, node: Node, where: str) -> Figure | None:
    keys = ("says", "calculator", "given", "output")
    values = reader.fields(node, where, keys, keys)
    says: Text | None = None
    if "says" in values:
        if isinstance(values["says"], Mapping):
            says = reader.text_by_language(values["says"], f"{where}.says")
        else:
            alike = reader.text(values["says"], f"{where}.says")
            says = Text(alike, alike) if alike else None
    calculator = reader.text(values["calculator"], f"{where}.calculator") if "calculator" in values else None
    output = reader.text(values["output"], f"{where}.output") if "output" in values else None
    given = _inputs(reader, values["given"], f"{where}.given") if "given" in values else {}
    return Figure(says, calculator, given, output) if says and calculator and output else None


def content_hash(card: Card) -> str:
    """Changes with what a learner sees or is checked by; 16 hexadecimal digits."""
    return hashlib.blake2b(json.dumps(fields_of(card), ensure_ascii=False).encode(), digest_size=8).hexdigest()
