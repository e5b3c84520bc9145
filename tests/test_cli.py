"""Commands as typed: what they print, their exit status, and one clear line for anything unusable."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quiz.cli import run, spoken, without_language
from quiz.desk import Desk
from quiz.errors import QuizError
from quiz.study import Selection

ROOT = Path(__file__).parent.parent
SMALL = Path(__file__).parent / "data" / "small.yaml"


@pytest.fixture(autouse=True)
def own_deck(home: Path) -> None:
    (home / "decks").mkdir(parents=True)
    shutil.copy(SMALL, home / "decks")


class Ran:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def quiz(new_desk: Callable[..., Desk], capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def call(*arguments: str, **environment: str) -> Ran:
        capsys.readouterr()
        status = run(list(arguments), new_desk(**{"QUIZ_LANG": "en", **environment}))
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return call


BAD = [
    (("show", "bubbel"), "bubble"),
    (("why", "bubbel"), "bubble"),
    (("note", "bubbel", "x"), "bubble"),
    (("flag", "bubbel"), "bubble"),
    (("suspend", "bubbel"), "bubble"),
    (("log", "--card", "bubbel"), "bubble"),
    (("answer", "bubbel", "1"), "bubble"),
    (("answer", "third", "1", "--set", "a=1"), "--set"),
    (("answer", "bubble", "1", "--set", "stages"), "name=value"),
    (("answer", "bubble", "1", "--set", "stage=3"), "stages"),
    (("answer", "bubble", "1", "--set", "chunks=2"), "stages"),
    (("answer", "bubble", "1", "--set", "schedule=1f1b"), "gpipe"),
    (("answer", "bubble", "1", "--set", "stages=0"), "between"),
    (("answer", "bubble", "1", "--set", "stages=1.5"), "whole"),
    (("review", "--deck", "smal"), "small"),
    (("due", "--deck", "smal"), "small"),
    (("due", "--company", "bytedanse"), "bytedance"),
    (("due", "--tag", "markupp"), "markup"),
    (("cards", "--kind", "numerik"), "numeric"),
    (("calc", "pipeline_buble"), "pipeline_bubble"),
    (("calc", "pipeline_bubble", "stage=8"), "stages"),
    (("calc", "pipeline_bubble", "stages=8"), "microbatches"),
    (("calc", "pipeline_bubble", "stages=-1", "microbatches=2"), "between"),
    (("calc", "pipeline_bubble", "stages=lots", "microbatches=2"), "stages"),
    (("calc", "pipeline_bubble", "stages=8", "microbatches=9", "schedule=gpip"), "gpipe"),
    (("calc", "pipeline_bubble", "stages=8", "microbatches=9", "schedule=interleaved"), "multiples"),
    (("config", "nwe"), "new"),
    (("config", "rollover", "25"), "0–23"),
    (("config", "language", "fr"), "zh"),
    (("config", "new", "many"), "0–9999"),
    (("lint", "nowhere.yaml"), "nowhere.yaml"),
    (("review", "--decks", "nowhere"), "nowhere"),
    (("revew",), "review"),
    (("review", "--limt", "3"), "--limit"),
    (("review", "--limit", "0"), "1"),
    (("review", "--limit", "x"), "whole number"),
    (("show",), "CARD"),
    (("due", "extra"), "extra"),
    (("--lang", "fr", "due"), "zh"),
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("arguments", "names"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_bad_input_is_one_line_that_helps(
    quiz: Callable[..., Ran], arguments: tuple[str, ...], names: str, language: str
) -> None:
    ran = quiz(*arguments, QUIZ_LANG=language)
    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1
    assert ran.err.startswith("quiz: ")
    if language == "en":
        assert names in ran.err
    else:
        assert any("\u4e00" <= character <= "\u9fff" for character in ran.err)


READING = [
    ("due",),
    ("decks",),
    ("companies",),
    ("cards",),
    ("cards", "markup"),
    ("show", "bubble"),
    ("calc",),
    ("calc", "pipeline_bubble"),
    ("calc", "pipeline_bubble", "stages=8", "microbatches=32"),
    ("answer", "bubble", "7/39"),
    ("log",),
    ("why", "bubble"),
    ("note", "bubble"),
    ("verify",),
    ("config",),
    ("config", "new"),
    ("lint", str(SMALL)),
]


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_reading_commands_speak_both_languages_and_json(quiz: Callable[..., Ran], arguments: tuple[str, ...]) -> None:
    english, chinese = quiz(*arguments), quiz(*arguments, QUIZ_LANG="zh")
    assert english.status == chinese.status
    assert english.out.strip()
    assert any("\u4e00" <= character <= "\u9fff" for character in chinese.out)
    document = quiz(*arguments, "--json")
    assert document.err == ""
    assert isinstance(document.json, dict)


def test_due_counts(quiz: Callable[..., Ran]) -> None:
    due = quiz("due", "--deck", "small", "--json").json
    assert (due["new"], due["due"], due["again"], due["day"]) == (3, 0, 0, "2026-11-30")
    assert due["held_back"] == {"new": 0, "due": 0, "buried": 0, "suspended": 0}


def test_answer_gives_the_documented_document(quiz: Callable[..., Ran]) -> None:
    ran = quiz("answer", "bubble", "7/32", "--json")
    assert ran.status == 1
    document = ran.json
    assert {"card", "inputs", "expected", "read", "verdict", "reason", "slips", "grade"} <= set(document)
    assert document["expected"]["value"] == pytest.approx(7 / 39)
    assert document["read"]["value"] == pytest.approx(7 / 32)
    assert document["verdict"] == "incorrect"
    assert "ideal time" in document["slips"][0]
    assert document["grade"] == 1
    right = quiz("answer", "bubble", "17.9%", "--json")
    assert (right.status, right.json["verdict"], right.json["grade"]) == (0, "correct", 4)
    unreadable = quiz("answer", "bubble", "a lot", "--json")
    assert (unreadable.status, unreadable.json["verdict"], unreadable.json["grade"]) == (1, "unreadable", None)


def test_answer_with_inputs_set(quiz: Callable[..., Ran]) -> None:
    ran = quiz("answer", "bubble", "3/11", "--set", "stages=4", "--set", "microbatches=8", "--json")
    assert ran.status == 0
    assert ran.json["inputs"]["stages"] in (4, "4")


def test_calc_gives_the_documented_document(quiz: Callable[..., Ran]) -> None:
    document = quiz("calc", "pipeline_bubble", "stages=8", "microbatches=32", "--json").json
    assert set(document) == {"calculator", "inputs", "outputs", "formula", "worked"}
    assert document["outputs"]["fraction_of_total"]["value"] == pytest.approx(7 / 39)
    assert "7/39" in document["worked"]


def test_note_flag_and_suspend_are_kept_and_taken_back(quiz: Callable[..., Ran]) -> None:
    assert "none" in quiz("note", "bubble", "p minus one [not none]").out
    assert quiz("note", "bubble", "--json").json["note"] == "p minus one [not none]"
    quiz("flag", "bubble", "typo in the answer")
    assert [card["id"] for card in quiz("cards", "--flagged", "--json").json["cards"]] == ["bubble"]
    quiz("flag", "bubble", "--clear")
    assert quiz("cards", "--flagged", "--json").json["cards"] == []
    quiz("suspend", "bubble")
    assert quiz("due", "--deck", "small", "--json").json["held_back"]["suspended"] == 1
    quiz("suspend", "bubble", "--clear")
    assert quiz("due", "--deck", "small", "--json").json["new"] == 3
    for _ in range(5):
        assert quiz("undo").status == 0
    assert "nothing" in quiz("undo").out
    assert quiz("note", "bubble", "--json").json["note"] == ""
    assert quiz("verify").status == 0


def test_config_is_kept_and_a_bad_file_is_told(quiz: Callable[..., Ran], home: Path) -> None:
    quiz("config", "new", "2")
    assert quiz("config", "new", "--json").json["settings"]["new"]["value"] == 2
    assert quiz("due", "--deck", "small", "--json").json["held_back"]["new"] == 1
    quiz("config", "language", "zh")
    assert "今天" in quiz("due", QUIZ_LANG="").out
    (home / "settings.json").write_text("{broken")
    ran = quiz("due")
    assert ran.status == 2
    assert "settings.json" in ran.err
    assert (home / "settings.json").read_text() == "{broken"
    assert quiz("--help").status == 0


def test_broken_deck_of_ones_own_is_told_and_the_others_work(quiz: Callable[..., Ran], home: Path) -> None:
    (home / "decks" / "broken.yaml").write_text("deck: [", encoding="utf-8")
    ran = quiz("due", "--deck", "small")
    assert ran.status == 0
    assert "broken.yaml:" in ran.out
    assert quiz("lint", str(home / "decks" / "broken.yaml")).status == 1


def test_unwritable_home_is_told(new_desk: Callable[..., Desk], tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run(["due"], new_desk(QUIZ_HOME=str(tmp_path / "file"))) == 2
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environment", "setting", "language"),
    [
        ({"QUIZ_LANG": "zh", "LANG": "en_US.UTF-8"}, "auto", "zh"),
        ({"LANG": "zh_CN.UTF-8"}, "auto", "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "auto", "en"),
        ({"LANG": "de_DE.UTF-8"}, "auto", "en"),
        ({"LANG": "zh_CN.UTF-8"}, "en", "en"),
        ({"QUIZ_LANG": "fr"}, "auto", "en"),
        ({}, "auto", "en"),
    ],
)
def test_language_by_environment_setting_locale(environment: dict[str, str], setting: str, language: str) -> None:
    assert spoken(environment, setting) == language


def test_lang_is_taken_wherever_it_stands_but_not_after_a_double_dash() -> None:
    assert without_language(["due", "--lang", "zh"]) == (["due"], "zh")
    assert without_language(["--lang=en", "due"]) == (["due"], "en")
    assert without_language(["answer", "c", "--", "--lang"]) == (["answer", "c", "--", "--lang"], None)
    with pytest.raises(QuizError):
        without_language(["due", "--lang"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_of_every_command(quiz: Callable[..., Ran], language: str) -> None:
    listed = quiz("--help", QUIZ_LANG=language)
    assert listed.status == 0
    for name in (
        "review",
        "due",
        "decks",
        "companies",
        "cards",
        "show",
        "answer",
        "calc",
        "log",
        "why",
        "note",
        "flag",
    ):
        assert f"  {name} " in listed.out
        assert quiz(name, "--help", QUIZ_LANG=language).status == 0


def whole(*arguments: str, home: Path, **more: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": os.environ["PATH"], "QUIZ_HOME": str(home), "QUIZ_LANG": "en", "TERM": "xterm"}
    return subprocess.run([sys.executable, "-m", "quiz", *arguments], env=environment, cwd=ROOT, check=False, **more)


def test_closed_pipe_ends_quietly(home: Path) -> None:
    whole("due", home=home, capture_output=True)
    environment = {"PATH": os.environ["PATH"], "QUIZ_HOME": str(home), "QUIZ_LANG": "en"}
    process = subprocess.Popen(
        [sys.executable, "-m", "quiz", "cards", "--json"],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_bare_quiz_without_a_terminal_says_what_is_due(home: Path) -> None:
    ran = whole(home=home, input=b"", capture_output=True)
    assert ran.returncode == 0
    assert b"today:" in ran.stdout
    assert b"\x1b" not in ran.stdout


def test_review_without_a_terminal_is_line_by_line(home: Path) -> None:
    ran = whole("review", "--deck", "small", home=home, input=b"\n\n\nq\n", capture_output=True)
    assert ran.returncode == 0
    assert b"\x1b" not in ran.stdout
    assert ran.stderr == b""


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("calc", "kv_cache", "model=llama-3-70b", "tokens=1 GB"), "token"),
        (("calc", "ridge_point", "device=h100-sxm", "bandwidth=3 s"), "byte/s"),
        (("show", "\x1b]0;x\x07"), "card"),
        (("due", "--company", "\udcff\x1b[31m"), "near"),
        (("due", "--decks", "~nosuchuser"), "~nosuchuser"),
        (("lint", "x" * 5000), "system"),
    ],
    ids=["size for tokens", "time for a rate", "escape", "no UTF-8", "no such user", "long path"],
)
def test_more_bad_input(quiz: Callable[..., Ran], arguments: tuple[str, ...], names: str) -> None:
    ran = quiz(*arguments)
    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert names in ran.err
    assert "\x1b" not in ran.err


def test_negative_answer_is_an_answer(quiz: Callable[..., Ran]) -> None:
    assert quiz("answer", "bubble", "-5%", "--json").json["verdict"] == "incorrect"


@pytest.mark.parametrize("document", ['{"colour": "red"}', '{"rollover": 99}', '{"mouse": []}', "[" * 90_000])
def test_damaged_settings_name_their_file_and_can_be_mended(
    quiz: Callable[..., Ran], home: Path, document: str
) -> None:
    (home / "settings.json").write_text(document, encoding="utf-8")
    ran = quiz("due")
    assert ran.status == 2
    assert "settings.json" in ran.err
    assert quiz("--help").status == 0
    if not document.startswith("["):
        assert quiz("config", "new", "5").status == 0
        assert quiz("due").status == 0


def test_why_takes_the_grade_that_moved_the_schedule(new_desk: Callable[..., Desk], quiz: Callable[..., Ran]) -> None:
    study = new_desk().study
    study.begin(Selection(decks=("small",), limit=1))
    assert study.asked is not None
    card = study.asked.card.id
    study.grade(0)
    study.grade(5)
    assert "grade 0" in quiz("why", card).out


def test_damaged_record_is_told_by_every_command(quiz: Callable[..., Ran], home: Path) -> None:
    quiz("note", "bubble", "x")
    raw = sqlite3.connect(home / "quiz.db")
    raw.execute("DROP TRIGGER events_refuse_update")
    raw.execute("UPDATE events SET detail = '{broken', kind = 'dance'")
    raw.commit()
    ran = quiz("verify")
    assert ran.status == 1
    assert "event 1" in ran.out
    assert quiz("log").status == 2
    assert quiz("verify", "--rebuild").status == 2
    raw.execute("DROP TABLE states")
    raw.commit()
    raw.close()
    for arguments in (("due",), ("verify",), ("decks",)):
        ran = quiz(*arguments)
        assert ran.status == 2
        assert "damaged" in ran.err


def test_escapes_in_a_note_never_reach_the_terminal(quiz: Callable[..., Ran]) -> None:
    quiz("note", "bubble", "A\x1b]0;PWN\x07 \u202ereversed")
    for arguments in (("note", "bubble"), ("show", "bubble"), ("log",)):
        out = quiz(*arguments).out
        assert "PWN" in out
        assert not {"\x1b", "\x07", "\u202e"} & set(out)


def test_negative_seed_is_a_seed(quiz: Callable[..., Ran]) -> None:
    assert quiz("show", "bubble", "--seed", "-5", "--json").json["seed"] == -5


def test_an_open_answer_gets_the_points_that_are_found_in_it(quiz: Callable[..., Ran]) -> None:
    ran = quiz("answer", "third", "It is the third, an answer.", "--json")
    found = json.loads(ran.out)
    assert ran.status == 0
    assert [point["outcome"] for point in found["points"]] == ["found", "found", "found"]
    assert found["points"][1]["quotes"] == ["third"]
    assert found["grade"] == 4
    ran = quiz("answer", "third", "第三个", "--lang", "zh")
    assert ran.status == 1
    assert "2 ✓ 是第三个" in ran.out


def test_backup_restore_sync_export_import(quiz: Callable[..., Ran], tmp_path: Path) -> None:
    quiz("suspend", "third")
    assert quiz("backup", str(tmp_path / "b.db"), "--json").json["events"] == 1
    again = quiz("backup", str(tmp_path / "b.db"))
    assert again.status == 2
    assert "--force" in again.err
    assert quiz("backup", str(tmp_path / "b.db"), "--force").status == 0
    quiz("suspend", "third", "--clear")
    assert quiz("export", str(tmp_path / "log.jsonl"), "--json").json["events"] == 2
    back = quiz("restore", str(tmp_path / "b.db"), "--json").json
    assert back["events"] == 2
    assert Path(back["kept"]).exists()
    assert "restore" in quiz("undo").out
    assert quiz("verify").status == 0
    assert quiz("import", str(tmp_path / "log.jsonl"), "--yes", "--json").json["taken"] == 0
    assert quiz("sync", str(tmp_path / "carried"), "--json").json["sent"] == 4
    assert quiz("sync", str(tmp_path / "carried"), "--json").json["sent"] == 0


def test_an_imported_log_is_taken_back_with_one_undo(quiz: Callable[..., Ran], tmp_path: Path) -> None:
    line = {
        "id": "x1", "device": "other", "number": 1, "at": 1_796_000_000_000, "utc_offset": 0, "day": 739_900,
        "kind": "suspend", "card": "third", "grade": None, "ms": 0, "undoes": "", "detail": {},
    }  # fmt: skip
    (tmp_path / "in.jsonl").write_text(json.dumps(line) + "\nbroken\n", encoding="utf-8")
    look = quiz("import", str(tmp_path / "in.jsonl"))
    assert "1 events are new and would be taken" in look.out
    assert "--yes" in look.out
    assert quiz("log", "--json").json["events"] == []
    took = quiz("import", str(tmp_path / "in.jsonl"), "--yes")
    assert took.status == 1
    assert "line 2" in took.out
    assert quiz("why", "third", "--json").json["suspended"] is True
    quiz("undo")
    assert quiz("why", "third", "--json").json["suspended"] is False
    assert quiz("verify").status == 0


@pytest.mark.parametrize("command", ["backup", "restore", "export", "import"])
def test_the_record_in_use_is_no_file_to_copy_over(quiz: Callable[..., Ran], home: Path, command: str) -> None:
    quiz("suspend", "third")
    refused = quiz(command, str(home / "quiz.db"), *(["--force"] if command in ("backup", "export") else []))
    assert refused.status == 2
    assert quiz("verify").status == 0
