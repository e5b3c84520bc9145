"""One sitting: which card is asked now, what comes again, what is done. State in, state out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from quiz.queue import Item
from quiz.sm2 import DRILL_BELOW


@dataclass(frozen=True, slots=True)
class Counts:
    """What is left (`new`, `due`, `again`) and what was answered (`done`) in this sitting."""

    new: int
    due: int
    again: int
    done: int


@dataclass(frozen=True, slots=True)
class Session:
    """`pending` in order, the first one is asked now; `again` are drills, asked when nothing else is pending."""

    pending: tuple[Item, ...]
    again: tuple[Item, ...] = ()
    done: int = 0

    @property
    def current(self) -> Item | None:
        return (*self.pending[:1], *self.again[:1])[0] if self.pending or self.again else None

    @property
    def counts(self) -> Counts:
        new = sum(item.kind == "new" for item in self.pending)
        drills = sum(item.kind == "drill" for item in self.pending)
        return Counts(new, len(self.pending) - new - drills, len(self.again) + drills, self.done)


def start(items: Iterable[Item], drills: Iterable[Item] = ()) -> Session:
    return Session(tuple(items), tuple(drills))


def graded(session: Session, grade: int) -> Session:
    """The current card was graded: below 4 it comes again, after all the others, until it gets 4 or more."""
    item = _current(session)
    left = without(session, item.card)
    again = left.again if grade >= DRILL_BELOW else (*left.again, Item(item.card, "drill"))
    return replace(left, again=again, done=left.done + 1)


def skipped(session: Session) -> Session:
    """The current card goes to the end of its own line (new and due, or again)."""
    item = _current(session)
    if session.pending:
        return replace(session, pending=(*session.pending[1:], item))
    return replace(session, again=(*session.again[1:], item))


def without(session: Session, card: str) -> Session:
    """The sitting without `card`: it was buried, suspended, or answered elsewhere."""
    return replace(
        session,
        pending=tuple(item for item in session.pending if item.card != card),
        again=tuple(item for item in session.again if item.card != card),
    )


def put_back(session: Session, item: Item, *, answered: bool) -> Session:
    """An undone card is asked again, now; `answered` takes one off what is done."""
    left = without(session, item.card)
    return replace(left, pending=(item, *left.pending), done=max(0, left.done - answered))


def _current(session: Session) -> Item:
    if session.current is None:
        raise ValueError("nothing is asked in this session")
    return session.current
