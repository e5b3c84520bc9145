"""Today's queue: which cards, in which order, and what was held back and why."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from quiz.card import Summary
from quiz.history import Progress, fresh

DECK_WINDOW = 6


@dataclass(frozen=True, slots=True)
class Limits:
    """At most so many new cards and reviews of due cards a study day."""

    new: int = 20
    reviews: int = 200


@dataclass(frozen=True, slots=True)
class Item:
    """A card to ask; `kind` is due, new, drill or cram."""

    card: str
    kind: str


@dataclass(frozen=True, slots=True)
class HeldBack:
    """Cards that would be in today's queue but are not, by reason."""

    new: int = 0
    due: int = 0
    buried: int = 0
    suspended: int = 0


@dataclass(frozen=True, slots=True)
class Queue:
    """`items` in order; `drills` owed from earlier in the same study day; `next_due` the next day on which one is due."""

    items: tuple[Item, ...]
    drills: tuple[Item, ...]
    held_back: HeldBack
    next_due: int | None

    @property
    def due(self) -> int:
        return sum(item.kind == "due" for item in self.items)

    @property
    def new(self) -> int:
        return sum(item.kind == "new" for item in self.items)


def build(
    cards: Iterable[Summary],
    progress: Mapping[str, Progress],
    *,
    day: int,
    limits: Limits,
    seed: int | str = 0,
) -> Queue:
    """Today's queue over `cards`: overdue by relative overdueness, then due, then new by how many companies ask it.

    What was already answered this study day, over all of `progress`, counts against `limits`. Equal cards are
    shuffled by `seed`; the same inputs give the same queue. Cards of one follow-up family are not put back to back
    while another card is left.
    """
    new_today, reviews_today = answered_on(day, progress)
    rng = random.Random(f"queue:{seed}")
    due: list[tuple[float, float, Summary]] = []
    unseen: list[tuple[int, int, float, Summary]] = []
    drills: list[Item] = []
    buried = suspended = 0
    next_due: int | None = None
    untouched = fresh()
    for card in cards:
        state = progress.get(card.id, untouched)
        tie = rng.random()
        wanted = state.due is None or state.due <= day
        if state.suspended:
            suspended += wanted
        elif state.buried == day and (wanted or state.drill == day):
            buried += 1
        elif state.drill == day:
            drills.append(Item(card.id, "drill"))
        elif state.due is not None and not wanted:
            next_due = min(state.due, next_due or state.due)
        elif state.due is None:
            unseen.append((-len(card.companies), card.difficulty, tie, card))
        else:
            due.append(((state.due - day) / max(1, state.schedule.interval_days), tie, card))
    due.sort(key=lambda entry: entry[:2])
    unseen.sort(key=lambda entry: entry[:3])
    reviews_left = max(0, limits.reviews - reviews_today)
    new_left = max(0, limits.new - new_today)
    asked_due = [card for *_, card in due[:reviews_left]]
    asked_new = [card for *_, card in unseen[:new_left]]
    kinds = {card.id: "due" for card in asked_due} | {card.id: "new" for card in asked_new}
    held_back = HeldBack(len(unseen) - len(asked_new), len(due) - len(asked_due), buried, suspended)
    kin = families([*asked_due, *asked_new])
    order = spread(asked_due, kin)
    order += spread(asked_new, kin, after=order[-1] if order else None)
    return Queue(tuple(Item(card.id, kinds[card.id]) for card in order), tuple(drills), held_back, next_due)


def answered_on(day: int, progress: Mapping[str, Progress]) -> tuple[int, int]:
    """(new cards, due cards) whose schedule was moved on `day`."""
    moved = [state for state in progress.values() if state.last == day]
    new = sum(state.first == day for state in moved)
    return new, len(moved) - new


def cram(cards: Iterable[Summary], *, seed: int | str) -> tuple[Item, ...]:
    """All of `cards` in an order given by `seed`, whatever their schedule says."""
    shuffled = sorted(cards, key=lambda card: card.id)
    random.Random(f"cram:{seed}").shuffle(shuffled)
    return tuple(Item(card.id, "cram") for card in spread(shuffled))


def spread(
    cards: Sequence[Summary], kin: Mapping[str, set[str]] | None = None, *, after: Summary | None = None
) -> list[Summary]:
    """`cards` in order, but one whose neighbour is of its follow-up family lets the next stranger go first.

    Among the next few strangers one of another deck is preferred, so that a sitting does not dwell on one topic.
    """
    kin = families(cards) if kin is None else kin
    waiting = list(cards)
    ordered: list[Summary] = []
    while waiting:
        last = ordered[-1] if ordered else after
        strangers = (n for n, card in enumerate(waiting) if last is None or last.id not in kin[card.id])
        near = list(itertools.islice(strangers, DECK_WINDOW))
        elsewhere = (n for n in near if last is None or waiting[n].deck != last.deck)
        ordered.append(waiting.pop(next(elsewhere, near[0] if near else 0)))
    return ordered


def families(cards: Iterable[Summary]) -> dict[str, set[str]]:
    """For each card the ids of its family: what it leads to, what leads to it, and what shares such a parent."""
    kin: dict[str, set[str]] = {card.id: set() for card in cards}
    for card in cards:
        family = [card.id, *(follower for follower in card.follow_ups if follower in kin)]
        for one in family:
            kin[one].update(other for other in family if other != one)
    return kin
