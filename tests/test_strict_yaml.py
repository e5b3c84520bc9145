"""Deck files are read strictly: what YAML lets pass in silence is a fault with its place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.strict_yaml import Broken, Document, Mapping, Scalar, Sequence, read


def doc(text: str) -> Document:
    return read(text.encode())


def faults(text: str) -> list[tuple[int, int, str]]:
    return [(fault.line, fault.column, fault.text.en) for fault in doc(text).faults]


def value(document: Document, key: str) -> object:
    assert isinstance(document.root, Mapping)
    return next(node for name, node in document.root.entries if name.text == key)


@pytest.mark.parametrize(
    "written", ["1e3", "010", "1:30", "no", "yes", "off", "~", "null", "0x10", "1_000", "2026-11-30", ".inf", "="]
)
def test_no_scalar_is_typed(written: str) -> None:
    document = doc(f"a: {written}\n")
    node = value(document, "a")
    assert not document.faults
    assert isinstance(node, Scalar)
    assert (node.text, node.plain) == (written, True)


def test_quotes_and_blocks_are_not_plain() -> None:
    document = doc("a: '1'\nb: \"1\"\nc: |\n  1\n")
    assert [node.plain for _, node in document.root.entries] == [False, False, False]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, 1, "a is given twice, first on line 1"),
        ("x:\n  - {a: 1, b: 2, a: 3}\n", 2, 18, "a is given twice"),
        ("a: &x 1\n", 1, 4, "anchor &x"),
        ("a: &x [1]\n", 1, 4, "anchor &x"),
        ("a: *x\n", 1, 4, "alias *x"),
        ("<<: *x\n", 1, 5, "alias *x"),
        ("a: !!int 3\n", 1, 4, "tag"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, 4, "tag"),
        ("a: ! x\n", 1, 4, "tag"),
        ("a: 1\n---\nb: 2\n", 2, 1, "second document"),
        ("%YAML 1.1\n---\na: 1\n", 1, 1, "directive"),
        ("? [a]\n: b\n", 1, 3, "key has to be text"),
        ("? {a: b}\n: b\n", 1, 3, "key has to be text"),
        ("a: x\x1b]52;c;eA==\n", 1, 5, "U+001B"),
        ("a: |\n  one\n  tw\u202eo\n", 3, 5, "U+202E"),
        ("a: x\x9by\n", 1, 5, "U+009B"),
        ("a: x\x7fy\n", 1, 5, "U+007F"),
        ("a: x\u2028y\n", 1, 5, "U+2028"),
        ("a: x\x85y\n", 1, 5, "U+0085"),
        ("a: x\ufeffy\n", 1, 5, "U+FEFF"),
        ("a: x\ry\n", 1, 5, "U+000D"),
        ('a: "x\\ey"\n', 1, 6, "U+001B"),
        ('a: "x\\x9by"\n', 1, 6, "U+009B"),
        ('a: "x\\u202ey"\n', 1, 6, "U+202E"),
        ('a: "\\\\e\\0"\n', 1, 8, "U+0000"),
        ('a: "\\N"\n', 1, 5, "U+0085"),
        ('a: "\\P"\n', 1, 5, "U+2029"),
        ('a: "\\r"\n', 1, 5, "U+000D"),
        ('a: "one\n  two \\a"\n', 2, 7, "U+0007"),
        ('"\\e": 1\n', 1, 2, "U+001B"),
        ("a: b: c\n", 1, 5, "colon"),
        ("a: `x`\n", 1, 4, "cannot start"),
        ("a:\n\t- x\n", 2, 1, "cannot start"),
        ('a: "x\n', 2, 1, "never closed"),
        ("- {a: b\n", 2, 1, "not closed"),
        ("- a\nb: c\n", 2, 1, "line up"),
    ],
)
def test_each_fault_has_its_place(text: str, line: int, column: int, words: str) -> None:
    found = faults(text)
    assert [(fault[0], fault[1]) for fault in found] == [(line, column)]
    assert words in found[0][2]


def test_all_faults_are_told_at_once() -> None:
    text = 'a: &x 1\na: *x\nb: !!str 2\nc: "\\e"\nd: x\x1by\ne: [*q, &r z]\n'
    assert [(line, column) for line, column, _ in faults(text)] == [
        (1, 4), (2, 1), (2, 4), (3, 4), (4, 5), (5, 5), (6, 5), (6, 9),
    ]  # fmt: skip


def test_faults_before_a_syntax_error_are_told_too() -> None:
    assert [line for line, _, _ in faults("a: &x 1\nb: [1\nc: d\n")] == [1, 3]


def test_what_is_harmless_stays() -> None:
    text = "a: |\n  tab\there\n  emoji 👍 and 中文\n\nb: don't \\e\nc: '\\e'\n"
    document = doc(text)
    assert not document.faults
    assert value(document, "a").text == "tab\there\nemoji 👍 and 中文\n"
    assert value(document, "c").text == "\\e"


def test_windows_line_ends_and_a_byte_order_mark_are_fine() -> None:
    document = read("\ufeffa: 1\r\nb: |\r\n  x\r\n  y\r\n".encode())
    assert not document.faults
    assert value(document, "b").text == "x\ny\n"


def test_bytes_that_are_not_utf8() -> None:
    document = read("a: 1\nb: 中".encode() + b"\xff\n")
    assert [(f.line, f.column) for f in document.faults] == [(2, 5)]
    assert document.root is None


def test_a_faulty_value_is_broken_and_the_rest_is_read() -> None:
    document = doc('a: "\\e"\nb: 2\n')
    assert isinstance(value(document, "a"), Broken)
    assert value(document, "b").text == "2"


def test_depth_and_size_are_bounded() -> None:
    assert "deeper" in faults("[" * 5000 + "]" * 5000)[0][2]
    assert "MB" in read(b"a" * 5_000_000).faults[0].text.en
    assert len(read(b"\0" * 100_000).faults) < 300


def test_places_of_words_inside_a_block() -> None:
    document = doc("a: |\n  one\n  two three\nb: three\n")
    assert document.locate(value(document, "a").span, "three") == (3, 7)
    assert document.locate(value(document, "b").span, "three") == (4, 4)
    assert document.locate(value(document, "a").span, "absent") == (1, 4)


@given(st.text(max_size=60) | st.text("ab:-[]{}&*!|>\"'\\#%@ \n\t0e", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    document = read(text.encode("utf-8", "surrogatepass"))
    lines = text.count("\n") + 2
    assert all(1 <= fault.line <= lines and fault.column >= 1 for fault in document.faults)
    assert document.root is not None or document.faults or not text.strip() or "#" in text or "-" in text or "." in text


@given(
    st.recursive(
        st.text("ab 中", min_size=1),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", min_size=1), inner, max_size=3),
        max_leaves=8,
    )
)
def test_json_reads_as_itself(data: object) -> None:
    import json

    def back(node: object) -> object:
        if isinstance(node, Scalar):
            return node.text
        if isinstance(node, Sequence):
            return [back(item) for item in node.items]
        assert isinstance(node, Mapping)
        return {key.text: back(item) for key, item in node.entries}

    document = doc(json.dumps(data, ensure_ascii=False))
    assert not document.faults
    assert back(document.root) == data
