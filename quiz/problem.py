"""What is wrong in a deck file, and where."""

from __future__ import annotations

from dataclasses import dataclass

from quiz.language import Text

ERROR = "error"
WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. `line` and `column` count from 1; `card` and `field` are "" where the fault lies outside of one."""

    path: str
    line: int
    column: int
    card: str
    field: str
    text: Text
    severity: str = ERROR

    def say(self, language: str) -> str:
        """``file:line:column: card: field: what is wrong``, without the parts that do not apply."""
        where = [f"{self.path}:{self.line}:{self.column}", self.card, self.field]
        return ": ".join([part for part in where if part] + [self.text.pick(language)])


def in_order(problems: list[Problem]) -> list[Problem]:
    """By file and place; equal ones once."""
    return sorted(dict.fromkeys(problems), key=lambda p: (p.path, p.line, p.column, p.card, p.field, p.text))
