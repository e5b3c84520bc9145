"""A deck file becomes cards, or problems with file, line, column, card and field: all of them at once."""

from pathlib import Path

import pytest

from quiz.deck import Loaded, load, parse
from quiz.language import Text

EXAMPLES = Path(__file__).parent / "data" / "examples.yaml"

HEAD = "deck: d\narea: training\ntitle: {en: D, zh: 题}\ncards:\n"
CARD = """\
  - id: c
    kind: concept
    question: {en: Why?, zh: 为什么？}
    answer: {en: So., zh: 因此。}
"""
NUMBER = """\
  - id: c
    kind: numeric
    calculator: pipeline_bubble
    asks: fraction_of_total
    question: {en: How?, zh: 多少？}
    answer: {en: So., zh: 因此。}
"""


def read(text: str) -> Loaded:
    return parse(text.encode(), "d.yaml")


def told(text: str) -> list[str]:
    return [problem.say("en") for problem in read(text).problems]


def one(text: str) -> str:
    problems = told(text)
    assert len(problems) == 1, problems
    return problems[0]


def test_a_whole_deck() -> None:
    loaded = load(EXAMPLES)
    assert loaded.problems == ()
    assert loaded.deck is not None
    share, schedule, own = loaded.deck.cards
    assert (share.deck, share.area, share.line, share.path) == ("examples", "training", 5, str(EXAMPLES))
    assert share.numeric is not None
    assert share.numeric.given == {"stages": (4, 8, 16), "microbatches": (8, 16, 32, 64), "schedule": "gpipe"}
    assert (share.numeric.rtol, share.numeric.unit, share.companies) == (0.01, "%", {"bytedance-seed": 1})
    assert schedule.figures[0].says == Text("17.9 %", "17.9 %")
    assert schedule.key_points[1].terms == (("activation", "激活"), ("bound", "不超过"))
    assert (schedule.as_of, schedule.follow_ups) == ("2026-11", ("idle-share",))
    assert schedule.answer.zh.startswith("**不会")
    assert own.question.en.endswith('"20M" of data?')


def test_the_hash_changes_with_what_is_seen_and_only_with_that() -> None:
    first = read(HEAD + CARD).deck
    moved = read("# a comment\n" + HEAD + CARD + "    tags: [x]\n").deck
    other = read(HEAD + CARD.replace("So.", "Thus.")).deck
    assert first
    assert moved
    assert other
    assert first.cards[0].hash == moved.cards[0].hash != other.cards[0].hash


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "d.yaml:1:1: the file is empty"),
        ("# only a comment\n", "d.yaml:1:1: the file is empty"),
        ("- a\n", "d.yaml:1:1: has to hold keys"),
        (HEAD.replace("training", "trainig") + CARD, "d.yaml:2:7: area: trainig is none of training, inference, hardware, platform; nearest: training"),
        (HEAD.replace("deck: d", "deck: D d") + CARD, "d.yaml:1:7: deck: D d is no id"),
        (HEAD.replace("{en: D, zh: 题}", "D") + CARD, "d.yaml:3:8: title: has to be written by language"),
        (HEAD.replace("area: training\n", "") + CARD, "d.yaml:1:1: area: area is missing"),
        ("titel: x\n" + HEAD + CARD, "d.yaml:1:1: titel: unknown key titel; nearest: title"),
        (HEAD.replace("cards:\n", "cards: []\n"), "d.yaml:4:8: cards: the list is empty"),
        (HEAD + "  - x\n", "d.yaml:5:5: cards[0]: has to hold keys"),
        (HEAD + CARD + "    anwser: x\n", "d.yaml:9:5: c: anwser: unknown key anwser; nearest: answer"),
        (HEAD + CARD + "    id: d\n", "d.yaml:9:5: c: id is given twice, first on line 5"),
        (HEAD + CARD.replace("    kind: concept\n", ""), "d.yaml:5:5: c: kind: kind is missing"),
        (HEAD + CARD.replace("kind: concept", "kind: concpt"), "d.yaml:6:11: c: kind: concpt is none of numeric, concept, design, code, experience; nearest: concept"),
        (HEAD + CARD.replace("id: c", "id: Sí"), "d.yaml:5:9: Sí: id: Sí is no id"),
        (HEAD + CARD.replace("id: c", "id: " + "x" * 81), "is no id"),
        (HEAD + CARD.replace("{en: Why?, zh: 为什么？}", "Why?"), "d.yaml:7:15: c: question: has to be written by language"),
        (HEAD + CARD.replace("{en: Why?, zh: 为什么？}", "{}"), "d.yaml:7:15: c: question: has to hold en, zh or both"),
        (HEAD + CARD.replace("en: Why?", "en: ' '"), "d.yaml:7:20: c: question.en: is empty"),
        (HEAD + CARD.replace("zh: 为什么？", "zh: [x]"), "d.yaml:7:30: c: question.zh: has to be text"),
        (HEAD + CARD.replace("en: So.", "en: so, and"), "d.yaml:8:22: c: answer.and: and reads as a key without a value"),
        (HEAD + CARD.replace("zh: 因此。", "fr: x"), "d.yaml:8:23: c: answer.fr: unknown key fr"),
        (HEAD + CARD + "    difficulty: 4\n", "d.yaml:9:17: c: difficulty: 4 has to be a whole number from 1 to 3"),
        (HEAD + CARD + "    difficulty: 02\n", "d.yaml:9:17: c: difficulty: 02 has to be"),
        (HEAD + CARD + "    difficulty: 2.0\n", "d.yaml:9:17: c: difficulty: 2.0 has to be"),
        (HEAD + CARD + "    sources: [bank 1]\n", "d.yaml:9:15: c: sources[0]: bank 1 is no source id"),
        (HEAD + CARD + "    sources: [bank:1, bank:1]\n", "d.yaml:9:23: c: sources[1]: bank:1 stands here twice"),
        (HEAD + CARD + "    sources: bank:1\n", "d.yaml:9:14: c: sources: has to be a list"),
        (HEAD + CARD + "    companies: {baidu: 0}\n", "d.yaml:9:24: c: companies.baidu: 0 has to be"),
        (HEAD + CARD + "    companies: {baidu: 1, baidu: 2}\n", "d.yaml:9:27: c: baidu is given twice"),
        (HEAD + CARD + "    roles: [cook]\n", "d.yaml:9:13: c: roles[0]: cook is none of algorithm, cpp, backend, product"),
        (HEAD + CARD + "    as_of: 2026-13\n", "d.yaml:9:12: c: as_of: 2026-13 is no date"),
        (HEAD + CARD + "    references: [{url: 'https://x.org'}]\n", "d.yaml:9:18: c: references[0].title: title is missing"),
        (HEAD + CARD + "    references: [{title: X, url: 'javascript:x'}]\n", "d.yaml:9:34: c: references[0].url: javascript:x is no"),
        (HEAD + CARD + "    key_points: [{en: x, zh: y, terms: [a]}]\n", "d.yaml:9:41: c: key_points[0].terms[0]: has to be a list"),
        (HEAD + CARD + "    key_points: [{en: x, zh: y, terms: [[]]}]\n", "d.yaml:9:41: c: key_points[0].terms[0]: the list is empty"),
        (HEAD + CARD + "    key_points: [{en: x, zh: y, term: [[a]]}]\n", "d.yaml:9:33: c: key_points[0].term: unknown key term; nearest: terms"),
        (HEAD + CARD + "    figures: [{says: 1, calculator: x, output: y}]\n", "d.yaml:9:15: c: figures[0].given: given is missing"),
        (HEAD + CARD + "    asks: x\n", "d.yaml:9:11: c: asks: asks belongs to numeric cards only"),
        (HEAD + NUMBER.replace("    asks: fraction_of_total\n", ""), "d.yaml:5:5: c: asks: asks is missing"),
        (HEAD + NUMBER + "    given: {stages: 010}\n", "d.yaml:11:21: c: given.stages: 010 has a leading 0, which some read as octal: write 10"),
        (HEAD + NUMBER + "    given: {stages: []}\n", "d.yaml:11:21: c: given.stages: the list is empty"),
        (HEAD + NUMBER + "    given: [4]\n", "d.yaml:11:12: c: given: has to hold keys"),
        (HEAD + NUMBER + "    draws: [{stages: 4, stages: 8}]\n", "d.yaml:11:25: c: stages is given twice"),
        (HEAD + NUMBER + "    rtol: 1 %\n", "d.yaml:11:11: c: rtol: 1 % has to be a number from 0 to 0.5"),
        (HEAD + NUMBER + "    rtol: 2\n", "d.yaml:11:11: c: rtol: 2 has to be a number from 0 to 0.5"),
        (HEAD + CARD + CARD, "d.yaml:9:9: c: id: c is already the id of a card at d.yaml:5"),
        (HEAD + CARD + "    tags: [&a x]\n", "d.yaml:9:12: c: anchor &a"),
        (HEAD + CARD.replace("So.", '"x\\ey"'), "d.yaml:8:20: c: control or bidirectional character U+001B"),
    ],
)  # fmt: skip
def test_each_fault_is_told_with_its_place(text: str, problem: str) -> None:
    assert problem in one(text)


def test_all_faults_at_once() -> None:
    text = (
        HEAD.replace("training", "trainig")
        + CARD.replace("kind", "knd")
        + "    difficulty: 9\n    as_of: soon\n"
        + CARD.replace("id: c", "id: C")
    )
    assert [problem.split(": ")[0] for problem in told(text)] == [
        "d.yaml:2:7", "d.yaml:5:5", "d.yaml:6:5", "d.yaml:9:17", "d.yaml:10:12", "d.yaml:11:9",
    ]  # fmt: skip


def test_problems_read_in_chinese_too() -> None:
    (problem,) = read(HEAD + CARD + "    difficulty: 9\n").problems
    assert problem.say("zh") == "d.yaml:9:17: c: difficulty: 9 应为 1 到 3 的整数，不带前导 0"


def test_a_faulty_card_does_not_take_the_others_with_it() -> None:
    loaded = read(HEAD + CARD + CARD.replace("id: c", "id: e").replace("concept", "concpt"))
    assert loaded.deck is not None
    assert [card.id for card in loaded.deck.cards] == ["c"]
    assert [(card.card.id, card.whole) for card in loaded.read] == [("c", True), ("e", False)]


def test_a_card_with_a_duplicate_key_is_left_out() -> None:
    loaded = read(HEAD + CARD + "    kind: code\n")
    assert loaded.deck is not None
    assert loaded.deck.cards == ()


def test_one_language_and_no_sources_are_enough_to_be_read() -> None:
    loaded = read(
        "deck: d\narea: platform\ntitle: {zh: 题}\ncards:\n" + CARD.replace("en: Why?, ", "").replace("en: So., ", "")
    )
    assert loaded.problems == ()
    assert loaded.deck is not None
    assert loaded.deck.cards[0].question == Text("", "为什么？")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e3", 1000),
        ("1.0e-9", 1e-9),
        ("9.9e9", 9_900_000_000),
        ("0.4", 0.4),
        ("-5", -5),
        ("1:30", "1:30"),
        ("no", "no"),
        ("true", "true"),
        ("'8'", "8"),
        ("3.35 TB/s", "3.35 TB/s"),
        ("llama-3-70b", "llama-3-70b"),
        ("0x400", "0x400"),
        ("1e400", None),
        (".inf", ".inf"),
    ],
)
def test_inputs_are_numbers_only_where_written_as_such(written: str, value: object) -> None:
    loaded = read(HEAD + NUMBER + f"    given: {{stages: {written}}}\n")
    numeric = loaded.read[0].card.numeric
    assert numeric is not None
    assert numeric.given.get("stages") == value
    assert type(numeric.given.get("stages")) is type(value)
    assert bool(loaded.problems) == (value is None)


def test_companies_as_a_list_count_once_each() -> None:
    loaded = read(HEAD + CARD + "    companies: [jd, baidu]\n")
    assert loaded.read[0].card.companies == {"jd": 1, "baidu": 1}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (problem,) = load(tmp_path / "none.yaml").problems
    assert "cannot be read" in problem.text.en
    (problem,) = load(tmp_path).problems
    assert "cannot be read" in problem.text.en
