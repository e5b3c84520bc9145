"""A card as lines of plain text: who asks it, the question, the answer with all that belongs to it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from quiz.layout import lay, text_of
from quiz.prose import parse
from quiz.terminal import safe

if TYPE_CHECKING:
    from quiz.card import Card
    from quiz.desk import Desk
    from quiz.draw import Draw
    from quiz.history import Progress
    from quiz.language import Text
    from quiz.rubric import Reading

WIDEST = 76
MARKS = {"correct": "✓", "incorrect": "✗", "unreadable": "?"}


def width() -> int:
    return max(20, min(WIDEST, shutil.get_terminal_size().columns - 1))


def prose_lines(text: str) -> list[str]:
    """Card text laid out for the terminal, without styles."""
    return [safe(text_of(line)).rstrip() for line in lay(parse(text), width())]


def question_lines(desk: Desk, card: Card, asking: Text) -> list[str]:
    """Who asks it, then the question."""
    head = [card.deck, f"{card.difficulty}/3", *desk.library.companies.names(card.companies, desk.language)]
    if card.as_of:
        head.append(desk.say("review.as_of", when=card.as_of))
    return [safe(" · ".join(head)), *prose_lines(desk.words(asking))]


def answer_lines(
    desk: Desk, card: Card, drawn: Draw | None, state: Progress, *, numbered: bool = False, points: bool = True
) -> list[str]:
    """The worked line, the model answer, the pitfall, the key points, the learner's note, the references."""
    lines: list[str] = []
    if drawn is not None and card.numeric is not None:
        from quiz.checking import right_value

        right = right_value(drawn, card.numeric, desk.language)
        lines += [desk.say("review.right_value", value=right), *drawn.worked(card.numeric.asks).splitlines(), ""]
    lines += prose_lines(desk.words(card.answer))
    if card.pitfall:
        lines += ["", *prose_lines(desk.say("review.pitfall", text=desk.words(card.pitfall)))]
    if card.key_points and points:
        lines += ["", desk.say("review.key_points")]
        for n, point in enumerate(card.key_points, 1):
            lines += prose_lines(f"{n}. {desk.words(point.text)}" if numbered else f"- {desk.words(point.text)}")
    if state.note:
        lines += ["", safe(desk.say("review.note", text=state.note))]
    if state.flag is not None:
        lines += ["", safe(desk.say("review.flagged", text=state.flag))]
    if card.references:
        lines += ["", *(safe(f"{r.title}  {r.url}".rstrip()) for r in card.references)]
    return lines


def found_lines(desk: Desk, card: Card, answer: str, reading: Reading) -> list[str]:
    """What was found in an open answer, a key point a line, and what is odd about it."""
    from quiz.quotes import quotes
    from quiz.rubric import FOUND, OPPOSITE

    lines = [f"! {desk.say(f'review.flag_{flag}')}" for flag in reading.flags]
    for n, (point, finding) in enumerate(zip(card.key_points, reading.findings, strict=True)):
        sign = {FOUND: "✓", OPPOSITE: "≠"}.get(finding.outcome, "·")
        lines.append(f"{n + 1} {sign} {desk.words(point.text)}")
        said = desk.say("review.quote_gap").join(quotes(answer, reading, n))
        if finding.outcome == FOUND:
            lines.append("    " + desk.say("review.found_in", quote=said))
        elif finding.outcome == OPPOSITE:
            lines.append("    " + desk.say("review.opposite", quote=said))
    return [safe(line) for line in lines]


def hint_of(desk: Desk, card: Card, drawn: Draw | None) -> str:
    """For a number the formula, for an open question how many points there are and the first of them."""
    if drawn is not None and card.numeric is not None:
        return desk.say("review.hint_formula", formula=drawn.result.formula(card.numeric.asks))
    if not card.key_points:
        return desk.say("review.no_hint")
    first = desk.words(card.key_points[0].text)
    return desk.say("review.hint_point", count=len(card.key_points), point=first)
