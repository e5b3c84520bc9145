"""A row of scores in blocks: how it is written, and the running state of its softmax after each block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from quiz.errors import BadInput
from quiz.language import Text

Blocks = Sequence[Sequence[float]]

MASKED = -math.inf
MOST_SCORES = 1000
COMMAS = str.maketrans("，、；−", ",,;-")


@dataclass(frozen=True, slots=True)
class Step:
    """The state after one block: running maximum m, denominator l, output sum o, and the factor that old sums took."""

    maximum: float
    denominator: float
    weighted: float
    rescale: float


def blocks(text: str, name: str) -> list[list[float]]:
    """``1, 2, 3; 4, 5`` as two blocks. BadInput for an empty block or something that is no number."""
    found = []
    for block in text.translate(COMMAS).split(";"):
        try:
            numbers = [float(item) for item in block.split(",")]
        except ValueError as error:
            raise BadInput(
                Text(
                    f"{name}: cannot read a block “{block.strip()}”; write numbers like 1,2,3;4,5",
                    f"{name}：读不懂这一块“{block.strip()}”；请写成 1,2,3;4,5 这样",
                )
            ) from error
        if any(math.isnan(number) or number == math.inf for number in numbers):
            raise BadInput(
                Text(
                    f"{name}: scores are finite numbers, or -inf where masked",
                    f"{name}：分数须为有限数，被掩掉的写 -inf",
                )
            )
        found.append(numbers)
    if sum(map(len, found)) > MOST_SCORES:
        raise BadInput(Text(f"{name}: {MOST_SCORES} numbers at most", f"{name}：最多 {MOST_SCORES} 个数"))
    return found


def online(scores: Blocks, values: Blocks | None = None) -> list[Step]:
    """The state after each block; `weighted` stays 0 without values.

    A block in which everything is masked leaves the state as it is: −∞ − (−∞) would be NaN.
    """
    steps, state = [], Step(MASKED, 0.0, 0.0, 0.0)
    for place, block in enumerate(scores):
        top = max(state.maximum, *block)
        rescale = math.exp(state.maximum - top) if state.maximum > MASKED else 0.0
        weights = [math.exp(score - top) if top > MASKED else 0.0 for score in block]
        added = math.fsum(w * v for w, v in zip(weights, values[place], strict=True)) if values else 0.0
        state = Step(top, rescale * state.denominator + math.fsum(weights), rescale * state.weighted + added, rescale)
        steps.append(state)
    return steps
