"""An open answer with the words marked that its key points were found in: bold, and the points' numbers behind them."""

from __future__ import annotations

from quiz.prose import BOLD, Span
from quiz.rubric import MISSING, Reading

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def marked(answer: str, reading: Reading) -> tuple[Span, ...]:
    """`answer` in spans. Words that serve several points are marked once, with all their numbers (from 1)."""
    points: list[set[int]] = [set() for _ in answer]
    for number, finding in enumerate(reading.findings, 1):
        if finding.outcome != MISSING:
            for start, end in finding.spans:
                for at in range(start, min(end, len(answer))):
                    points[at].add(number)
    spans: list[Span] = []
    start = 0
    for at in range(1, len(answer) + 1):
        if at < len(answer) and points[at] == points[start]:
            continue
        piece, numbers = answer[start:at], points[start]
        if numbers:
            raised = "·".join(str(n).translate(_RAISED) for n in sorted(numbers))
            spans.append(Span(piece + raised, BOLD))
        elif piece:
            spans.append(Span(piece))
        start = at
    return tuple(spans)


def quotes(answer: str, reading: Reading, point: int) -> tuple[str, ...]:
    """The words of `answer` that point number `point` (from 0) rests on, in order."""
    return tuple(" ".join(answer[start:end].split()) for start, end in reading.findings[point].spans)
