"""Finding cards by words, in either language, typos allowed."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, utils

from quiz.card import Summary

GOOD_ENOUGH = 72
CERTAIN = 100


def search(query: str, cards: Iterable[Summary], *, limit: int = 50) -> list[Summary]:
    """The cards that have `query` in id, tags or question, best first; close spellings after exact ones."""
    wanted = utils.default_process(query)
    if not wanted:
        return []
    scored = []
    for card in cards:
        score = max(_score(wanted, text) for text in _texts(card))
        if score >= GOOD_ENOUGH:
            scored.append((-score, card.id, card))
    scored.sort(key=lambda entry: entry[:2])
    return [card for *_, card in scored[:limit]]


def _texts(card: Summary) -> tuple[str, ...]:
    return (card.id.replace("-", " "), " ".join((*card.tags, card.deck)), card.question.en, card.question.zh)


def _score(wanted: str, text: str) -> float:
    found = utils.default_process(text)
    if all(word in found for word in wanted.split()):
        return CERTAIN
    return min(99.0, fuzz.token_set_ratio(wanted, found), fuzz.partial_ratio(wanted, found)) if found else 0.0
