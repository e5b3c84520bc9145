"""What a card is: a question with its answer, where it comes from and how it is checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quiz.language import Text
from quiz.reference import Inputs as Inputs
from quiz.reference import Reference as Reference
from quiz.reference import Value as Value

KINDS = ("numeric", "concept", "design", "code", "experience")
AREAS = ("training", "inference", "hardware", "platform")
ROLES = ("algorithm", "cpp", "backend", "product")


@dataclass(frozen=True, slots=True)
class KeyPoint:
    """One thing that an interviewer ticks off; `terms` is an AND of ORs over both languages."""

    text: Text
    terms: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that stands in the answer (`says`) and what computes it."""

    says: Text
    calculator: str
    given: Inputs
    output: str


@dataclass(frozen=True, slots=True)
class Numeric:
    """What a numeric card asks a calculator: fixed inputs, inputs to draw, rows that belong together."""

    calculator: str
    asks: str
    given: dict[str, Value | tuple[Value, ...]] = field(default_factory=dict)
    draws: tuple[Inputs, ...] = ()
    rtol: float = 0.01
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """One question. `hash` changes with what a learner sees; `id` never does."""

    id: str
    deck: str
    area: str
    kind: str
    question: Text
    answer: Text
    pitfall: Text | None = None
    sources: tuple[str, ...] = ()
    companies: dict[str, int] = field(default_factory=dict)
    roles: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    difficulty: int = 1
    key_points: tuple[KeyPoint, ...] = ()
    follow_ups: tuple[str, ...] = ()
    references: tuple[Reference, ...] = ()
    figures: tuple[Figure, ...] = ()
    as_of: str = ""
    numeric: Numeric | None = None
    hash: str = ""
    path: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """What choosing a card needs, kept in the deck index so that no card has to be read for it."""

    id: str
    deck: str
    area: str
    kind: str
    difficulty: int
    companies: dict[str, int]
    tags: tuple[str, ...]
    follow_ups: tuple[str, ...]
    question: Text
    roles: tuple[str, ...] = ()
    as_of: str = ""


@dataclass(frozen=True, slots=True)
class Deck:
    id: str
    area: str
    title: Text
    path: str
    cards: tuple[Card, ...]
    own: bool = False


@dataclass(frozen=True, slots=True)
class DeckSummary:
    """A deck with its cards' ids only; `own` is one that the learner keeps beside the shipped ones."""

    id: str
    area: str
    title: Text
    path: str
    cards: tuple[str, ...]
    own: bool = False


def summary(card: Card) -> Summary:
    return Summary(
        id=card.id,
        deck=card.deck,
        area=card.area,
        kind=card.kind,
        difficulty=card.difficulty,
        companies=card.companies,
        tags=card.tags,
        follow_ups=card.follow_ups,
        question=card.question,
        roles=card.roles,
        as_of=card.as_of,
    )


def fields_of(card: Card) -> dict[str, Any]:
    """The parts of a card that a learner sees or is checked by, for its hash."""
    return {
        "kind": card.kind,
        "question": card.question,
        "answer": card.answer,
        "pitfall": card.pitfall,
        "key_points": [(p.text, p.terms) for p in card.key_points],
        "numeric": (
            card.numeric.calculator,
            card.numeric.asks,
            card.numeric.given,
            card.numeric.draws,
            card.numeric.rtol,
            card.numeric.unit,
        )
        if card.numeric
        else None,
    }
