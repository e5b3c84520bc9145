"""What an open answer is found to say: in either language, in other words, denied, turned round, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.card import Card, KeyPoint
from quiz.flags import CONTRARY, COPIED, KEYWORDS, LONG, SHORT
from quiz.language import Text
from quiz.quotes import marked, quotes
from quiz.rubric import FOUND, MISSING, OPPOSITE, Rubric
from quiz.terms import Glossary
from quiz.wording import Wording

WORDING = Wording(
    synonyms=(
        ("显存", "GPU memory", "HBM", "VRAM"),
        ("吞吐", "throughput"),
        ("预填充", "prefill"),
        ("解码", "decode"),
        ("访存受限", "memory bound", "bandwidth bound"),
        ("气泡", "bubble"),
        ("激活", "activation"),
    ),
    opposites=(
        (("memory bound", "bandwidth bound", "访存受限"), ("compute bound", "计算受限")),
        (("increase", "grow", "增加"), ("decrease", "shrink", "减少")),
    ),
    rivals=(("prefill", "decode"), ("ZeRO-1", "ZeRO-2", "ZeRO-3")),
)
CARD = Card(
    id="a-card",
    deck="d",
    area="inference",
    kind="concept",
    question=Text("How do the two phases of generation differ?", "生成的两个阶段有什么不同？"),
    answer=Text(
        "Decode is memory bound: each step reads all weights from HBM. Prefill is compute bound. The bubble does not "
        "shrink. ZeRO-1 shards optimizer states, ZeRO-2 also gradients. A ring sends 2(N−1)/N of the data.",
        "解码访存受限，每一步都要从显存读全部权重；预填充计算受限。气泡不会变小。ZeRO-1 切优化器状态，ZeRO-2 还切梯度。ring 每卡发 2(N−1)/N 的数据。",
    ),
    key_points=(
        KeyPoint(Text("Decode is memory bound", "解码访存受限"), (("decode",), ("memory bound", "访存受限"))),
        KeyPoint(
            Text("Every step reads all weights from GPU memory", "每步从显存读全部权重"),
            (("weight", "权重"), ("HBM", "显存")),
        ),
        KeyPoint(
            Text("The bubble does not shrink", "气泡不会变小"),
            (("bubble",), ("shrink", "smaller", "变小")),
        ),
        KeyPoint(
            Text("ZeRO-1 shards optimizer states", "ZeRO-1 切优化器状态"),
            (("ZeRO-1",), ("optimizer", "优化器")),
        ),
        KeyPoint(Text("2(N−1)/N of the data", "2(N−1)/N 的数据"), (("2(N−1)/N",),)),
    ),
)
GLOSSARY = Glossary(WORDING)
RUBRIC = Rubric(CARD, GLOSSARY)
DECODE, WEIGHTS, BUBBLE, ZERO, RING = range(5)


def outcome(answer: str, point: int) -> str:
    return RUBRIC.read(answer).findings[point].outcome


@pytest.mark.parametrize(
    ("answer", "point"),
    [
        ("Decode is memory-bound.", DECODE),
        ("decoding? it's bandwidth bound", DECODE),
        ("解码阶段是访存受限的", DECODE),
        ("decode 阶段是访存受限", DECODE),
        ("Ｄｅｃｏｄｅ ｉｓ ｍｅｍｏｒｙ ｂｏｕｎｄ", DECODE),
        ("um so decode like is basically memory bound you know", DECODE),
        ("Decode\nis\nmemory bound", DECODE),
        ("decode is memroy bound", DECODE),
        ("Every token means fetching the weights again. They come from VRAM.", WEIGHTS),
        ("权重每次都要从 GPU memory 读一遍", WEIGHTS),
        ("the wieghts come out of HBM", WEIGHTS),
        ("The bubble does not get smaller.", BUBBLE),
        ("气泡并没有变小", BUBBLE),
        ("ZeRO-1: optimizer states only", ZERO),
        ("ZeRO 1 把优化器状态切开", ZERO),
        ("each rank sends 2*(n-1)/n times the size", RING),
        ("每卡发 2·(p−1)/p 倍", RING),
    ],
)
def test_a_point_is_found_in_other_words(answer: str, point: int) -> None:
    assert outcome(answer, point) == FOUND


@pytest.mark.parametrize(
    ("answer", "point"),
    [
        ("Decode is not memory bound.", DECODE),
        ("decode 并不是访存受限", DECODE),
        ("Decode is compute bound.", DECODE),
        ("解码是计算受限的", DECODE),
        ("that decode is memory bound is wrong", DECODE),
        ("The bubble shrinks.", BUBBLE),
        ("气泡变小了", BUBBLE),
        ("ZeRO-1 doesn't shard the optimizer", ZERO),
    ],
)
def test_the_contrary_is_never_proposed_and_is_named(answer: str, point: int) -> None:
    assert outcome(answer, point) == OPPOSITE


@pytest.mark.parametrize(
    ("answer", "point"),
    [
        ("", DECODE),
        ("Prefill is memory bound, and decode reads a lot.", DECODE),
        ("prefill 是访存受限，decode 是一步一个 token", DECODE),
        ("ZeRO-1 shards gradients and ZeRO-2 shards the optimizer", ZERO),
        ("ZeRO-1 切梯度，ZeRO-2 切优化器状态", ZERO),
        ("each rank sends (N-1)/N", RING),
        ("the weights are large", WEIGHTS),
    ],
)
def test_what_belongs_to_another_or_is_not_said_is_not_found(answer: str, point: int) -> None:
    assert outcome(answer, point) in (MISSING, OPPOSITE)


def test_not_this_but_that_says_that() -> None:
    assert outcome("Decode isn't compute bound, it is memory bound.", DECODE) == FOUND
    assert outcome("解码不是计算受限，而是访存受限", DECODE) == FOUND


def test_who_says_one_point_the_other_way_round_gets_none_proposed() -> None:
    reading = RUBRIC.read("Decode is memory bound, all weights come from HBM. The bubble shrinks.")
    assert reading.findings[BUBBLE].outcome == OPPOSITE
    assert CONTRARY in reading.flags
    assert not reading.proposed


def test_a_point_alone_has_its_words_close_together() -> None:
    far = "The weights are split, then the batch grows, then the queue is served, then HBM is full."
    assert outcome(far, WEIGHTS) == MISSING
    assert outcome("The weights come, each time, from HBM.", WEIGHTS) == FOUND


def test_the_words_taken_are_those_that_were_typed() -> None:
    answer = "好的：decode 阶段 memroy-bound。"
    reading = RUBRIC.read(answer)
    assert quotes(answer, reading, DECODE) == ("decode", "memroy-bound")
    shown = "".join(span.text for span in marked(answer, reading))
    assert shown == "好的：decode¹ 阶段 memroy-bound¹。"


STUFFED = "decode, memory bound, weights, HBM, bubble, ZeRO-1, optimizer, ring, gradients, prefill"
STUFFED_ZH = "解码、访存受限、权重、显存、气泡、优化器、梯度、预填充、吞吐、激活"


@pytest.mark.parametrize("answer", [STUFFED, STUFFED_ZH, STUFFED.replace(", ", "\n"), STUFFED.replace(", ", " / ")])
def test_a_list_of_keywords_is_flagged_and_proposes_nothing(answer: str) -> None:
    reading = RUBRIC.read(answer)
    assert KEYWORDS in reading.flags
    assert not reading.proposed


def test_a_terse_answer_is_no_list_of_keywords() -> None:
    answer = "Decode: memory bound, all weights read from HBM a step. Bubble doesn't shrink. ZeRO-1 = optimizer only."
    reading = RUBRIC.read(answer)
    assert reading.flags == ()
    assert reading.proposed == {DECODE, WEIGHTS, BUBBLE, ZERO}


def test_flags_of_length_and_of_copying() -> None:
    assert SHORT in RUBRIC.read("memory bound").flags
    assert LONG in RUBRIC.read("the decode step reads every weight " * 200).flags
    assert COPIED in RUBRIC.read(CARD.answer.en).flags
    assert COPIED in RUBRIC.read(CARD.answer.zh).flags
    assert COPIED not in RUBRIC.read("Decode reads all weights from HBM each step, so it is memory bound.").flags


def test_the_cards_own_answer_makes_every_point_in_both_languages() -> None:
    for answer in CARD.answer:
        assert RUBRIC.read(answer).proposed == set(range(5))


WORD = st.sampled_from(
    [
        "decode",
        "prefill",
        "memory",
        "bound",
        "not",
        "不是",
        "解码",
        "访存受限",
        "，",
        "。",
        ".",
        ",",
        ";",
        "but",
        "而是",
        "ZeRO-1",
        "ZeRO-2",
        "optimizer",
        "weights",
        "HBM",
        "显存",
        "2(N-1)/N",
        "气泡",
        "变小",
        "没有",
        "(",
        ")",
        "3.5",
        "%",
        "\n",
        "１",
        "×",
    ]
)


@given(st.one_of(st.text(max_size=120), st.lists(WORD, max_size=25).map(" ".join)))
def test_any_text_is_read_and_every_quote_stands_in_it(answer: str) -> None:
    reading = RUBRIC.read(answer)
    assert len(reading.findings) == len(CARD.key_points)
    for finding in reading.findings:
        assert bool(finding.spans) == (finding.outcome != MISSING)
        for start, end in finding.spans:
            assert 0 <= start < end <= len(answer)
    assert "".join(span.text for span in marked(answer, reading)).translate(
        {ord(c): None for c in "⁰¹²³⁴⁵⁶⁷⁸⁹·"}
    ) == answer.translate({ord(c): None for c in "⁰¹²³⁴⁵⁶⁷⁸⁹·"})


@given(st.lists(WORD, max_size=12).map(" ".join), st.lists(WORD, max_size=12).map(" ".join))
def test_what_stands_in_another_paragraph_far_away_takes_nothing_away(answer: str, more: str) -> None:
    gap = "\n一句话。\n另一句话。\n又一句话。\n还有一句话。\n"
    before = RUBRIC.read(answer)
    after = RUBRIC.read(answer + gap + more)
    if not {KEYWORDS, CONTRARY} & {*after.flags, *before.flags}:
        assert before.proposed <= after.proposed
