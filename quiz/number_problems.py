"""Why a text is no number: the one error that reading raises."""

from __future__ import annotations

from typing import Any

from quiz.errors import QuizError
from quiz.language import Text, same, say


class Unreadable(QuizError):
    """The text cannot be read as one number. `reason` is a sentence, `kind` its key in the catalogue `reading`."""

    def __init__(self, reason: Text, kind: str = "syntax") -> None:
        super().__init__(reason)
        self.kind = kind

    @property
    def reason(self) -> Text:
        return self.text

    @classmethod
    def of(cls, key: str, **values: Any) -> Unreadable:
        """The reason called `key`; words quoted from the text are shortened and shown without control characters."""
        shown = {k: quoted(v) if isinstance(v, str) else v for k, v in values.items()}
        return cls(say(f"reading.{key}", **shown), key)

    def with_example(self, example: str) -> Unreadable:
        """The same reason, followed by how to write it."""
        if not example:
            return self
        return Unreadable(say("reading.with_example", reason=self.reason, example=same(example)), self.kind)


def quoted(text: str, longest: int = 24) -> str:
    """`text` as it may stand in a sentence: printable, at most `longest` characters."""
    shown = "".join(c if c.isprintable() else "?" for c in text)
    return shown if len(shown) <= longest else shown[: longest - 1] + "…"
