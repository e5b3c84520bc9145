"""Anki's log of reviews as events: Again is grade 1, Hard 3, Good 4, Easy 5."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field

from quiz.day import study_day
from quiz.exchange.arrival import Review
from quiz.history import Event

GRADES = {1: 1, 2: 3, 3: 4, 4: 5}
# Anki's first release was in October 2006.
EARLIEST = 1_159_660_800_000
LATER_THAN_NOW = 86_400_000
LONGEST_THOUGHT = 3_600_000


@dataclass(slots=True)
class History:
    """Events that are new here, how many are here already, how many were of no card or at an impossible time."""

    events: list[Event] = field(default_factory=list)
    known: int = 0
    other: int = 0


def events(
    reviews: Iterable[Review],
    cards: Mapping[str, str],
    deck: str,
    *,
    now: int,
    offset: Callable[[int], int],
    rollover: int,
    known: Set[str],
    undone: Set[str],
) -> History:
    """What `reviews` are for the cards whose ids `cards` gives by their keys.

    An event's id comes from the review and the card, so that the same review coming twice is one; where the earlier
    one was taken back (`undone`), it comes anew. `offset` gives the UTC offset in seconds at a time. They belong to a
    device of their own, numbered by their time, which replays them in Anki's order.
    """
    history = History()
    for review in reviews:
        card = cards.get(review.key)
        if card is None or not EARLIEST <= review.id <= now + LATER_THAN_NOW:
            history.other += 1
            continue
        name, again = f"anki-{review.id}-{card}", 1
        while name in undone:
            again += 1
            name = f"anki-{review.id}-{card}.{again}"
        if name in known:
            history.known += 1
            continue
        zone = offset(review.id)
        history.events.append(
            Event(
                id=name,
                device=f"anki-{deck}",
                number=review.id,
                at=review.id,
                utc_offset=zone,
                day=study_day(review.id, zone, rollover),
                kind="review",
                card=card,
                grade=GRADES[review.ease],
                ms=min(max(review.ms, 0), LONGEST_THOUGHT),
                detail={"from": "anki", "ease": review.ease},
            )
        )
    return history
