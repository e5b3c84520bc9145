"""Cards as JSON and back, for the deck index in the cache."""

from __future__ import annotations

from typing import Any

from quiz.card import Card, Figure, KeyPoint, Numeric, Reference, Summary
from quiz.language import Text
from quiz.problem import Problem

FORMAT = 2
"""Raise when what is written here, or how a deck is read, changes: old indexes are then read afresh."""


def pack_summary(summary: Summary) -> list[Any]:
    return [
        summary.id,
        summary.deck,
        summary.area,
        summary.kind,
        summary.difficulty,
        summary.companies,
        summary.tags,
        summary.follow_ups,
        summary.question,
        summary.roles,
        summary.as_of,
    ]


def unpack_summary(data: list[Any]) -> Summary:
    name, deck, area, kind, difficulty, companies, tags, follow_ups, question, roles, as_of = data
    return Summary(
        name,
        deck,
        area,
        kind,
        difficulty,
        companies,
        tuple(tags),
        tuple(follow_ups),
        Text(*question),
        tuple(roles),
        as_of,
    )


def pack_card(card: Card) -> dict[str, Any]:
    packed: dict[str, Any] = {name: getattr(card, name) for name in _AS_THEY_ARE}
    packed["key_points"] = [[point.text, point.terms] for point in card.key_points]
    packed["references"] = [[reference.title, reference.url] for reference in card.references]
    packed["figures"] = [[f.says, f.calculator, f.given, f.output] for f in card.figures]
    n = card.numeric
    packed["numeric"] = n and [n.calculator, n.asks, n.given, n.draws, n.rtol, n.unit]
    return packed


def unpack_card(data: dict[str, Any]) -> Card:
    numeric = data["numeric"]
    if numeric:
        calculator, asks, given, draws, rtol, unit = numeric
        drawn = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
        numeric = Numeric(calculator, asks, drawn, tuple(draws), rtol, unit)
    return Card(
        **{
            **{name: data[name] for name in _AS_THEY_ARE},
            **{name: tuple(data[name]) for name in ("sources", "roles", "tags", "follow_ups")},
            "question": Text(*data["question"]),
            "answer": Text(*data["answer"]),
            "pitfall": Text(*data["pitfall"]) if data["pitfall"] else None,
            "key_points": tuple(
                KeyPoint(Text(*text), tuple(tuple(any_of) for any_of in terms)) for text, terms in data["key_points"]
            ),
            "references": tuple(Reference(*reference) for reference in data["references"]),
            "figures": tuple(Figure(Text(*says), *rest) for says, *rest in data["figures"]),
            "numeric": numeric,
        }
    )


def pack_problem(problem: Problem) -> list[Any]:
    p = problem
    return [p.path, p.line, p.column, p.card, p.field, p.text, p.severity]


def unpack_problem(data: list[Any]) -> Problem:
    path, line, column, card, field, text, severity = data
    return Problem(path, line, column, card, field, Text(*text), severity)


_AS_THEY_ARE = (
    "id",
    "deck",
    "area",
    "kind",
    "question",
    "answer",
    "pitfall",
    "sources",
    "companies",
    "roles",
    "tags",
    "difficulty",
    "follow_ups",
    "as_of",
    "hash",
    "path",
    "line",
)
