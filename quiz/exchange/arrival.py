"""What a file from another program holds, before anything is done with it."""

from __future__ import annotations

from dataclasses import dataclass, field

from quiz.errors import BadInput
from quiz.exchange.own_deck import LONGEST, MOST, TOTAL_BYTES, Entry, beginning
from quiz.language import say

LARGEST = 200_000_000
MOST_REVIEWS = 300_000
MOST_SKIPPED = 100_000


@dataclass(frozen=True, slots=True)
class Review:
    """An answer in Anki: `id` is its time in ms since 1970, `key` names the card, `ease` is the button 1 to 4."""

    id: int
    key: str
    ease: int
    ms: int


@dataclass(slots=True)
class Arrival:
    """The cards of a file; `media` pictures and sounds were dropped, `skipped` is what was left out and why.

    `other_reviews` were no answers (set by hand, rescheduled, from filtered decks). `encoding` is what the text was
    written in, "" for none. `area` is the area that the file names, "" for none.
    """

    entries: list[Entry] = field(default_factory=list)
    media: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    reviews: list[Review] = field(default_factory=list)
    other_reviews: int = 0
    encoding: str = ""
    area: str = ""
    _size: int = 0

    def take(self, entry: Entry) -> bool:
        """Keep the entry, unless it is longer than any card or there are more than any deck has."""
        length = len("".join((*entry.question, *entry.answer)))
        if length > LONGEST:
            self.skip(beginning(entry.question.pick("en")), "long")
        elif len(self.entries) >= MOST or self._size + length > TOTAL_BYTES:
            self.skip(beginning(entry.question.pick("en")), "many")
        else:
            self._size += length
            self.entries.append(entry)
            return True
        return False

    def skip(self, what: str, why: str) -> None:
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append((what, why))


def refuse(name: str, why: str, **values: object) -> BadInput:
    """The error for a file that is not taken; `why` is the reason's key in the catalogue, without "data.why_"."""
    return BadInput(say("data.not_taken", path=name, why=say(f"data.why_{why}", **values)))
