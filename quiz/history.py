"""The log and what it says of a card: events in, progress out.

The log is the truth; a card's progress is what replaying its events gives. Nothing here recomputes a
day: each event carries the study day that was in force when it happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from quiz import sm2

ANSWERS = ("review", "drill", "cram", "mock")
# Of no card: the record as a whole was replaced, or events came in from a file.
OF_NO_CARD = ("restore", "import")
KINDS = (*ANSWERS, "suspend", "unsuspend", "bury", "reset", "note", "flag", "unflag", "undo", *OF_NO_CARD)
LEECH_LAPSES = 8


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a learner did, as logged.

    `id` is random and unique over all machines; `number` runs from 1 on each `device`; `at` is milliseconds since
    1970 UTC, `utc_offset` seconds, `day` the study day (`quiz.day.study_day`), `ms` the thinking time. `undoes` is the
    id of the event that an undo takes back. `detail` holds what was typed, the drawn inputs and their seed, the
    card's hash, the program's version, verdict, slips, language.
    """

    id: str
    device: str
    number: int
    at: int
    utc_offset: int
    day: int
    kind: str
    card: str
    grade: int | None = None
    ms: int = 0
    undoes: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a card stands. Days are study days (ordinals); None where there is none.

    `due` is the day of the next review, `first` and `last` those of the first and the latest review that moved the
    schedule, `drill` the day on which a drill is owed, `buried` the day on which the card stays hidden. `reviews`
    counts moves of the schedule, `lapses` failures of a card that had been learned.
    """

    schedule: sm2.State
    due: int | None = None
    first: int | None = None
    last: int | None = None
    reviews: int = 0
    lapses: int = 0
    drill: int | None = None
    buried: int | None = None
    suspended: bool = False
    note: str = ""
    flag: str | None = None

    @property
    def leech(self) -> bool:
        return self.lapses >= LEECH_LAPSES


def fresh() -> Progress:
    """The progress of a card that nothing was ever done with."""
    return Progress(schedule=sm2.new())


def ordered(events: Iterable[Event]) -> list[Event]:
    """Events of one card in the order of replay, the same for every order in which they came.

    Each device's own running number decides between its events, so a clock set back cannot put an answer before
    an earlier one; between devices it is the time, which on each device never runs backwards here.
    """
    latest: dict[str, int] = {}
    keyed = []
    for event in sorted(events, key=lambda e: (e.device, e.number, e.id)):
        latest[event.device] = max(event.at, latest.get(event.device, event.at))
        keyed.append(((latest[event.device], event.device, event.number, event.id), event))
    keyed.sort(key=lambda pair: pair[0])
    return [event for _, event in keyed]


def replay(events: Iterable[Event]) -> dict[str, Progress]:
    """The progress of every card that `events` name, events taken back left out.

    Each card is ordered by itself, so that what is replayed of one card does not depend on what else is in the log.
    """
    events = list(events)
    undone = {e.undoes for e in events if e.kind == "undo"}
    of_card: dict[str, list[Event]] = {}
    for event in events:
        if event.card:
            of_card.setdefault(event.card, []).append(event)
    progress: dict[str, Progress] = {}
    for card, own in of_card.items():
        state = fresh()
        for event in ordered(own):
            if event.kind != "undo" and event.id not in undone:
                state = apply(state, event)
        progress[card] = state
    return progress


def apply(progress: Progress, event: Event) -> Progress:
    """The progress after `event`; a kind that only a newer program knows changes nothing. ValueError for a bad grade."""
    if event.kind in ANSWERS:
        return _answered(progress, event)
    if event.kind == "suspend":
        return replace(progress, suspended=True)
    if event.kind == "unsuspend":
        return replace(progress, suspended=False)
    if event.kind == "bury":
        return replace(progress, buried=event.day)
    if event.kind == "reset":
        return replace(fresh(), note=progress.note, flag=progress.flag)
    if event.kind == "note":
        return replace(progress, note=str(event.detail.get("text", "")))
    if event.kind == "flag":
        return replace(progress, flag=str(event.detail.get("text", "")))
    if event.kind == "unflag":
        return replace(progress, flag=None)
    return progress


def moves_schedule(progress: Progress, event: Event) -> bool:
    """Whether an answer moves the schedule.

    An answer from the queue does, once a study day: the same card answered on two machines, or in two windows, on
    one day counts once. In a cram or a mock only a failure of a learned card does.
    """
    if event.kind == "review":
        return progress.last != event.day
    return event.kind in ("cram", "mock") and failed(event.grade) and progress.schedule.repetitions > 0


def failed(grade: int | None) -> bool:
    return grade is not None and grade < sm2.PASSING_GRADE


def _answered(progress: Progress, event: Event) -> Progress:
    if event.grade is None:
        raise ValueError(f"an answer without a grade: {event.id}")
    schedule = sm2.review(progress.schedule, event.grade)
    drill = progress.drill
    if event.grade >= sm2.DRILL_BELOW:
        drill = None if event.kind in ("review", "drill") else drill
    elif event.kind == "review":
        drill = event.day
    if not moves_schedule(progress, event):
        return replace(progress, drill=drill)
    lapsed = failed(event.grade) and progress.schedule.repetitions > 0
    return replace(
        progress,
        schedule=schedule,
        due=event.day + schedule.interval_days,
        first=event.day if progress.first is None else progress.first,
        last=event.day,
        reviews=progress.reviews + 1,
        lapses=progress.lapses + lapsed,
        drill=drill,
    )
