"""The small Markdown of cards: what is markup is read as such, everything else stays as it is written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.prose import Bullets, Code, Paragraph, Span, Table, inline, parse, plain


@pytest.mark.parametrize(
    "text",
    ["2*3*4", "[x]", "[/x]", "[@click=app.bell]", "<y>", "a_b_c", "2**30", "x**2 + y**2", "(a)**2 - (b)**2", "** x **", "**",
     "*one*", "_one_", "# not a heading", "> not a quote", "~~x~~", "!", "a ` b", "``", "\\", "1.5 GB", "-5", "a | b", "&amp;"],
)  # fmt: skip
def test_everything_else_is_literal(text: str) -> None:
    (block,) = parse(text)
    assert block == Paragraph((Span(text),))


def test_bold_and_code() -> None:
    assert inline("a **b `c` d** `e` f") == (
        Span("a "),
        Span("b ", "bold"),
        Span("c", "bold code"),
        Span(" d", "bold"),
        Span(" "),
        Span("e", "code"),
        Span(" f"),
    )
    assert inline("**结论**：显存**不**变") == (Span("结论", "bold"), Span("：显存"), Span("不", "bold"), Span("变"))
    assert inline("`**x**` and `a|b` and ``a`b``") == (
        Span("**x**", "code"),
        Span(" and "),
        Span("a|b", "code"),
        Span(" and "),
        Span("a`b", "code"),
    )
    assert inline("**2**30** is big") == (Span("2**30", "bold"), Span(" is big"))


def test_blocks_in_order() -> None:
    text = "One\ntwo\n\nIntro:\n- a\n- b\n\n| h | k |\n|---|--:|\n| 1 | `x|y` |\n\n```python\nx = 1\n\ny\n```\nend"
    blocks = parse(text)
    assert [type(block).__name__ for block in blocks] == [
        "Paragraph",
        "Paragraph",
        "Bullets",
        "Table",
        "Code",
        "Paragraph",
    ]
    assert [block.tight for block in blocks] == [False, False, True, False, False, True]
    assert blocks[0] == Paragraph((Span("One two"),))
    table, code = blocks[3], blocks[4]
    assert isinstance(table, Table)
    assert isinstance(code, Code)
    assert table.right == (False, True)
    assert [plain(cell) for cell in table.rows[0]] == ["1", "x|y"]
    assert code == Code(("x = 1", "", "y"), "python")


def test_lists_nest_once_and_continue() -> None:
    (block,) = parse("1. one\n   more\n   - sub\n   - sub two\n2. two\n\n10. ten")
    assert isinstance(block, Bullets)
    assert [(item.marker, item.level, plain(item.spans)) for item in block.items] == [
        ("1.", 0, "one more"), ("-", 1, "sub"), ("-", 1, "sub two"), ("2.", 0, "two"), ("10.", 0, "ten"),
    ]  # fmt: skip


def test_a_line_end_inside_chinese_is_no_space() -> None:
    assert parse("显存不\n够") == (Paragraph((Span("显存不够"),)),)
    assert parse("显存\nGPU") == (Paragraph((Span("显存 GPU"),)),)


def test_ragged_tables_lose_nothing() -> None:
    (table,) = parse("a | b\n---|---\n1\\|2 | 3 | 4\n5 |")
    assert isinstance(table, Table)
    assert [[plain(cell) for cell in row] for row in table.rows] == [["1|2", "3 | 4"], ["5", ""]]


def test_a_fence_left_open_goes_to_the_end() -> None:
    assert parse("```\na\n- b") == (Code(("a", "- b")),)


MARKUP = set("*`|-:#\\. \n\t0123456789")


@given(st.text("ab中，。(*`|-:\\ \n1.#[", max_size=80))
def test_only_markup_and_white_space_are_dropped(text: str) -> None:
    kept: list[str] = []
    for block in parse(text):
        if isinstance(block, Code):
            kept += [block.language, *block.lines]
        elif isinstance(block, Table):
            kept += [plain(cell) for row in (block.header, *block.rows) for cell in row]
        elif isinstance(block, Bullets):
            kept += [item.marker + plain(item.spans) for item in block.items]
        else:
            kept.append(plain(block.spans))
    written = "".join(c for c in text if c not in MARKUP)
    assert "".join(c for c in "".join(kept) if c not in MARKUP) == written


@given(st.text(max_size=60))
def test_any_text_parses(text: str) -> None:
    parse(text)
