"""Where a learner stands, from the cards' states and the log: what was seen, how well it sits, how long it takes."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from quiz.card import AREAS, Summary
from quiz.history import Progress

YOUNG_FROM, MATURE_FROM = 6, 21
WEAK_EASE, WEAK_LAPSES = 180, 3
LONGEST_ANSWER_MS = 300_000
DEFAULT_PACE_S = 60.0
FEWEST_TIMES = 5


@dataclass(frozen=True, slots=True)
class Standing:
    """How many cards are new, learning (an interval below 6 days), young (below 21) and mature; `weak` are some of them.

    A card is weak that was forgotten three times or whose ease factor fell below 1.8.
    """

    new: int = 0
    learning: int = 0
    young: int = 0
    mature: int = 0
    weak: int = 0

    @property
    def seen(self) -> int:
        return self.learning + self.young + self.mature

    @property
    def total(self) -> int:
        return self.new + self.seen


def standing(cards: Iterable[Summary], progress: Mapping[str, Progress]) -> dict[str, Standing]:
    """The standing of each area that has cards, in the order of the areas."""
    counted: dict[str, list[int]] = {area: [0] * 5 for area in AREAS}
    for card in cards:
        state, row = progress.get(card.id), counted[card.area]
        if state is None or state.due is None:
            row[0] += 1
            continue
        days = state.schedule.interval_days
        row[1 if days < YOUNG_FROM else 2 if days < MATURE_FROM else 3] += 1
        row[4] += state.lapses >= WEAK_LAPSES or state.schedule.ease < WEAK_EASE
    return {area: Standing(*row) for area, row in counted.items() if sum(row[:4])}


def streak(days: Collection[int], today: int) -> int:
    """Study days in a row up to today; today need not be among them yet."""
    day = today if today in days else today - 1
    length = 0
    while day in days:
        length, day = length + 1, day - 1
    return length


def pace(times_ms: Sequence[int]) -> float:
    """Seconds a card: the median of the latest thinking times, each at most five minutes; a minute while few are known."""
    known = [min(ms, LONGEST_ANSWER_MS) for ms in times_ms if ms > 0]
    return statistics.median(known) / 1000 if len(known) >= FEWEST_TIMES else DEFAULT_PACE_S


def minutes(cards: int, seconds_a_card: float) -> int:
    """How long so many cards take, in whole minutes, one at least where there is a card."""
    return max(1, round(cards * seconds_a_card / 60)) if cards else 0
