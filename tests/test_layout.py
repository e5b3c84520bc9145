"""Cards laid out for a terminal: no line is too wide, nothing is lost, Chinese breaks where Chinese may."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.cells import cells
from quiz.layout import NO_END, NO_START, lay, text_of, wrap
from quiz.prose import Span, parse, plain


def lines(text: str, width: int) -> list[str]:
    return [text_of(line) for line in lay(parse(text), width)]


def test_cells() -> None:
    assert [cells(text) for text in ("abc", "显存", "，", "·×÷−…", "é", "e\u0301", "👍", "a\u200bb")] == [
        3,
        4,
        2,
        5,
        1,
        1,
        2,
        2,
    ]


def test_english_breaks_at_spaces() -> None:
    assert lines("one two three four", 9) == ["one two", "three", "four"]


def test_a_word_is_cut_only_when_longer_than_a_line() -> None:
    assert lines("an extraordinarily long", 8) == ["an", "extraord", "inarily", "long"]


def test_chinese_breaks_between_characters_but_not_before_a_mark() -> None:
    assert lines("显存不够，要分片。", 10) == ["显存不够，", "要分片。"]
    assert lines("显存不够用，要分片。", 10) == ["显存不够", "用，要分", "片。"]
    assert lines("量化（见下）后", 6) == ["量化", "（见", "下）后"]


def test_latin_inside_chinese_stays_whole() -> None:
    assert lines("每步micro-batch数", 14) == ["每步", "micro-batch数"]
    assert lines("先说清 (p−1)/(m+p−1) 再算", 16) == ["先说清", "(p−1)/(m+p−1) 再", "算"]


def test_a_unit_sign_stays_with_its_number() -> None:
    assert lines("it idles 18 % of it", 11) == ["it idles", "18 % of it"]


def test_lists_hang() -> None:
    assert lines("- one two three\n  - four five six\n10. ten eleven", 12) == [
        "• one two",
        "  three",
        "  – four",
        "    five six",
        "10. ten",
        "    eleven",
    ]


TABLE = "| schedule | 显存 |\n|---|--:|\n| GPipe | m |\n| 1F1B | p |"


def test_a_table_stands_in_columns_where_it_fits() -> None:
    assert lines(TABLE, 20) == ["schedule  显存", "────────  ────", "GPipe        m", "1F1B         p"]


def test_a_table_that_does_not_fit_becomes_rows() -> None:
    assert lines(TABLE, 13) == ["schedule:", "  GPipe", "显存：m", "", "schedule:", "  1F1B", "显存：p"]


def test_code_is_folded_not_reflowed() -> None:
    assert lines("```\nfor  x in y:\n    f(x)\n```", 8) == ["for  x i", "n y:", "    f(x)"]


def test_styles_survive_wrapping() -> None:
    (first, second) = lay(parse("**one two** three"), 7)
    assert first == (Span("one two", "bold"),)
    assert second == (Span("three"),)


def test_blocks_are_apart_unless_tight() -> None:
    assert lines("a\n\nb:\n- c", 10) == ["a", "", "b:", "• c"]


TEXTS = st.text("ab 中文显，。（）「」“”*`12.:;%-|\n/…👍e\u0301", max_size=120) | st.text(max_size=60)


@given(TEXTS, st.integers(4, 90))
def test_no_line_is_wider_than_the_width(text: str, width: int) -> None:
    for line in lay(parse(text), width):
        assert cells(text_of(line)) <= width
        assert "\n" not in text_of(line)


@given(st.text("ab 中文，。（）“”12%-/…👍", max_size=120), st.integers(4, 60))
def test_wrapping_loses_nothing_and_moves_nothing(text: str, width: int) -> None:
    laid = "".join(text_of(line) for line in wrap([Span(text)], width))
    assert re.sub(r"\s", "", laid) == re.sub(r"\s", "", text)


WORDS = st.lists(
    st.sampled_from(
        ["显存", "，", "。", "（", "）", "“", "”", "KV", "batch", " ", "：", "！", "；", "、", "不够", "》", "《"]
    ),
    max_size=40,
)


@given(WORDS, st.integers(16, 60))
def test_no_line_starts_with_a_closing_mark_or_ends_with_an_opening_one(words: list[str], width: int) -> None:
    text = "".join(words)
    # Longer runs of marks than a line can hold have to break somewhere.
    if any(cells(run) > width - 8 for run in re.findall(r"[，。（）“”：！；、》《 ]+", text)):
        return
    out = [text_of(line) for line in wrap([Span(text)], width)]
    assert not [line for line in out[1:] if line and line[0] in NO_START]
    assert not [line for line in out[:-1] if line and line[-1] in NO_END]


@given(
    st.lists(st.sampled_from(["显存", "attention", "KV-cache", "，", "的", " ", "p−1"]), max_size=40),
    st.integers(12, 60),
)
def test_no_latin_word_is_cut(words: list[str], width: int) -> None:
    text = "".join(words)
    if any(cells(run) > width - 2 for run in re.findall(r"[A-Za-z0-9−-]+[， ]*", text)):
        return
    broken = [text_of(line) for line in wrap([Span(text)], width)]
    assert not [(a, b) for a, b in pairwise(broken) if a[-1:].isascii() and b[:1].isascii()
                and a[-1:].isalnum() and b[:1].isalnum() and (a.split(" ")[-1] + b.split(" ")[0]) in text]  # fmt: skip


@given(TEXTS, st.integers(8, 60))
def test_nothing_visible_is_lost(text: str, width: int) -> None:
    """Widths change where lines break, never what is said."""
    narrow = "".join(text_of(line) for line in lay(parse(text), width))
    wide = "".join(text_of(line) for line in lay(parse(text), 400))
    if "|" not in text:
        assert re.sub(r"\s", "", narrow) == re.sub(r"\s", "", wide)


@pytest.mark.parametrize("width", [4, 12, 40, 76])
def test_an_empty_text_is_no_line(width: int) -> None:
    assert lay(parse(""), width) == []
    assert plain(()) == ""
