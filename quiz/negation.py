"""Which words of an answer are denied: "does not shrink", 不是, 并非, instead of, 而不是, "is wrong".

A cue denies what follows it in its clause, a few words far; the words of a term that holds the cue itself (气泡不变)
are not denied by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quiz.clauses import Clauses

WORDS_FAR = 7
CHARACTERS_FAR = 16

_CUE = re.compile(
    r"""
    \b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|need|must)n['’]?t\b
    | \b(?:not|cannot|never|neither|nor|without|no\ longer|nothing|none|hardly)\b(?!\ (?:only|just|merely|necessarily\ only))
    | \bno\b(?!\.)
    | \b(?:instead\ of|rather\ than|fails?\ to|unlike|wrong(?:ly)?\ to|far\ from)\b
    | 而不是|而非|并不是|并非|并不|并没有|并未|不再|不会|不能|不用|不必|不需要|无需|无法|没有|没法|不是|绝不|从不|别再|谈不上|不像|不去
    | 没(?!错|准)
    | 未(?!来|知|必)
    | (?<![差与和])不(?!仅|只|但|过|管|论|断|错|得不|可避免|同|足|够|大|小|高|低|多|少|均|等|变|稳|定|连续|规则|一致|如|妨|是(?:吗|么)|用说|外乎|对齐|利|平衡|了|住|下|起|到|完|开|动|上|出|掉|着|清|达标)
    | 无(?!论|非|损|状态|关紧要|穷|序|锁|冲突|限|数|效)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# 是不是, 有没有, 能不能 ask; they deny nothing.
_QUESTION = re.compile(r"(是|能|会|要|够|该|可|对|好)不\1|有没有|是否")
_WHOLE_CLAUSE = re.compile(
    r"(?:是错的|是错误的|不对|不成立|是误解|是误区|是假的|说反了|(?:并)?没有?关系|无关|没用|不起作用|没有?(?:影响|帮助|意义|必要)|不重要|不管用|不存在|不可能|不可行|行不通|做不到)"
    r"|\b(?:is|are) (?:wrong|false|incorrect|a myth|irrelevant|useless|impossible|pointless)\b"
    r"|\b(?:do|does|did)(?: not|n['’]?t) (?:matter|help|work|hold|apply|count|exist)\b"
    r"|\b(?:is|are)(?: not|n['’]?t) (?:needed|required|necessary|used|true|the case|involved|possible|allowed|supported|enough)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?:\b(?:than|unlike|versus|vs\.?|from|to|between|like|with|against)(?: the| a| in| on)?|[比像跟和与同]|相比|不同于)\s*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z0-9]+(?:['’.-][A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Denial:
    """A cue at [start, end) that denies up to `reach`, from `begin`."""

    start: int
    end: int
    begin: int
    reach: int


def denials(text: str, parts: Clauses) -> tuple[Denial, ...]:
    found = []
    for cue in _CUE.finditer(text):
        _, until = parts.span(parts.at(cue.start()))
        if _QUESTION.match(text, max(0, cue.start() - 1)) or _QUESTION.match(text, cue.start()):
            continue
        found.append(Denial(cue.start(), cue.end(), cue.end(), min(until, _reach(text, cue.end()))))
    for whole in _WHOLE_CLAUSE.finditer(text):
        begin, _ = parts.span(parts.at(whole.start()))
        found = [one for one in found if not whole.start() <= one.start < whole.end()]
        found.append(Denial(whole.start(), whole.end(), begin, whole.start()))
    return tuple(found)


def denied(span: tuple[int, int], all_denials: Sequence[Denial], own: Sequence[tuple[int, int]] = ()) -> bool:
    """Whether the words at `span` are denied: by an odd number of cues, none of them inside `own` spans or `span`."""
    start, end = span
    return (
        sum(
            one.begin <= start < one.reach
            and not start <= one.start < end
            and not any(a <= one.start < b for a, b in own)
            for one in all_denials
        )
        % 2
        == 1
    )


def only_compared(text: str, at: int) -> bool:
    """Whether what stands at `at` is only compared with: unlike prefill, faster than prefill, 比 prefill."""
    return _COMPARED.search(text[max(0, at - 16) : at]) is not None


def _reach(text: str, start: int) -> int:
    """Where a cue that ends at `start` loses its force: after so many words or Chinese characters."""
    left, at = 1.0, start
    while at < len(text) and left > 0:
        word = _WORD.match(text, at)
        if word:
            left -= 1 / WORDS_FAR
            at = word.end()
        else:
            left -= 1 / CHARACTERS_FAR if "\u4e00" <= text[at] <= "\u9fff" else 0
            at += 1
    return at
