"""Cards as a table that spreadsheets read: a card a row, both languages, no cell that is taken for a formula."""

from __future__ import annotations

import csv
import io

from quiz.card import Card
from quiz.checking import right_value
from quiz.draw import question
from quiz.exchange.drawn import Outgoing
from quiz.language import LANGUAGES, Text

COLUMNS = (
    "id", "deck", "area", "kind", "difficulty", "tags", "companies",
    "question_en", "question_zh", "right_value_en", "right_value_zh", "answer_en", "answer_zh",
    "pitfall_en", "pitfall_zh", "key_points_en", "key_points_zh", "references",
)  # fmt: skip
# What a spreadsheet reads as the beginning of a formula; the full-width ones where an input method is used.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
BOM = "\ufeff"


def write(outgoing: Outgoing) -> str:
    """The table as CSV. A numeric card stands with one draw's numbers and their right value."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for card in outgoing.cards():
        row = _row(outgoing, card)
        if row is not None:
            writer.writerow([harmless(cell) for cell in row])
    return BOM + stream.getvalue()


def harmless(cell: str) -> str:
    """`cell` as text for any spreadsheet: an apostrophe stands before what would be run."""
    return f"'{cell}" if cell.lstrip(" ").startswith((*FORMULA, "'")) else cell


def harmed(cell: str) -> str:
    """What `harmless` was given."""
    return cell[1:] if cell.startswith("'") and harmless(cell[1:]) == cell else cell


def _row(outgoing: Outgoing, card: Card) -> list[str] | None:
    asked, right = card.question, Text("", "")
    if card.numeric is not None:
        drawn = next(iter(outgoing.draws(card, 1)), None)
        if drawn is None:
            return None
        asked = question(card, drawn)
        right = Text(*(right_value(drawn, card.numeric, language) for language in LANGUAGES))
    pitfall = card.pitfall or Text("", "")
    points = [Text(*(" ".join(side.split()) for side in point.text)) for point in card.key_points]
    return [
        card.id, card.deck, card.area, card.kind, str(card.difficulty),
        " ".join("-".join(tag.split()) for tag in card.tags), " ".join(card.companies),
        *asked, *right, *card.answer, *pitfall,
        *("\n".join(point[n] for point in points) for n in range(len(LANGUAGES))),
        "\n".join(f"{one.title} {one.url}".strip() for one in card.references),
    ]  # fmt: skip
