"""Where a fault of a card is noted: at the place of its field in the file."""

from __future__ import annotations

from dataclasses import dataclass, field

from quiz.card import Card
from quiz.deck import Loaded, LoadedCard
from quiz.language import Text
from quiz.problem import ERROR, Problem


@dataclass(slots=True)
class Notes:
    """Collects the problems of one card."""

    loaded: Loaded
    read: LoadedCard
    problems: list[Problem] = field(default_factory=list)

    @property
    def card(self) -> Card:
        return self.read.card

    def has(self, where: str) -> bool:
        """Whether the field stands in the file (it may be faulty, which has been noted then)."""
        return where in self.read.places

    def note(self, where: str, text: Text, *, words: str = "", severity: str = ERROR) -> None:
        """`where` is the field's path; its place is that of `words` inside of it, or else its start.

        A field that is not in the file is noted at the nearest one above it.
        """
        above = where
        while above and above not in self.read.places:
            above = above[: max(above.rfind("."), above.rfind("["), 0)]
        span = self.read.places[above]
        line, column = self.loaded.document.locate(span, words) if words else (span.line, span.column)
        self.problems.append(Problem(self.loaded.path, line, column, self.card.id, where, text, severity))
