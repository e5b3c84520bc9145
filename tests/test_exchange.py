"""Cards in and out: what goes out is whole and escaped, what comes in is shown first, taken once, and never hurts."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quiz.card import Card, DeckSummary
from quiz.cli import run
from quiz.deck import parse as parse_deck
from quiz.desk import Desk
from quiz.exchange import anki_templates, table, text_in
from quiz.exchange.anki_history import events as history_events
from quiz.exchange.arrival import Review
from quiz.exchange.drawn import Outgoing
from quiz.exchange.html_in import read_html
from quiz.exchange.own_deck import Entry, make
from quiz.exchange.written import to_html, to_markdown
from quiz.language import Text
from quiz.library import Library, shipped_decks
from quiz.prose import Block, Bullets, Code, Paragraph, Table, parse, plain

SMALL = Path(__file__).parent / "data" / "small.yaml"
NUMERIC = "pipeline-bubble-share"
ALLOWED = {"p", "b", "code", "pre", "ul", "ol", "li", "table", "tr", "th", "td", "a", "small"}


class Ran:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def quiz(new_desk: Callable[..., Desk], capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def call(*arguments: object, **environment: str) -> Ran:
        capsys.readouterr()
        status = run([str(one) for one in arguments], new_desk(**{"QUIZ_LANG": "en", **environment}))
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return call


@pytest.fixture
def own_deck(home: Path) -> None:
    (home / "decks").mkdir(parents=True)
    shutil.copy(SMALL, home / "decks")


@pytest.fixture(scope="module")
def shipped() -> Library:
    return Library.open([shipped_decks()])


def outgoing(library: Library, *names: str) -> Outgoing:
    cards = [library.card(name) for name in names]
    decks = dict.fromkeys(card.deck for card in cards)
    return Outgoing([(library.decks[deck], [c for c in cards if c.deck == deck]) for deck in decks])


def made_of(*cards: Card) -> Outgoing:
    deck = DeckSummary("own", "platform", Text("Own", "自己的"), "", tuple(c.id for c in cards), True)
    return Outgoing([(deck, cards)])


def rows_of(text: str) -> list[dict[str, str]]:
    assert text.startswith("\ufeff")
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


# Out: text that is escaped and whole

PIECES = st.sampled_from(
    ["**", "`", "``", "```", "\n", "\n\n", "- ", "1. ", "| a | b |\n|---|--:|\n| c | d |\n", "<script>", "</p>", "&amp;",
     "[x](y)", "![i](j)", "_a_", "*b*", "~~", "# ", "> ", "\\", "$x$", "[sound:a.mp3]", "{{c1::x}}", "显存", "。", " ",
     "2**30", "a_b", "+", "=", "===", "---", "&#60;", "|", "https://x.y", "<b", "a<b>c", "\t", "…", "'", '"']
)  # fmt: skip
PROSE = st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=14).map("".join)


def words_of(blocks: tuple[Block, ...]) -> str:
    """All that a reader sees of the blocks, white space and the markers of lists aside."""
    parts: list[str] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            parts.append(plain(block.spans))
        elif isinstance(block, Bullets):
            parts += [plain(item.spans) for item in block.items]
        elif isinstance(block, Table):
            parts += [plain(cell) for row in (block.header, *block.rows) for cell in row]
        elif isinstance(block, Code):
            parts += block.lines
    return bare("".join(parts))


def bare(text: str) -> str:
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f\ufeff\ufffd\u2028\u2029]", "", text)


class Seen(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


@given(PROSE)
@settings(max_examples=200, deadline=None)
@example("<script>alert(1)</script> **bold** `a<b`")
def test_html_shows_all_words_and_nothing_else(text: str) -> None:
    text = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text)
    html = to_html(parse(text))
    seen = Seen(html)
    assert bare("".join(seen.text)) == words_of(parse(text))
    assert set(seen.tags) <= ALLOWED
    assert set(seen.attributes) <= {"align", "start"}
    assert "[" not in html
    assert "{{" not in html


@given(PROSE)
@settings(max_examples=200, deadline=None)
@example("1. one\n- two\n\n**结论。**后文 a_b `x|y`")
@example("| a | b |\n|---|---|\n| `x|y` | c\\|d |")
def test_markdown_shows_all_words_to_any_reader(text: str) -> None:
    text = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", "", text)
    blocks = parse(text)
    rendered = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(to_markdown(blocks))
    seen = Seen(rendered)
    assert bare("".join(seen.text)) == words_of(blocks)
    assert not set(seen.tags) & {"script", "img", "a", "h1", "h2", "em", "s", "blockquote", "hr"}


@given(st.text(max_size=30))
@example("=1+1")
@example("'quoted")
@example(" =1")
def test_no_cell_is_a_formula_and_none_is_changed_by_that(text: str) -> None:
    cell = table.harmless(text)
    assert not cell.lstrip(" ").startswith(table.FORMULA)
    assert table.harmed(cell) == text


def test_table_holds_every_card_in_both_languages(shipped: Library) -> None:
    names = [*list(shipped.summaries)[:40], NUMERIC]
    rows = rows_of(table.write(outgoing(shipped, *dict.fromkeys(names))))
    assert {row["id"] for row in rows} == set(names)
    for row in rows:
        card = shipped.card(row["id"])
        cells = {name: table.harmed(cell) for name, cell in row.items()}
        assert (cells["answer_en"], cells["answer_zh"]) == card.answer
        assert cells["references"].count("\n") == max(0, len(card.references) - 1)
        assert bool(cells["right_value_zh"]) == (card.numeric is not None)
        assert "{" not in cells["question_en"] or card.numeric is None


def test_cells_of_a_hostile_card_are_text() -> None:
    card = Card("x", "own", "platform", "concept", Text("=HYPERLINK(1)", "＝1"), Text("+1\n=2", "@a"), tags=("-a b",))
    for row in rows_of(table.write(made_of(card))):
        assert not [cell for cell in row.values() if cell.startswith(table.FORMULA)]


def test_sheets_are_in_the_language_of_the_desk_with_numbers_worked(
    quiz: Callable[..., Ran], tmp_path: Path, shipped: Library
) -> None:
    for language, answer in (("en", "**Answer**"), ("zh", "**答案**")):
        target = tmp_path / f"{language}.md"
        assert quiz("export", target, "--deck", "parallelism", QUIZ_LANG=language).status == 0
        text = target.read_text(encoding="utf-8")
        assert text.count("\n### ") == text.count(answer) == len(shipped.decks["parallelism"].cards)
        assert NUMERIC in text
        assert "{stages}" not in text
        assert "```text\n" in text


def test_drawn_numbers_are_the_same_every_time_and_differ_from_each_other(shipped: Library) -> None:
    cards = outgoing(shipped, NUMERIC)
    draws = cards.draws(shipped.card(NUMERIC), 3)
    assert len(draws) == 3
    assert [d.inputs for d in draws] == [d.inputs for d in cards.draws(shipped.card(NUMERIC), 3)]
    assert all(one.inputs != other.inputs for n, one in enumerate(draws) for other in draws[:n])


def test_selections_are_those_of_a_review(quiz: Callable[..., Ran], tmp_path: Path, shipped: Library) -> None:
    said = quiz("export", tmp_path / "a.csv", "--company", "bytedance", "--tag", "pipeline", "--json").json
    chosen = shipped.select(companies=["bytedance"], tags=["pipeline"])
    assert said["cards"] == len(chosen) > 0
    assert {row["id"] for row in rows_of((tmp_path / "a.csv").read_text(encoding="utf-8"))} == {c.id for c in chosen}
    assert quiz("export", tmp_path / "b.csv", "--deck", "nonsense").status == 2
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["export", "log.jsonl", "--deck", "parallelism"], "--deck"),
        (["export", "x.pdf"], ".apkg"),
        (["import", "x.pdf"], ".apkg"),
        (["import", "log.jsonl", "--history"], "--history"),
        (["import", "x.csv", "--history"], ".apkg"),
    ],
)
def test_what_does_not_go_together_is_told_in_one_line(
    quiz: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if arguments[0] == "import":
        Path(arguments[1]).write_text("front,back\na,b\n", encoding="utf-8")
    for language in ("en", "zh"):
        ran = quiz(*arguments, QUIZ_LANG=language)
        assert ran.status == 2
        assert len(ran.err.strip().splitlines()) == 1
        assert says in ran.err


@pytest.mark.parametrize(("module", "name"), [("genanki", "out.apkg"), ("zstandard", "in.apkg")])
def test_a_missing_extra_is_told_with_what_to_install(
    quiz: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    if name == "in.apkg":
        package(tmp_path / name, b"any", "collection.anki21b")
    ran = quiz("export" if name == "out.apkg" else "import", tmp_path / name)
    assert ran.status == 2
    assert "infra-quiz[anki]" in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert name == "in.apkg" or not (tmp_path / name).exists()


FULL_DISK = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
from quiz.cli import main
main(sys.argv[1:])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits")
@pytest.mark.parametrize("ending", ["csv", "md", "apkg"])
def test_a_full_disk_leaves_nothing_half_written(tmp_path: Path, ending: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "temporary").mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", FULL_DISK, "export", str(tmp_path / "out" / f"all.{ending}")],
        env={
            **os.environ,
            "QUIZ_HOME": str(tmp_path / "home"),
            "TMPDIR": str(tmp_path / "temporary"),
            "QUIZ_LANG": "en",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert len(ran.stderr.strip().splitlines()) == 1, ran.stderr
    assert not [*(tmp_path / "out").iterdir(), *(tmp_path / "temporary").iterdir()]


# In: tables and text


def test_a_table_becomes_a_deck_and_twice_is_once(quiz: Callable[..., Ran], home: Path, tmp_path: Path) -> None:
    source = tmp_path / "My cards.csv"
    source.write_text(
        "tags,Front,Back\nkv cache,What is a KV cache?,Keys and values kept\n,什么是显存？,GPU 的内存\n,only a question,\n",
        encoding="utf-8",
    )
    shown = quiz("import", source)
    assert shown.status == 1
    assert "2 new cards for the deck my-cards" in shown.out
    assert "What is a KV cache? → Keys" in shown.out
    assert "only a question" in shown.out
    assert "--yes" in shown.out
    assert not (home / "decks").exists()
    assert quiz("import", source, "--yes").status == 1
    card = next(c for c in quiz("cards", "--deck", "my-cards", "--json").json["cards"] if c["question"]["en"])
    assert card["tags"] == ["kv", "cache"]
    again = quiz("import", source, "--yes", "--json").json
    assert (again["new"], again["known"], again["done"]) == (0, 2, False)
    assert [path.name for path in (home / "decks").iterdir()] == ["my-cards.yaml"]


def test_new_cards_go_beside_a_deck_that_exists(quiz: Callable[..., Ran], home: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("question;answer\none;1\n", encoding="utf-8")
    quiz("import", source, "--yes")
    before = (home / "decks" / "a.yaml").read_bytes()
    source.write_text("question;answer\none;1\ntwo;2\n", encoding="utf-8")
    assert quiz("import", source, "--yes", "--json").json["decks"] == ["a-2"]
    assert (home / "decks" / "a.yaml").read_bytes() == before
    assert len(quiz("cards", "--deck", "a-2", "--json").json["cards"]) == 1
    assert quiz("import", source, "--as", "kv-cache", "--yes", "--json").json["decks"] == ["kv-cache-2"]
    assert quiz("decks").status == 0
    assert quiz("due").err == ""


def test_undo_removes_the_deck_unless_it_was_changed(quiz: Callable[..., Ran], home: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("正面,背面\n一,1\n", encoding="utf-8")
    quiz("import", source, "--yes")
    deck = home / "decks" / "a.yaml"
    assert deck.exists()
    assert "import" in quiz("undo").out
    assert not deck.exists()
    quiz("import", source, "--yes")
    deck.write_text(deck.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    undone = quiz("undo")
    assert str(deck) in undone.out
    assert deck.exists()
    assert quiz("undo").out.startswith("nothing")
    assert quiz("verify").status == 0


@pytest.mark.parametrize(("typed", "does"), [("y\n", True), ("是\n", True), ("J\n", True), ("n\n", False), ("", False)])
def test_on_a_terminal_it_asks(
    quiz: Callable[..., Ran], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, does: bool
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    (tmp_path / "a.csv").write_text("front,back\n1,2\n", encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    ran = quiz("import", tmp_path / "a.csv")
    assert ran.status == 0
    assert "y/N" in ran.out
    assert (home / "decks" / "a.yaml").exists() == does


def test_the_table_written_here_comes_back_whole(shipped: Library, tmp_path: Path) -> None:
    names = [name for name, card in shipped.summaries.items() if card.kind != "numeric"][:30]
    file = tmp_path / "t.csv"
    file.write_text(table.write(outgoing(shipped, *names)), encoding="utf-8", newline="")
    arrival = text_in.read(file)
    made = make("back", "back", "platform", arrival.entries, (), iter(["back"]))
    assert not arrival.skipped
    read = parse_deck(made.files[0][1].encode(), "back.yaml", own=True)
    assert read.problems == ()
    assert read.deck is not None
    for name, card in zip(names, read.deck.cards, strict=True):
        one = shipped.card(name)
        assert (card.question, card.answer, card.pitfall) == (one.question, one.answer, one.pitfall)
        assert [point.text for point in card.key_points] == [point.text for point in one.key_points]
        assert card.references == one.references
        assert card.difficulty == one.difficulty


def test_a_table_of_cards_that_are_here_brings_nothing_new(quiz: Callable[..., Ran], tmp_path: Path) -> None:
    quiz("export", tmp_path / "all.csv", "--deck", "kv-cache")
    said = quiz("import", tmp_path / "all.csv", "--json").json
    assert said["new"] == 0
    assert said["known"] > 5


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables_of_any_spreadsheet_are_read(tmp_path: Path, encoding: str, separator: str) -> None:
    file = tmp_path / "t.csv"
    rows = [("标签", "题目", "答案"), ("a、b", "显存多大？", '80 GB，"HBM"\n两行'), ("", "二", "三")]
    text = "".join(separator.join('"' + cell.replace('"', '""') + '"' for cell in row) + "\r\n" for row in rows)
    file.write_bytes(text.encode(encoding))
    arrival = text_in.read(file)
    assert [entry.question.pick("zh") for entry in arrival.entries] == ["显存多大？", "二"]
    assert arrival.entries[0].answer.zh == '80 GB，"HBM"\n两行'
    assert arrival.entries[0].tags == ("a", "b")


def test_ankis_text_export_is_read_by_its_headers(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text(
        "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n#tags column:6\n"
        'g1\tBasic\tD\t"What is <b>TP</b>?"\t"split<br>""weights""<img src=""x.png"">"\tpar infra::x\n'
        "g2\tCloze\tD\tThe {{c1::KV}} cache holds {{c2::keys::what?}}\t\t\n"
        "g3\tBasic\tD\t<img src=y.png>\tpicture\t\n",
        encoding="utf-8",
    )
    arrival = text_in.read(file)
    said = {entry.key: (entry.question.en, entry.answer.en, entry.tags) for entry in arrival.entries}
    assert said["g1:0"] == ("What is **TP**?", 'split\n\n"weights"', ("par", "infra::x"))
    assert said["g2:0"][:2] == ("The […] cache holds keys", "The **KV** cache holds keys")
    assert said["g2:1"][:2] == ("The KV cache holds [what?]", "The KV cache holds **keys**")
    assert arrival.media == 2
    assert [why for _, why in arrival.skipped] == ["only_media"]


def test_text_without_headers_is_front_and_back(tmp_path: Path) -> None:
    file = tmp_path / "n.txt"
    file.write_text("a <b>\tb & c\n", encoding="utf-8")
    (entry,) = text_in.read(file).entries
    assert (entry.question.en, entry.answer.en) == ("a <b>", "b & c")


# In: HTML, clozes, templates


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b", "a\n\nb"),
        ("<div>a</div><div>b <b>c</b></div>", "a\n\nb **c**"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n  - c"),
        ("<ol><li>a</li><li>b</li></ol>x", "1. a\n2. b\n\nx"),
        ("<pre>x &lt; 1\n  y</pre>", "```\nx < 1\n  y\n```"),
        ("<code>a`b</code>", "`` a`b ``"),
        ("<table><tr><th>a<th>b<tr><td>1|2<td>3</table>", "| a | b |\n|---|---|\n| 1\\|2 | 3 |"),
        ("<h2>T</h2>x", "**T**\n\nx"),
        ("2<b>3</b>4", "234"),
        ("a&nbsp;&amp;&lt;b&#x663e;", "a &<b显"),
        ("<script>alert(1)</script>x<style>y</style><!-- z -->", "x"),
        ("<p title='a>b' onclick=\"x>y\">t</p>", "t"),
        ("1 < 2 <3", "1 < 2 <3"),
        ("[sound:a.mp3]x", "x"),
        ("&#99999999999999;&#0;x", "\ufffdx"),
    ],
)
def test_html_becomes_the_small_markdown(html: str, text: str) -> None:
    assert read_html(html)[0] == text


TAGS = st.sampled_from(
    ["<", ">", "<b>", "</b>", "<ul>", "<li>", "</ul>", "<table>", "<tr>", "<td>", "</table>", "<pre>", "</pre>", "<!--",
     "-->", "<script>", "</script>", "<a href='", '"', "'", "&#", "&#x", "9" * 5000, ";", "<code>", "</code>", "<br/>",
     "<svg/>", "<h1>", "[sound:", "]", "text ", "`", "|", "\x00", "\n", "{{c1::", "::", "}}"]
)  # fmt: skip


@given(st.lists(st.one_of(TAGS, st.text(max_size=4)), max_size=40).map("".join))
@settings(max_examples=200, deadline=None)
def test_any_html_is_read(html: str) -> None:
    text, media = read_html(html)
    assert media >= 0
    parse(text)
    for number in anki_templates.cloze_numbers(html):
        anki_templates.cloze(html, number, back=True)


@pytest.mark.parametrize(
    "piece",
    ["<div>", "<ul><li>", "<table><tr><td>", "<b>", "<!--", "<a '", "<", "&#9", "<pre>", "<script>", "{{c1::", " ",
     "<b>x</b>", "[sound:", "``", "<svg>", "</"],
)  # fmt: skip
def test_html_of_any_depth_is_read_at_once(piece: str) -> None:
    html = piece * (200_000 // len(piece))
    read_html(html)
    anki_templates.cloze(html, 1, back=False)
    anki_templates.render(html, {"a": html}, card=0, back=True)


def test_templates_show_what_anki_shows() -> None:
    fields = {"Front": "f", "Back": "b", "Empty": "", "Text": "{{c1::x}} {{c2::y}}"}
    assert (
        anki_templates.render("{{Front}}{{#Empty}}no{{/Empty}}{{^Empty}}yes{{/Empty}}", fields, card=0, back=False)
        == "fyes"
    )
    assert anki_templates.render("{{FrontSide}}<hr>{{hint:Back}}{{Gone}}", fields, card=0, back=True) == "<hr>b"
    assert anki_templates.render("{{type:Back}}", fields, card=0, back=False) == ""
    assert anki_templates.render("{{cloze:Text}}", fields, card=1, back=False) == "x […]"
    assert anki_templates.render("{{cloze:Text}}", fields, card=1, back=True) == "x <b>y</b>"


# In: decks


HOSTILE_TEXT = st.one_of(
    st.text(max_size=40), PROSE, st.sampled_from(["\x1b[2J", "\u202e", "\ud800", "\ufeff", "\r", "\\e", "\\N"])
)


@given(
    st.lists(
        st.tuples(
            HOSTILE_TEXT, st.tuples(HOSTILE_TEXT, HOSTILE_TEXT), st.tuples(HOSTILE_TEXT, HOSTILE_TEXT), HOSTILE_TEXT
        ),
        max_size=5,
    ),
    HOSTILE_TEXT,
)
@settings(max_examples=150, deadline=None)
def test_whatever_comes_in_makes_a_sound_deck(entries: list[Any], title: str) -> None:
    made = make(
        "own",
        title,
        "platform",
        [Entry(key, Text(*q), Text(*a), (tag,), Text(tag, ""), (Text(tag, key),)) for key, q, a, tag in entries],
        (),
        (f"own-{n}" for n in range(9)),
    )
    cards = 0
    for name, text in made.files:
        read = parse_deck(text.encode("utf-8"), f"{name}.yaml", own=True)
        assert read.problems == ()
        assert read.deck is not None
        cards += len(read.deck.cards)
    assert cards == len(made.fresh) == len(entries) - len(made.skipped)


def test_a_deck_too_large_for_a_file_goes_into_several() -> None:
    entries = (Entry(str(n), Text(f"question {n} " + "x" * 9000, ""), Text("y" * 9000, "")) for n in range(500))
    made = make("big", "big", "platform", entries, (), (f"big-{n}" for n in range(9)))
    assert len(made.files) > 1
    for name, text in made.files:
        assert parse_deck(text.encode(), name, own=True).problems == ()
    assert len(made.fresh) == 500


# In: hostile files


def package(
    path: Path, data: bytes, name: str = "collection.anki2", *more: str, compress: int = zipfile.ZIP_STORED
) -> Path:
    with zipfile.ZipFile(path, "w", compress) as archive:
        archive.writestr(name, data)
        for one in more:
            archive.writestr(one, b"x")
    return path


def collection(path: Path, *statements: str) -> bytes:
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.executescript(
        "CREATE TABLE col (id, crt, models); CREATE TABLE notes (id INTEGER PRIMARY KEY, guid, mid, tags, flds);"
        "CREATE TABLE cards (id INTEGER PRIMARY KEY, nid, ord); CREATE TABLE revlog (id INTEGER PRIMARY KEY, cid, ease, time, type);"
    )
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()
    return path.read_bytes()


def declared(path: Path, size: int) -> None:
    """The size that the archive's headers name for its first file, set to `size`."""
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        at = data.find(mark) + offset
        data[at : at + 4] = size.to_bytes(4, "little")
    path.write_bytes(data)


def hostile(kind: str, folder: Path) -> Path:
    apkg, text = folder / "x.apkg", folder / "x.csv"
    base = folder / "c.db"
    if kind in ("../evil", "/etc/passwd", "C:\\evil", "a\\..\\b"):
        return package(apkg, collection(base), "collection.anki2", kind)
    if kind == "declared":
        declared(package(apkg, b"x" * 100), 3_000_000_000)
    elif kind == "deflated":
        package(apkg, b"\0" * 60_000_000, compress=zipfile.ZIP_DEFLATED)
    elif kind == "zstandard":
        import zstandard

        package(apkg, zstandard.compress(b"\0" * 60_000_000), "collection.anki21b")
    elif kind == "broken zstandard":
        package(apkg, b"(\xb5/\xfd" + b"x" * 500, "collection.anki21b")
    elif kind == "bzip2":
        package(apkg, b"x", compress=zipfile.ZIP_BZIP2)
    elif kind == "cut":
        package(apkg, collection(base))
        apkg.write_bytes(apkg.read_bytes()[:-30])
    elif kind == "flipped":
        package(apkg, collection(base), compress=zipfile.ZIP_DEFLATED)
        data = bytearray(apkg.read_bytes())
        data[60:200] = bytes(140)
        apkg.write_bytes(data)
    elif kind == "no zip":
        apkg.write_bytes(b"words " * 1000)
    elif kind == "empty":
        apkg.write_bytes(b"")
    elif kind == "no collection":
        package(apkg, b"{}", "media")
    elif kind == "no database":
        package(apkg, b"SQLite format 3\0" + b"\xff" * 5000)
    elif kind == "damaged":
        data = bytearray(
            collection(
                base, *(f"INSERT INTO notes VALUES ({n}, '{n}', 1, '', 'f' || char(31) || 'b')" for n in range(500))
            )
        )
        for at in range(4096, len(data), 13):
            data[at] ^= 0xA5
        package(apkg, bytes(data))
    elif kind == "view":
        package(apkg, collection(base, "DROP TABLE notes", "CREATE VIEW notes AS SELECT 1"))
    elif kind == "generated":
        statement = "CREATE TABLE notes (id INTEGER PRIMARY KEY, guid, mid, tags, x, flds AS (hex(zeroblob(20000000))))"
        package(
            apkg,
            collection(
                base,
                "DROP TABLE notes",
                statement,
                "INSERT INTO notes VALUES (1, 'g', 1, '', 1)",
                "INSERT INTO cards VALUES (1, 1, 0)",
            ),
        )
    elif kind == "many files":
        package(apkg, b"x", "collection.anki2", *map(str, range(66_000)))
    elif kind == "long line":
        with text.open("wb") as stream:
            stream.write(b"front,back\n")
            for _ in range(100):
                stream.write(b"a" * 1_000_000)
    elif kind == "no line end at all":
        text.write_bytes(b"f" * 3_000_000)
    elif kind == "endless record":
        text.write_bytes(b'front,back\n"' + b'a","b\n' * 50_000)
    elif kind == "endless quote":
        text.write_bytes(b'front,back\n"' + b"a,b\n" * 1_000_000)
    elif kind == "many rows":
        text.write_bytes(b"front,back\n" + b"\n" * 200_010)
    elif kind == "nul":
        text.write_bytes(b"front,back\na\0b,c\n")
    elif kind == "binary":
        text.write_bytes(random.Random(1).randbytes(20_000))
    elif kind == "no columns":
        text.write_bytes(b"a,b\n1,2\n")
    elif kind == "empty text":
        text.write_bytes(b"")
    return apkg if apkg.exists() else text


KINDS = [
    "../evil", "/etc/passwd", "C:\\evil", "a\\..\\b", "declared", "deflated", "zstandard", "broken zstandard", "bzip2",
    "cut", "flipped", "no zip", "empty", "no collection", "no database", "damaged", "view", "generated", "many files",
    "long line", "no line end at all", "endless record", "endless quote", "nul", "binary", "no columns", "empty text", "many rows",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_are_refused_with_one_line(
    quiz: Callable[..., Ran], home: Path, tmp_path: Path, kind: str
) -> None:
    source = hostile(kind, tmp_path)
    ran = quiz("import", source, "--yes")
    assert ran.status == 2, ran.out
    assert len(ran.err.strip().splitlines()) == 1
    assert source.name in ran.err
    assert not (home / "decks").exists()
    assert quiz("log", "--json").json["events"] == []


def test_odd_values_in_a_collection_leave_out_their_cards_only(tmp_path: Path, quiz: Callable[..., Ran]) -> None:
    values = [
        ("1", "'g'", "1", "'a b'", "'What?' || char(31) || 'That'"),
        ("2", "x'00ff'", "'x'", "5", "x'ff00'"),
        ("3", "NULL", "NULL", "NULL", "NULL"),
        ("4", "'h'", "9e99", "''", "'q' || char(27) || '[2J' || char(31) || '<script>x</script>a'"),
        ("5", "'i'", "1", "''", "replace(hex(zeroblob(150000)), '0', 'w') || char(31) || 'a'"),
    ]
    data = collection(
        tmp_path / "c.db",
        "INSERT INTO col VALUES (1, 1, '" + "[" * 20_000 + "')",
        *(f"INSERT INTO notes VALUES ({', '.join(row)})" for row in values),
        *(
            f"INSERT INTO cards VALUES ({n}, {n}, {order})"
            for n, order in ((1, 0), (2, "'z'"), (3, "NULL"), (4, 0), (5, 0))
        ),
        "INSERT INTO revlog VALUES (1796000000000, 1, 3, 5000, 1)",
        "INSERT INTO revlog VALUES (-5, 1, 3, 5000, 1)",
        "INSERT INTO revlog VALUES (1796000000001, 1, 'x', 5000, 1)",
        "INSERT INTO revlog VALUES (1796000000002, 1, 0, 5000, 4)",
        "INSERT INTO revlog VALUES (9000000000000000000, 1, 3, 5000, 1)",
    )
    said = quiz("import", package(tmp_path / "odd.apkg", data), "--history", "--yes", "--json").json
    assert said["new"] == 2
    assert sorted(one["why"] for one in said["skipped"]) == ["damaged", "long", "long"]
    assert said["reviews"] == {"new": 1, "known": 0, "other": 4}
    assert quiz("verify").status == 0
    shown = quiz("cards", "--deck", "odd", "--json").json["cards"]
    assert {card["question"]["en"] for card in shown} == {"What?", "q[2J"}


def test_nothing_leaves_the_archive_under_its_own_name(tmp_path: Path, quiz: Callable[..., Ran], home: Path) -> None:
    source = tmp_path / "in" / "x.apkg"
    source.parent.mkdir()
    package(source, collection(tmp_path / "c.db"), "collection.anki2", "../../evil")
    before = {path for path in tmp_path.rglob("*") if home not in path.parents}
    quiz("import", source, "--yes")
    assert {path for path in tmp_path.rglob("*") if home not in path.parents} - {home} == before - {home}


# Reviews


@given(st.lists(st.tuples(st.integers(-(10**19), 10**19), st.integers(1, 4), st.integers(-10, 10**12)), max_size=20))
def test_reviews_become_events_that_come_once(reviews: list[tuple[int, int, int]]) -> None:
    def taken(known: set[str], undone: set[str]) -> Any:
        return history_events(
            [Review(at, "k", ease, ms) for at, ease, ms in reviews],
            {"k": "deck-1"},
            "deck",
            now=1_796_000_000_000,
            offset=lambda at: 28_800,
            rollover=4,
            known=known,
            undone=undone,
        )

    first = taken(set(), set())
    ids = {event.id for event in first.events}
    assert taken(ids, set()).events == []
    assert len(first.events) + first.other == len(reviews)
    assert all(event.grade == {1: 1, 2: 3, 3: 4, 4: 5}[event.detail["ease"]] for event in first.events)
    again = taken(ids, ids)
    assert not {event.id for event in again.events} & ids
    assert len(again.events) == len(first.events)
