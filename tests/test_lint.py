"""Lint finds everything that is wrong in decks, all of it at once, each with file, line, column, card and field."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz import registers
from quiz.deck import parse
from quiz.library import shipped_decks
from quiz.lint import World, lint_deck, lint_paths
from quiz.lint.numbers import steps
from quiz.problem import Problem
from quiz.terms import Glossary

EXAMPLES = Path(__file__).parent / "data" / "examples.yaml"

SHARED = registers.load(shipped_decks())
WORLD = World(SHARED, {"idle-share": "d.yaml:5"}, {}, Glossary(SHARED.glossary), strict=True)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A collection like the shipped one, with the examples as its only deck."""
    (tmp_path / "training").mkdir()
    for name in ("companies", "sources", "glossary", "retired"):
        shutil.copy(shipped_decks() / f"{name}.yaml", tmp_path)
    shutil.copy(EXAMPLES, tmp_path / "training")
    return tmp_path


def change(home: Path, old: str, new: str, *, file: str = "training/examples.yaml", count: int = 1) -> None:
    path = home / file
    text = path.read_text(encoding="utf-8")
    assert old in text, old
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def place(home: Path, words: str, *, file: str = "training/examples.yaml") -> str:
    """file:line:column of the first place where `words` stand."""
    for number, line in enumerate((home / file).read_text(encoding="utf-8").splitlines(), start=1):
        if words in line:
            return f"{home / file}:{number}:{line.index(words) + 1}"
    raise AssertionError(words)


def told(home: Path, severity: str = "error") -> list[str]:
    return [problem.say("en") for problem in lint_paths([home]) if problem.severity == severity]


def one(home: Path) -> str:
    problems = told(home)
    assert len(problems) == 1, problems
    return problems[0]


def test_nothing_is_wrong_with_the_examples(home: Path) -> None:
    assert lint_paths([home]) == []


@pytest.mark.parametrize(
    ("old", "new", "words", "problem"),
    [
        ("calculator: pipeline_bubble\n", "calculator: pipeline_bubbel\n", "pipeline_bubbel", "idle-share: calculator: no calculator pipeline_bubbel; near it: pipeline_bubble"),
        ("asks: fraction_of_total", "asks: fraction_of_totl", "fraction_of_totl", "idle-share: asks: pipeline_bubble has no output fraction_of_totl"),
        ("given: {stages: [4", "given: {stage: [4", "[4", "idle-share: given.stage: pipeline_bubble has no input stage"),
        ("schedule: gpipe}\n    unit", "schedule: gpip}\n    unit", "gpip}", "idle-share: given.schedule: schedule cannot be gpip; it can be: gpipe, 1f1b, interleaved"),
        ("[8, 16, 32, 64]", "[8, 0, 32, 64]", "0, 32", "idle-share: given.microbatches[1]: microbatches is 0, but has to lie between 1"),
        ("[8, 16, 32, 64]", "[8, 1:30, 32, 64]", "1:30", "idle-share: given.microbatches[1]: microbatches: cannot read 1:30"),
        ("[8, 16, 32, 64]", "[8, 8.5, 32, 64]", "8.5", "idle-share: given.microbatches[1]: microbatches is 8.5, but has to be a whole number"),
        ("GPipe on {stages}", "GPipe on {stags}, {stages}", "{stags}", "idle-share: question.en: {stags} is none of the inputs: chunks, microbatches, schedule, stages"),
        ("GPipe，{stages} 个", "GPipe，几个", "GPipe，几", "idle-share: question.zh: stages is drawn, but the zh question does not show {stages}"),
        ("stages: [4, 8, 16], microbatches: [8, 16, 32, 64]", "stages: [4, 8], microbatches: [2000, 4000]", "{stages: [4, 8]", "idle-share: given: draws run out (100 of 100 seeds)"),
        ("[8, 16, 32, 64], schedule: gpipe}", "[8, 6], schedule: interleaved, chunks: 2}", "{stages: [4", "idle-share: given: with stages=4, microbatches=6, schedule=interleaved, chunks=2: "),
        ("{bytedance-seed: 1}", "{bytedance-sed: 1}", "bytedance-sed", "idle-share: companies: no company bytedance-sed; near it: bytedance-seed"),
        ("{bytedance-seed: 1}", "{bytedance-seed: 2}", "{bytedance-seed: 2}", "idle-share: companies: its sources are asked by {bytedance-seed: 1}, the card says {bytedance-seed: 2}"),
        ("[handbook:28, bank:82]", "[handbook:28, bank:8200]", "bank:8200", "idle-share: sources: no source bank:8200; near it: bank:200"),
        ("follow_ups: [idle-share]", "follow_ups: [idle-shares]", "idle-shares", "schedule-and-bubble: follow_ups: no card idle-shares; near it: idle-share"),
        ("follow_ups: [idle-share]", "follow_ups: [schedule-and-bubble]", "schedule-and-bubble]", "schedule-and-bubble: follow_ups[0]: a card cannot follow itself"),
        ("more micro-batches make", "$O(n_1)$ more micro-batches make", "$O(n_1)$", "schedule-and-bubble: answer.en: LaTeX ($O(n_1)$)"),
        ("多切 micro-batch 才", "\\frac{1}{2} 多切 micro-batch 才", "\\frac", "schedule-and-bubble: answer.zh: LaTeX (\\frac)"),
        ("more micro-batches make", "10^{3} more micro-batches make", "^{3}", "schedule-and-bubble: answer.en: LaTeX (^{3})"),
        ("[[bubble is unchanged, same bubble, 气泡不变]]", "[[same bubble, 气泡不变]]", "[same bubble", "schedule-and-bubble: key_points[0].terms[0]: the en answer has none of: same bubble, 气泡不变"),
        ("[[activation, 激活], [bound, 不超过]]", "[[activation, 激活], [bound, 没有]]", "[bound", "schedule-and-bubble: key_points[1].terms[1]: the zh answer has none of: bound, 没有"),
        (", terms: [[MFU], [hours, 小时]]", "", "{en: Five", "own-numbers: key_points[0].terms: a key point without terms"),
        ("      - {en: They agree, zh: 对得上, terms: [[agree, 验算]]}\n", "", "- {en: Five", "own-numbers: key_points: 2 key points, should be 3 to 7"),
        ("{en: They agree, zh: 对得上,", "{en: They agree,", "{en: They", "own-numbers: key_points[1].zh: zh is missing"),
        ("      zh: 从 GPipe 换到 1F1B，气泡会变小吗？\n", "", "en: Does a", "schedule-and-bubble: question.zh: zh is missing"),
        ("title: {en: Examples, zh: 示例}", "title: {en: Examples}", "{en: Examples}", "title.zh: zh is missing"),
        ("area: training", "area: platform", "platform", "area: a deck of platform lies in the folder training"),
        ("calculator: pipeline_bubble, given", "calculator: bubble, given", "bubble, given", "schedule-and-bubble: figures[0].calculator: no calculator bubble"),
        ("output: fraction_of_total}", "output: fraction}", "fraction}", "schedule-and-bubble: figures[0].output: pipeline_bubble has no output fraction"),
        ("given: {stages: 8, microbatches: 32, schedule: gpipe}, out", "given: {stages: 8, microbatches: 32, chunk: 1}, out", "1}, out", "schedule-and-bubble: figures[0].given.chunk: pipeline_bubble has no input chunk"),
        ("given: {stages: 8, microbatches: 32, schedule: gpipe}, out", "given: {stages: 8}, out", "{stages: 8}", "schedule-and-bubble: figures[0].given: pipeline_bubble needs microbatches"),
        ("a stage idles 17.9 %", "a stage idles 18 %", '"17.9 %"', "schedule-and-bubble: figures[0].says: 17.9 % does not stand in the en answer"),
        ("空闲占整步的 17.9%", "空闲占整步的 117.9%", '"17.9 %"', "schedule-and-bubble: figures[0].says: 17.9 % does not stand in the zh answer"),
    ],
)  # fmt: skip
def test_each_fault_is_told_with_its_place(home: Path, old: str, new: str, words: str, problem: str) -> None:
    change(home, old, new)
    # A list's place is that of its first item's dash, a flow collection's that of its bracket.
    assert any(line.startswith(f"{place(home, words)}: {problem}") for line in told(home)), told(home)


@pytest.mark.parametrize(
    ("says", "answer", "fault"),
    [
        ("17.9 %", "17.9 %", ""),
        ("17.9%", "17.9 %", ""),
        ("18 %", "18 %", ""),
        ("0.179", "0.179", ""),
        ("17.95 %", "17.95 %", ""),
        ("17.94 %", "17.94 %", "17.94 %, but pipeline_bubble gives 0.179487"),
        ("17.8 %", "17.8 %", "17.8 %, but pipeline_bubble gives 0.179487"),
        ("18.0 %", "18.0 %", "18.0 %, but"),
        ("18 GB", "18 GB", "18 GB, but"),
        ("about eighteen", "about eighteen", "about eighteen cannot be read"),
    ],
)
def test_figures_are_computed_and_rounded_as_written(home: Path, says: str, answer: str, fault: str) -> None:
    change(home, 'says: "17.9 %"', f'says: "{says}"')
    change(home, "idles 17.9 %", f"idles {answer}")
    change(home, "整步的 17.9%", f"整步的 {answer}")
    problems = told(home)
    assert (not fault and not problems) or any(fault in problem for problem in problems)


def test_a_figure_may_be_written_by_language(home: Path) -> None:
    change(home, 'says: "17.9 %"', 'says: {en: "17.9 %", zh: "百分之 17.9"}')
    change(home, "整步的 17.9%", "整步的百分之 17.9")
    assert told(home) == []


def test_steps_of_the_last_digit() -> None:
    assert steps("17.9 %") == ["0.1 %"]
    assert steps("18 %") == ["1 %"]
    assert steps("0.125") == ["0.001"]
    assert steps("1,200 GB") == ["1 GB", "10 GB", "100 GB"]
    assert steps("600 GB") == ["1 GB", "10 GB"]
    assert steps("9,900,000,256") == ["1"]
    assert steps("4.2·10²⁰ FLOP") == ["0.1·10²⁰ FLOP"]


@pytest.mark.parametrize(
    "text",
    [
        "it costs $2 against $3 an hour",
        "in `$HOME` and `\\frac`",
        "```\n        echo $x $y_z\n        ```",
        "2·(N−1)/N·S and 10⁻³",
        "a_b and x^2",
        "\\n",
    ],
)
def test_what_is_no_latex(home: Path, text: str) -> None:
    change(home, "more micro-batches make", f"{text} more micro-batches make")
    assert told(home) == []


def test_all_faults_at_once_and_in_order(home: Path) -> None:
    change(home, "{bytedance-seed: 1}", "{bytedance: 1}")
    change(home, "difficulty: 2", "difficulty: 5")
    change(home, "follow_ups: [idle-share]", "follow_ups: [nothing]")
    change(home, "same bubble, 气泡不变", "气泡不变了")
    change(home, "bubble is unchanged, ", "")
    problems = lint_paths([home])
    assert [p.line for p in problems] == sorted(p.line for p in problems)
    assert {p.field for p in problems} >= {"difficulty", "follow_ups", "key_points[0].terms[0]"}


def test_ids_over_all_decks(home: Path) -> None:
    text = EXAMPLES.read_text(encoding="utf-8").replace("deck: examples", "deck: more")
    (home / "training" / "more.yaml").write_text(text, encoding="utf-8")
    assert told(home) == [
        f"{place(home, name, file='training/more.yaml')}: {name}: id: {name} is already the id of a card at "
        f"{home}/training/examples.yaml:{line}"
        for name, line in (("idle-share", 5), ("schedule-and-bubble", 23), ("own-numbers", 67))
    ]


def test_a_deck_may_not_take_anothers_name(home: Path) -> None:
    text = EXAMPLES.read_text(encoding="utf-8")
    for name in ("idle-share", "schedule-and-bubble", "own-numbers"):
        text = text.replace(name, f"{name}-too")
    (home / "training" / "more.yaml").write_text(text, encoding="utf-8")
    assert (
        f"{home}/training/more.yaml:1:7: deck: examples is already the deck at {home}/training/examples.yaml:1"
        in one(home)
    )


def test_retired_ids(home: Path) -> None:
    (home / "retired.yaml").write_text(
        "retired:\n  idle-share: {now: schedule-and-bubble}\n  gone: {why: wrong}\n  old: {now: nowhere}\n"
    )
    problems = told(home)
    assert (
        f"{home}/training/examples.yaml:5:9: idle-share: id: idle-share is on the register of retired ids, schedule-and-bubble took its place"
        in problems
    )
    assert (
        f"{home}/retired.yaml:2:15: idle-share: retired, but still the id of the card at {home}/training/examples.yaml:5"
        in problems
    )
    assert any(f"{home}/retired.yaml:4:8: old: now: no card nowhere" in problem for problem in problems)
    assert len(problems) == 3


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        ("sources.yaml", "area: training", "area: trainig", "area: trainig is none of"),
        ("sources.yaml", "[jd, pinduoduo", "[jdd, pinduoduo", "no company jdd; near it: jd"),
        ("sources.yaml", "role: cpp", "role: c", "role: c is none of algorithm"),
        ("companies.yaml", "parent: baidu", "parent: baidoo", "no company baidoo; near it: baidu"),
        ("companies.yaml", "id: kunlunxin", "id: baidu", "baidu stands here twice"),
        ("companies.yaml", "aliases: [PDD", "aliases: [JD, PDD", "JD already means jd"),
        ("companies.yaml", "en: Baidu,", "n: Baidu,", "unknown key n; nearest: en"),
        ("glossary.yaml", "synonyms:", "synonym:", "unknown key synonym; nearest: synonyms"),
    ],
)
def test_registers_are_checked_too(home: Path, file: str, old: str, new: str, problem: str) -> None:
    change(home, old, new, file=file)
    assert any(f"{home / file}:" in line and problem in line for line in told(home)), told(home)


OWN = """\
deck: mine
area: platform
title: {en: Mine}
cards:
  - id: mine-1
    kind: concept
    question: {en: Why?}
    answer: {en: So.}
    key_points: [{en: So}]
"""


def test_ones_own_deck_may_be_in_one_language(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(OWN)
    assert lint_paths([tmp_path]) == []
    assert lint_paths([tmp_path / "mine.yaml"]) == []


def test_but_what_it_is_in_anywhere_it_is_in_everywhere(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(OWN.replace("{en: Why?}", "{en: Why?, zh: 为何？}"))
    assert [problem.say("en").removeprefix(str(path)) for problem in lint_paths([path])] == [
        ":3:8: title.zh: zh is missing",
        ":8:13: mine-1: answer.zh: zh is missing",
        ":9:18: mine-1: key_points[0].zh: zh is missing",
    ]


def test_a_rtol_that_takes_kb_for_kib(home: Path) -> None:
    from quiz import calculators

    name = "collective"
    output = next(o for o in calculators.find(name).outputs if o.unit == "byte")
    change(
        home,
        "calculator: pipeline_bubble\n    asks: fraction_of_total",
        f"calculator: {name}\n    rtol: 0.02\n    asks: {output.name}",
    )
    assert any("rtol: rtol 0.02 on bytes takes KB for KiB" in line for line in told(home))


def test_a_unit_that_does_not_measure_the_output(home: Path) -> None:
    change(home, 'unit: "%"', "unit: GB")
    assert one(home).startswith(f"{place(home, 'GB')}: idle-share: unit: GB does not measure fraction_of_total")
    change(home, "unit: GB", "unit: furlongs")
    assert "unit: furlongs cannot be read as a unit of fraction_of_total" in one(home)


def test_figures_that_nothing_covers_are_warned_of(home: Path) -> None:
    change(home, "Name parameters, tokens", "Name 7 GB, 20 hours and 40 %, parameters, tokens")
    problems = lint_paths([home])
    assert [(p.severity, p.field) for p in problems] == [("warning", "answer.en")] * 3
    assert problems[0].text.en.startswith("7 GB: neither given by the question")
    assert f"{problems[0].path}:{problems[0].line}:{problems[0].column}" == place(home, "7 GB")
    everything = lint_paths([home], every_figure=True)
    assert len(everything) == 3


def test_a_deck_that_is_no_yaml_is_one_problem(home: Path) -> None:
    (home / "training" / "broken.yaml").write_text("deck: [\n")
    assert one(home).startswith(f"{home}/training/broken.yaml:2:1: ")


def test_a_file_is_held_against_its_collection(home: Path) -> None:
    """Follow-ups and duplicate ids of a single file are looked up in the decks around it."""
    text = EXAMPLES.read_text(encoding="utf-8").replace("deck: examples", "deck: more")
    path = home / "training" / "more.yaml"
    path.write_text(text, encoding="utf-8")
    assert len(lint_paths([path])) == 3
    path.write_text(
        text.replace("id: own-numbers", "id: more-numbers")
        .replace("id: idle-share", "id: more-share")
        .replace("id: schedule-", "id: more-")
    )
    assert lint_paths([path]) == []


def test_problems_are_shown_as_the_path_was_given(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(home, "difficulty: 2", "difficulty: 5")
    monkeypatch.chdir(home)
    assert lint_paths([Path("training")])[0].path == "training/examples.yaml"
    assert lint_paths([Path("training/examples.yaml")])[0].path == "training/examples.yaml"


def test_the_shipped_decks_have_no_fault() -> None:
    assert [problem.say("en") for problem in lint_paths() if problem.severity == "error"] == []


def test_a_problem_reads_without_the_parts_that_it_has_not() -> None:
    from quiz.language import Text

    problem = Problem("d.yaml", 1, 2, "", "", Text("wrong", "错"))
    assert (problem.say("en"), problem.say("zh")) == ("d.yaml:1:2: wrong", "d.yaml:1:2: 错")


SPOILERS = [
    "{",
    "}",
    "[",
    "]",
    ": ",
    "\n",
    "- ",
    '"',
    "'",
    "|",
    "&a ",
    "*a ",
    "#",
    "!x ",
    "\x1b",
    "，",
    "0",
    "${x}$",
    "{stages}",
    "\t",
    "  ",
    "",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 12), st.sampled_from(SPOILERS)), min_size=1, max_size=4))
def test_any_spoilt_deck_is_told_of_and_never_breaks_lint(changes: list[tuple[int, int, str]]) -> None:
    text = EXAMPLES.read_text(encoding="utf-8")
    for at, length, put in changes:
        text = text[:at] + put + text[at + length :]
    loaded = parse(text.encode(), "d.yaml")
    for problem in [*loaded.problems, *lint_deck(loaded, WORLD)]:
        assert 1 <= problem.line <= text.count("\n") + 2
        assert problem.column >= 1
        assert problem.say("en").startswith("d.yaml:")
        assert problem.text.zh
