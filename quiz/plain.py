"""The review line by line: for pipes, dumb terminals, screen readers, and whoever prefers it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from quiz.sheet import MARKS, answer_lines, found_lines, hint_of, question_lines
from quiz.terminal import safe
from quiz.today import summary_lines

if TYPE_CHECKING:
    from quiz.desk import Desk
    from quiz.study import Asked

# A full-width digit arrives where an input method is on.
DIGITS = {ord("０") + n: str(n) for n in range(10)}


POINTS = "0123456789 ,，、"


class Plain:
    """One sitting over standard input and output; ends at the end of the queue, of the input, or on `q`."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.study = desk.study
        self._commands: dict[str, Callable[[], bool]] = {
            "s": self._skip,
            "b": self._bury,
            "x": self._suspend,
            "u": self._undo,
            "h": self._hint,
            "l": self._switch_language,
            "?": self._help,
        }

    def run(self) -> int:
        while self.study.asked is not None:
            if not self._ask():
                break
        self._write("", *summary_lines(self.desk))
        return 0

    def _ask(self) -> bool:
        """One card from question to grade; False at the end of the input or on `q`."""
        asked = self.study.asked
        assert asked is not None
        self._write("", self._counts(), *question_lines(self.desk, asked.card, asked.question), "")
        numeric = asked.drawn is not None
        prompt = "review.plain_number" if numeric else "review.plain_open"
        unit = asked.card.numeric.unit if asked.card.numeric else ""
        while not (self.study.asked is not None and self.study.asked.revealed):
            line = self._read(self.desk.say(prompt, unit=f" ({unit})" if unit else ""))
            if line is None or line == "q":
                return False
            command = self._commands.get(line.lower())
            if command:
                if command():
                    return True
            elif line and numeric:
                self._check(line)
            else:
                self.study.reveal(line)
        asked = self.study.asked
        state = asked.progress
        listed = asked.reading is None
        self._write("", *answer_lines(self.desk, asked.card, asked.drawn, state, numbered=True, points=listed))
        if asked.drawn is None and asked.card.key_points and not self._points(asked):
            return False
        return self._grade()

    def _points(self, asked: Asked) -> bool:
        """Which key points were made: those found in a typed answer are proposed. False at the end of the input."""
        prompt = self.desk.say("review.plain_points")
        if asked.reading is not None:
            self._write("", *found_lines(self.desk, asked.card, asked.typed[-1], asked.reading))
            proposed = " ".join(str(n + 1) for n in sorted(asked.ticked)) or self.desk.say("review.none")
            prompt = self.desk.say("review.plain_confirm", proposed=proposed)
        line = self._read(prompt)
        while line is not None and line != "q" and not set(line) <= set(POINTS):
            self._write(self.desk.say("review.plain_bad_points", text=safe(line)))
            line = self._read(prompt)
        if line is None or line == "q":
            return False
        if line:
            wanted = {int(digit) - 1 for digit in line if digit.isdigit()} - {-1}
            for point in sorted(wanted ^ asked.ticked):
                self.study.tick(point)
        return True

    def _grade(self) -> bool:
        while True:
            proposed, days = self.study.proposed(), self.study.intervals()
            choices = "  ".join(f"{grade}: {self._days(days[grade])}" for grade in range(6))
            line = self._read(self.desk.say("review.plain_grade", choices=choices, proposed=proposed))
            if line is None or line == "q":
                return False
            if line == "u":
                self._undo()
                return True
            if line == "" or (len(line) == 1 and line in "012345"):
                self.study.grade(int(line or proposed), language=self.desk.language)
                return True
            self._write(self.desk.say("review.plain_bad_grade", text=safe(line)))

    def _check(self, line: str) -> None:
        verdict = self.study.check(line)
        self._write(f"{MARKS[verdict.verdict]} {self.desk.words(verdict.reason)}")
        self._write(*(f"  {self.desk.words(slip)}" for slip in verdict.slips))
        asked = self.study.asked
        if asked is not None and not asked.revealed and verdict.verdict == "incorrect":
            self._write(self.desk.say("review.second_try"))

    def _skip(self) -> bool:
        self.study.skip()
        return True

    def _bury(self) -> bool:
        self.study.bury()
        return True

    def _suspend(self) -> bool:
        self.study.suspend()
        return True

    def _undo(self) -> bool:
        undone = self.study.undo()
        if undone is None:
            self._write(self.desk.say("record.nothing_to_undo"))
            return False
        what = self.desk.say(f"record.kind_{undone.kind}")
        self._write(self.desk.say("review.undone", what=what, card=undone.card))
        return True

    def _hint(self) -> bool:
        asked = self.study.asked
        if asked is not None:
            self._write(hint_of(self.desk, asked.card, asked.drawn))
            self.study.hint()
        return False

    def _switch_language(self) -> bool:
        self.desk.language = "zh" if self.desk.language == "en" else "en"
        return True

    def _help(self) -> bool:
        self._write(self.desk.say("review.plain_help"))
        return False

    def _counts(self) -> str:
        counts = self.study.session.counts
        return self.desk.say("review.counts", new=counts.new, due=counts.due, again=counts.again, done=counts.done)

    def _days(self, days: int) -> str:
        return self.desk.say("review.days", days=days) if days else "–"

    def _write(self, *lines: str) -> None:
        for line in lines:
            print(line)
        sys.stdout.flush()

    def _read(self, prompt: str) -> str | None:
        """The next line without its end, full-width digits folded; None at the end of the input."""
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            self._write("")
            return None
        return line.strip().strip("\u3000").translate(DIGITS) if len(line.strip()) == 1 else line.strip()
