"""Finding cards by words, in either language, typos allowed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz, utils

from quiz.card import Summary
from quiz.language import Text

GOOD_ENOUGH = 80
SHORTEST_FOR_TYPOS = 5
IN_ID, IN_TAGS, IN_QUESTION, IN_DECK = 130, 120, 110, 105


def search(
    query: str,
    cards: Iterable[Summary],
    titles: Mapping[str, Text] | None = None,
    synonyms: Sequence[Sequence[str]] = (),
) -> list[Summary]:
    """The cards that have all words of `query`, or synonyms of it, best first; close spellings after exact ones.

    Looked at are id, tags, question in both languages, and the deck's id and title (`titles` by deck id).
    """
    wanted = utils.default_process(query)
    if not wanted:
        return []
    ways = [wanted, *_synonyms(wanted, synonyms)]
    scored = []
    for card in cards:
        places = _places(card, (titles or {}).get(card.deck))
        score = max(_score(way, places) for way in ways)
        if score >= GOOD_ENOUGH:
            scored.append((-score, card.difficulty, card.id, card))
    scored.sort(key=lambda entry: entry[:3])
    return [card for *_, card in scored]


def _synonyms(wanted: str, groups: Sequence[Sequence[str]]) -> list[str]:
    found: list[str] = []
    for group in groups:
        words = [utils.default_process(word) for word in group]
        if wanted in words:
            found += [word for word in words if word and word != wanted]
    return found


def _places(card: Summary, title: Text | None) -> list[tuple[int, str]]:
    """(what being found there is worth, the text) for each text of a card that is looked at."""
    places = (
        (IN_ID, card.id.replace("-", " ")),
        (IN_TAGS, " ".join(card.tags)),
        (IN_QUESTION, f"{card.question.en} {card.question.zh}"),
        (IN_DECK, f"{card.deck.replace('-', ' ')} {title.en} {title.zh}" if title else card.deck),
    )
    return [(worth, utils.default_process(text)) for worth, text in places]


def _score(wanted: str, places: Sequence[tuple[int, str]]) -> float:
    best = 0.0
    for worth, found in places:
        if all(word in found for word in wanted.split()):
            return float(worth)
        if len(wanted) >= SHORTEST_FOR_TYPOS:
            best = max(best, _close(wanted, found))
    return best


def _close(wanted: str, found: str) -> float:
    """How well each word of `wanted` is met by some word of `found`, by the worst of them."""
    words = found.split()
    return min((max((fuzz.ratio(one, word) for word in words), default=0.0) for one in wanted.split()), default=0.0)
