"""What today holds, as lines of text: what is due, what was held back and why, what a sitting was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quiz.day import to_date
from quiz.queue import Queue
from quiz.study import Selection
from quiz.terminal import safe

if TYPE_CHECKING:
    from quiz.desk import Desk


def due_lines(desk: Desk, queue: Queue) -> list[str]:
    """What is to do today, what was held back and why, and when the next card is due if there is nothing."""
    lines = []
    if queue.items or queue.drills:
        lines.append(desk.say("look.due", due=queue.due, new=queue.new, again=len(queue.drills)))
    elif queue.next_due:
        lines.append(desk.say("look.nothing_due", day=to_date(queue.next_due).isoformat()))
    elif queue.held_back.new or queue.held_back.due:
        lines.append(desk.say("look.done_today"))
    else:
        lines.append(desk.say("look.nothing_at_all"))
    held = queue.held_back
    if held.new:
        lines.append(desk.say("look.held_new", count=held.new, limit=desk.settings.new))
    if held.due:
        lines.append(desk.say("look.held_due", count=held.due, limit=desk.settings.reviews))
    if held.buried:
        lines.append(desk.say("look.held_buried", count=held.buried))
    if held.suspended:
        lines.append(desk.say("look.held_suspended", count=held.suspended))
    return lines + problem_lines(desk)


def problem_lines(desk: Desk) -> list[str]:
    """That some cards were left out for faults in their decks: how many, the first, and how to see all."""
    problems = desk.library.problems
    if not problems:
        return []
    return [desk.say("look.problems", count=len(problems), first=safe(problems[0].say(desk.language)))]


def summary_lines(desk: Desk) -> list[str]:
    """What this sitting was, and what comes next."""
    grades = desk.study.grades
    right = sum(grade >= 3 for grade in grades)
    lines = [desk.say("review.summary", done=len(grades), right=right)] if grades else [desk.say("review.summary_none")]
    lines += [desk.words(trouble) for trouble in desk.study.troubles]
    return lines + due_lines(desk, desk.study.todays_queue(Selection()))
