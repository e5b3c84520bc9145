"""What the home screen and `quiz due` tell of today and of where the learner stands, gathered from one desk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quiz import stats
from quiz.day import to_date
from quiz.study import Selection

if TYPE_CHECKING:
    from datetime import date

    from quiz.desk import Desk

LATEST = 200


@dataclass(frozen=True, slots=True)
class Overview:
    """`minutes` is how long today's cards take at the learner's own pace; `next_due` is set where none is left."""

    today: date
    due: int
    new: int
    again: int
    minutes: int
    streak: int
    next_due: date | None
    areas: dict[str, stats.Standing]

    @property
    def fresh(self) -> bool:
        """Whether nothing was ever answered."""
        return not any(area.seen for area in self.areas.values())

    @property
    def left(self) -> int:
        return self.due + self.new + self.again


def overview(desk: Desk) -> Overview:
    today = desk.study.today()
    queue = desk.study.todays_queue(Selection())
    left = len(queue.items) + len(queue.drills)
    return Overview(
        today=to_date(today),
        due=queue.due,
        new=queue.new,
        again=len(queue.drills),
        minutes=stats.minutes(left, stats.pace(desk.store.thinking_times(LATEST))),
        streak=stats.streak(desk.store.study_days(), today),
        next_due=to_date(queue.next_due) if queue.next_due and not left else None,
        areas=stats.standing(desk.library.summaries.values(), desk.store.progress()),
    )
