"""What goes out of cards: the questions as they stand, numeric ones with numbers drawn the same way every time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from quiz.card import Card, DeckSummary
from quiz.draw import Draw, draw
from quiz.errors import QuizError
from quiz.language import Text

TRIES = 30


@dataclass(slots=True)
class Outgoing:
    """Cards to write by deck, in order; `troubles` tells of cards whose numbers could not be drawn."""

    decks: Sequence[tuple[DeckSummary, Sequence[Card]]]
    troubles: list[Text] = field(default_factory=list)

    def cards(self) -> Iterator[Card]:
        return (card for _, cards in self.decks for card in cards)

    def draws(self, card: Card, count: int) -> list[Draw]:
        """`count` draws with different numbers, fewer where there are no more; none for a card without a number."""
        if card.numeric is None:
            return []
        found: list[Draw] = []
        try:
            for number in range(TRIES):
                drawn = draw(card, seed(card.id, number))
                if all(drawn.inputs != other.inputs for other in found):
                    found.append(drawn)
                if len(found) == count:
                    break
        except QuizError as error:
            self.troubles.append(Text(f"{card.id}: {error.text.en}", f"{card.id}：{error.text.zh}"))
        return found


def seed(card: str, number: int) -> int:
    """The seed of a card's draw: the same for ever, so that a second export says the same."""
    return int.from_bytes(hashlib.blake2b(f"{card}/{number}".encode(), digest_size=4).digest(), "big")
