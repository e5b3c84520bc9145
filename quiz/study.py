"""The desk at which one studies: record, decks, queue and the card in front, put together.

What both faces of a review (the screen and the line-by-line one) do goes through here: they show what it
says and pass on what the learner does. A grade is on disk before the next card is drawn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from quiz import __version__, grading, queue, session, sm2
from quiz.card import Card, Summary
from quiz.day import instant_of, study_day
from quiz.errors import QuizError
from quiz.history import ANSWERS, OF_NO_CARD, Event, Progress, moves_schedule
from quiz.language import Text, say
from quiz.library import Library
from quiz.queue import Item, Limits, Queue
from quiz.settings import Settings
from quiz.store import Happening, Store

if TYPE_CHECKING:
    from quiz.answer import Verdict
    from quiz.draw import Draw
    from quiz.rubric import Reading
    from quiz.terms import Glossary


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cards: of these decks, companies (with their parts) and tags, all if empty; `cram` takes them all now."""

    decks: tuple[str, ...] = ()
    companies: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    new: int | None = None
    limit: int | None = None
    cram: bool = False
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The card in front: what was drawn for it, how the answer went so far, what was typed."""

    item: Item
    card: Card
    progress: Progress
    drawn: Draw | None
    question: Text
    attempt: grading.Attempt = field(default_factory=grading.Attempt)
    typed: tuple[str, ...] = ()
    verdict: Verdict | None = None
    revealed: bool = False
    ticked: frozenset[int] = frozenset()
    reading: Reading | None = None


class Study:
    """One learner at work. `clock` gives the local time with its zone, `stopwatch` seconds that never run backwards."""

    def __init__(
        self,
        store: Store,
        library: Library,
        settings: Settings,
        *,
        clock: Callable[[], datetime],
        stopwatch: Callable[[], float],
        rng: random.Random,
    ) -> None:
        self.store = store
        self.library = library
        self.settings = settings
        self._clock = clock
        self._stopwatch = stopwatch
        self._rng = rng
        self._shown_at = 0.0
        self.session = session.start(())
        self.queue: Queue | None = None
        self.asked: Asked | None = None
        self.grades: list[int] = []
        self.troubles: list[Text] = []
        self._cramming = False
        self._skips: list[Item] = []
        self._answered: dict[str, Asked] = {}
        self._glossary: Glossary | None = None

    # Choosing

    def today(self) -> int:
        return study_day(*instant_of(self._clock()), self.settings.rollover)

    def todays_queue(self, selection: Selection) -> Queue:
        """Today's queue over the selection. UnknownName for a deck, company or tag that does not exist."""
        today, progress = self.today(), self.store.progress()
        new = self.settings.new
        if selection.new is not None:
            new = queue.answered_on(today, progress)[0] + selection.new
        seed = today if selection.seed is None else selection.seed
        limits = Limits(new, self.settings.reviews)
        return queue.build(self.select(selection), progress, day=today, limits=limits, seed=seed)

    def select(self, selection: Selection) -> list[Summary]:
        cards = self.library.select(selection.decks, selection.companies, selection.tags)
        return [card for card in cards if not selection.kinds or card.kind in selection.kinds]

    def begin(self, selection: Selection) -> Queue:
        """Start a sitting over the selection and ask its first card."""
        if selection.seed is not None:
            self._rng = random.Random(selection.seed)
        self.queue = self.todays_queue(selection)
        if selection.cram:
            seed = self._rng.getrandbits(32) if selection.seed is None else selection.seed
            items: Iterable[Item] = queue.cram(self._not_suspended(selection), seed=seed)
            drills: tuple[Item, ...] = ()
        else:
            items, drills = self.queue.items, self.queue.drills
        chosen = tuple(items)[: selection.limit]
        if selection.limit is not None:
            drills = drills[: max(0, selection.limit - len(chosen))]
        self.session = session.start(chosen, drills)
        self.grades = []
        self._cramming = selection.cram
        self._skips = []
        self._ask()
        return self.queue

    def _not_suspended(self, selection: Selection) -> list[Summary]:
        progress = self.store.progress()
        return [s for s in self.select(selection) if not (s.id in progress and progress[s.id].suspended)]

    # Answering

    def check(self, text: str) -> Verdict:
        """The verdict on a typed number; what cannot be read changes nothing but is kept in the log."""
        from quiz.checking import check_drawn

        asked = self._front()
        numeric, drawn = asked.card.numeric, asked.drawn
        if numeric is None or drawn is None:
            raise ValueError(f"{asked.card.id} asks for no number")
        verdict = check_drawn(text, drawn, numeric)
        attempt = grading.answered(asked.attempt, verdict.verdict, slip_named=bool(verdict.slips))
        done = verdict.verdict == "correct" or (verdict.verdict == "incorrect" and not attempt.may_try_again)
        self.asked = replace(
            asked, attempt=attempt, typed=(*asked.typed, text), verdict=verdict, revealed=asked.revealed or done
        )
        return verdict

    def reveal(self, typed: str = "") -> None:
        """Show the answer; `typed` is what an open question was answered with, if anything.

        The key points that are found in it are ticked: a proposal that the learner confirms or corrects.
        """
        asked = self._front()
        if not typed.strip():
            self.asked = replace(asked, revealed=True)
            return
        self.asked = replace(asked, revealed=True, typed=(*asked.typed, typed))
        if asked.drawn is None and asked.card.key_points:
            reading = self.read_open(asked.card, typed)
            self.asked = replace(self.asked, reading=reading, ticked=reading.proposed)

    def read_open(self, card: Card, typed: str) -> Reading:
        """Which of the card's key points are found in what was typed."""
        from quiz.rubric import Rubric
        from quiz.terms import Glossary

        if self._glossary is None:
            self._glossary = Glossary(self.library.glossary)
        return Rubric(card, self._glossary).read(typed)

    def hint(self) -> None:
        asked = self._front()
        self.asked = replace(asked, attempt=replace(asked.attempt, hint=True))

    def tick(self, point: int) -> None:
        """Tick or untick a key point (from 0)."""
        asked = self._front()
        if 0 <= point < len(asked.card.key_points):
            self.asked = replace(asked, ticked=asked.ticked ^ {point})

    def proposed(self) -> int:
        """The grade that Enter takes."""
        asked = self._front()
        if asked.drawn is not None:
            return grading.propose(asked.attempt)
        points = len(asked.card.key_points)
        if points == 0:
            return grading.RIGHT
        return grading.propose_points(len(asked.ticked), points, hint=asked.attempt.hint)

    def intervals(self) -> tuple[int, ...]:
        """The days until the next review for each grade 0 to 5; 0 where the answer moves no schedule."""
        asked = self._front()
        return tuple(self._interval(asked, grade) for grade in range(6))

    def _interval(self, asked: Asked, grade: int) -> int:
        event = Event("", "", 0, 0, 0, self.today(), _event_kind(asked.item), asked.card.id, grade)
        if not moves_schedule(asked.progress, event):
            return 0
        return sm2.review(asked.progress.schedule, grade).interval_days

    def grade(self, grade: int, *, language: str = "en") -> Event:
        """Log the answer with its grade and ask the next card."""
        asked = self._front()
        proposed = self.proposed()
        detail = {**_detail(asked), "language": language, "proposed": proposed}
        event = self.store.add(self._happening(_event_kind(asked.item), asked.card.id, grade, detail))
        self._answered[event.id] = asked
        self.session = session.graded(self.session, grade)
        self.grades.append(grade)
        self._ask()
        return event

    # Setting aside, remarks, taking back

    def skip(self) -> None:
        self._skips.append(self._front().item)
        self.session = session.skipped(self.session)
        self._ask()

    def bury(self) -> None:
        """Not again today."""
        self._set_aside("bury")

    def suspend(self) -> None:
        """Not again until taken back."""
        self._set_aside("suspend")

    def note(self, card: str, text: str) -> None:
        self._remark("note", card, text)

    def flag(self, card: str, text: str) -> None:
        self._remark("flag", card, text)

    def unflag(self, card: str) -> None:
        self._remark("unflag", card, "")

    def suspend_card(self, card: str, *, clear: bool) -> None:
        """Take any card out of the queue, or bring it back."""
        self.store.add(self._happening("unsuspend" if clear else "suspend", card))

    def undo(self) -> Event | None:
        """Take back the latest thing done, in this sitting or an earlier one; its card is in front again.

        A card graded in this sitting comes back as it stood: the same numbers, what was typed and ticked, ready for
        another grade.
        """
        at, offset = instant_of(self._clock())
        if self._skips:
            item = self._skips.pop()
            self.session = session.put_back(self.session, item, answered=False)
            self._ask()
            return Event("", "", 0, at, offset, self.today(), "skip", item.card)
        undone = self._take_back_whole(at, offset) or self.store.undo(at, offset, self.today())
        if undone is None:
            return None
        if undone.kind in (*ANSWERS, "bury", "suspend") and undone.card in self.library.summaries:
            answered = undone.kind in ANSWERS and bool(self.grades)
            if answered:
                self.grades.pop()
            item = Item(undone.card, self._item_kind(undone))
            self.session = session.put_back(self.session, item, answered=answered)
            self._ask()
            before = self._answered.pop(undone.id, None)
            if before is not None and self.asked is not None:
                self.asked = replace(before, item=item, progress=self.asked.progress)
        elif self.asked is not None:
            self.asked = replace(self.asked, progress=self.store.progress_of(self.asked.card.id))
        return undone

    def _take_back_whole(self, at: int, offset: int) -> Event | None:
        """A restore or an import, if that is the latest thing done: it concerns the record as a whole."""
        latest = self.store.latest()
        if latest is None or latest.kind not in OF_NO_CARD:
            return None
        from quiz.backups import take_back

        stay = take_back(self.store, latest, Happening(at, offset, self.today(), "undo", ""))
        self.troubles += [say("data.deck_kept", path=path) for path in stay]
        return latest

    def _item_kind(self, undone: Event) -> str:
        """What the card of an undone event is now: due and new cards by their schedule, the others as they were asked."""
        if undone.kind in ("cram", "mock") or (self._cramming and undone.kind in ("bury", "suspend")):
            return "cram"
        progress, today = self.store.progress_of(undone.card), self.today()
        if progress.drill == today and undone.kind != "review":
            return "drill"
        if progress.due is None:
            return "new"
        return "due" if progress.due <= today else "drill"

    def _set_aside(self, kind: str) -> None:
        asked = self._front()
        self.store.add(self._happening(kind, asked.card.id))
        self.session = session.without(self.session, asked.card.id)
        self._ask()

    def _remark(self, kind: str, card: str, text: str) -> None:
        self.store.add(self._happening(kind, card, detail={"text": text.strip()} if kind != "unflag" else None))
        if self.asked is not None and self.asked.card.id == card:
            self.asked = replace(self.asked, progress=self.store.progress_of(card))

    def _happening(
        self, kind: str, card: str, grade: int | None = None, detail: dict[str, Any] | None = None
    ) -> Happening:
        self._skips = []
        at, offset = instant_of(self._clock())
        thinking = round(1000 * (self._stopwatch() - self._shown_at)) if kind in ANSWERS else 0
        return Happening(at, offset, self.today(), kind, card, grade, thinking, detail)

    # Asking

    def _ask(self) -> None:
        self._shown_at = self._stopwatch()
        self.asked = None
        while self.asked is None and (item := self.session.current) is not None:
            try:
                card = self.library.card(item.card)
                drawn, asking = self._draw(card)
            except QuizError as error:
                # A learner's own card may ask its calculator for what it refuses; the sitting goes on without it.
                self.troubles.append(Text(f"{item.card}: {error.text.en}", f"{item.card}：{error.text.zh}"))
                self.session = session.without(self.session, item.card)
                continue
            self.asked = Asked(item, card, self.store.progress_of(card.id), drawn, asking)

    def _draw(self, card: Card) -> tuple[Draw | None, Text]:
        """What was drawn for a card that asks for a number, and the question with it."""
        if card.numeric is None:
            return None, card.question
        from quiz.draw import draw, question

        drawn = draw(card, self._rng.getrandbits(32))
        return drawn, question(card, drawn)

    def _front(self) -> Asked:
        if self.asked is None:
            raise ValueError("nothing is asked")
        return self.asked


def _event_kind(item: Item) -> str:
    return "review" if item.kind in ("due", "new") else item.kind


def _detail(asked: Asked) -> dict[str, Any]:
    detail: dict[str, Any] = {"hash": asked.card.hash, "version": __version__}
    if asked.typed:
        detail["typed"] = list(asked.typed)
    if asked.attempt.hint:
        detail["hint"] = True
    if asked.drawn is not None:
        detail |= {"inputs": dict(asked.drawn.inputs), "seed": asked.drawn.seed}
        if asked.verdict is not None:
            detail |= {"verdict": asked.verdict.verdict, "slips": [slip.en for slip in asked.verdict.slips]}
    elif asked.card.key_points:
        detail["ticked"] = sorted(asked.ticked)
        if asked.reading is not None:
            outcomes = [finding.outcome for finding in asked.reading.findings]
            detail |= {"proposed_points": sorted(asked.reading.proposed), "flags": list(asked.reading.flags)}
            detail["opposite_points"] = [n for n, outcome in enumerate(outcomes) if outcome == "opposite"]
    return detail
