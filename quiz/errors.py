"""What can go wrong in a way that a learner can act on. Each error is one line in both languages."""

from __future__ import annotations

from typing import Any

from quiz.language import Text, say


class QuizError(Exception):
    """Base of all errors shown to a learner: `text` says what is wrong and what to do."""

    exit_status = 2

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text

    @classmethod
    def of(cls, key: str, **values: Any) -> QuizError:
        """The error whose sentence is `key` in the catalogue."""
        return cls(say(key, **values))


class UnknownName(QuizError):
    """A card, deck, company, calculator, input or setting that does not exist; names the nearest ones."""


class BadInput(QuizError):
    """A value that cannot be used: out of range, of the wrong kind, missing."""


class BadDeck(QuizError):
    """A deck that cannot be loaded; `problems` has them all."""


class BadHome(QuizError):
    """The learner's files cannot be read or written."""
