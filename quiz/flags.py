"""What is odd about an open answer as a whole: a list of keywords, a copy of the card's answer, far too short or long."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quiz.cells import wide

KEYWORDS, COPIED, SHORT, LONG, CONTRARY = "keywords", "copied", "short", "long", "contrary"

FEWEST_UNITS = 8
MOST_UNITS = 900
RUN = 13
COPIED_SHARE = 0.5
FEWEST_IN_LIST = 8
# Words in a bare item; two Chinese characters count as one.
MOST_IN_ITEM = 3
BARE_SHARE = 0.66

_UNIT = re.compile(r"[A-Za-z0-9]+(?:[.'’-][A-Za-z0-9]+)*|[\u4e00-\u9fff]")
_ITEM = re.compile(r"[,，、;；/\n\t]+|\s{2,}|\s+-\s+")
_RELATION = re.compile(r"[=<>≈≤≥→:：~≠]|\d\s?(?:%|[A-Za-z]|倍|字节)")
# What a statement has and a noun has not: verbs and small words.
_STATING = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|could|will|would|should|must|need|needs|not|n't|the|a|an"
    r"|that|which|because|so|if|when|then|it|its|they|them|there|we|you|i|this|these|each|only|more|less|than|as|to|by"
    r"|with|from|into|gets?|goes|go|makes?|keeps?|reads?|takes?|uses?|holds?|grows?|means|costs?)\b"
    r"|[是的了在会把被让要能就都也才还再只每]|不|没|因为|所以|如果|需要|可以|变|用|由|等于|减少|增加|占|存|读|算|放|跟|随",
    re.IGNORECASE,
)


def flags(answer: str, model_answers: Sequence[str]) -> tuple[str, ...]:
    """The flags of `answer`, in a fixed order."""
    units = _UNIT.findall(answer.casefold())
    found = []
    if _is_list(answer):
        found.append(KEYWORDS)
    if any(_copied(units, model) for model in model_answers):
        found.append(COPIED)
    if len(units) < FEWEST_UNITS:
        found.append(SHORT)
    if len(units) > MOST_UNITS:
        found.append(LONG)
    return tuple(found)


def _is_list(answer: str) -> bool:
    """Whether most of it are names set side by side, with nothing said of them."""
    items = [item for item in _ITEM.split(answer) if item.strip()]
    if len(items) < FEWEST_IN_LIST:
        return False
    return sum(_is_bare(item) for item in items) >= BARE_SHARE * len(items)


def _is_bare(item: str) -> bool:
    """Whether an item is a name of a few words, not a statement, an equation or a figure with what it is."""
    words = sum(0.5 if wide(unit[0]) else 1 for unit in _UNIT.findall(item))
    return words <= MOST_IN_ITEM and not _STATING.search(item) and not _RELATION.search(item)


def _copied(units: Sequence[str], model: str) -> bool:
    """Whether half of the answer are runs of 13 words or more that stand in the card's answer."""
    if len(units) < RUN:
        return False
    own = _UNIT.findall(model.casefold())
    runs = {tuple(own[n : n + RUN]) for n in range(len(own) - RUN + 1)}
    covered: set[int] = set()
    for n in range(len(units) - RUN + 1):
        if tuple(units[n : n + RUN]) in runs:
            covered.update(range(n, n + RUN))
    return len(covered) >= COPIED_SHARE * len(units)
