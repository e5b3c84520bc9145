"""Answers fall into clauses at the punctuation of both languages, and nowhere inside numbers or formulas."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.clauses import clauses
from quiz.negation import denials, denied


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Decode is memory-bound, prefill is not.", ["Decode is memory-bound,", "prefill is not."]),
        ("解码受带宽限制，预填充受算力限制。", ["解码受带宽限制，", "预填充受算力限制。"]),
        ("At 1,024 tokens it is 3.5 ms.", ["At 1,024 tokens it is 3.5 ms."]),
        ("It moves 2(N-1)/N of S.", ["It moves 2(N-1)/N of S."]),
        ("用 ZeRO-1 而不是 ZeRO-3", ["用 ZeRO-1", "而不是 ZeRO-3"]),
        ("TP inside, PP outside; EP last", ["TP inside,", "PP outside;", "EP last"]),
        ("e.g. NVLink is faster", ["e.g. NVLink is faster"]),
        ("prefill is compute-bound while decode is not", ["prefill is compute-bound", "while decode is not"]),
    ],
)
def test_where_clauses_end(text: str, pieces: list[str]) -> None:
    parts = clauses(text)
    found = [text[slice(*parts.span(n))].strip() for n in range(len(parts.starts))]
    assert found == pieces


def test_sentences_are_counted() -> None:
    assert clauses("One, two. Three; four").sentences == (0, 0, 1, 2)


@given(st.text(alphabet="ab 1,.，。;；:：()（）\n而但是but", max_size=80))
def test_clauses_cover_the_text_in_order(text: str) -> None:
    parts = clauses(text)
    assert parts.starts[0] == 0
    assert list(parts.starts) == sorted(set(parts.starts))
    assert len(parts.sentences) == len(parts.starts)
    assert list(parts.sentences) == sorted(parts.sentences)
    for n, start in enumerate(parts.starts):
        assert parts.at(start) == n


@pytest.mark.parametrize(
    ("text", "word", "is_denied"),
    [
        ("1F1B does not shrink the bubble", "shrink", True),
        ("1F1B doesn't shrink the bubble", "shrink", True),
        ("1F1B shrinks the bubble", "shrink", False),
        ("it is not compute-bound but memory-bound", "memory-bound", False),
        ("it is not compute-bound but memory-bound", "compute-bound", True),
        ("use ring instead of tree", "tree", True),
        ("use ring instead of tree", "ring", False),
        ("not only the weights but the cache", "weights", False),
        ("气泡并不会变小", "变小", True),
        ("这不是访存瓶颈，而是计算瓶颈", "访存瓶颈", True),
        ("这不是访存瓶颈，而是计算瓶颈", "计算瓶颈", False),
        ("不仅省显存", "显存", False),
        ("没有通信", "通信", True),
        ("不是没有通信", "通信", False),
        ("用 GQA 而不是 MHA", "MHA", True),
        ("无论 batch 多大都受带宽限制", "带宽", False),
        ("说 decode 受算力限制是错的", "算力", True),
        ("the claim that decode is compute-bound is wrong", "compute-bound", True),
    ],
)
def test_what_is_denied(text: str, word: str, is_denied: bool) -> None:
    at = text.index(word)
    assert denied((at, at + len(word)), denials(text, clauses(text))) is is_denied
