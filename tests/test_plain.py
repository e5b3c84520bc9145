"""The review line by line."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from quiz.cli import run
from quiz.desk import Desk

SMALL = Path(__file__).parent / "data" / "small.yaml"


@pytest.fixture(autouse=True)
def own_deck(home: Path) -> None:
    (home / "decks").mkdir(parents=True)
    shutil.copy(SMALL, home / "decks")


@pytest.fixture
def sit(
    new_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[Desk, str]]:
    """Sit through a review with these lines as input; gives the desk and all that was said."""

    def call(*lines: str, tag: str = "pipeline", language: str = "en", **environment: str) -> tuple[Desk, str]:
        desk = new_desk(QUIZ_LANG=language, **environment)
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = run(["review", "--plain", "--deck", "small", "--tag", tag, "--seed", "1"], desk)
        captured = capsys.readouterr()
        assert status == 0
        assert captured.err == ""
        return desk, captured.out

    return call


def grades(desk: Desk) -> list[tuple[str, int | None]]:
    return [(event.kind, event.grade) for event in desk.store.events()]


def test_right_number_and_enter_takes_the_proposed_grade(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, said = sit("7/39", "")
    assert grades(desk) == [("review", 4)]
    assert "✓" in said
    assert "7/39 = 17.9 %" in said
    assert "1 answered" in said


def test_slip_is_named_and_a_second_try_asked_for(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, said = sit("7/32", "7/39", "")
    assert grades(desk) == [("review", 3)]
    assert "ideal time" in said


def test_unreadable_is_asked_again_and_never_graded(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, said = sit("dunno", "between 3 and 4", "7/39", "")
    assert grades(desk) == [("review", 4)]
    assert said.count("?") >= 2


def test_enter_shows_the_answer_and_points_are_ticked(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, said = sit("", "1 3", "", "", "", tag="markup")
    assert ("review", 3) in grades(desk)
    assert "[x]" in said
    assert "@click" in said


def test_full_width_digits_and_chinese(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, said = sit("１７．９％", "５", language="zh")
    assert grades(desk) == [("review", 5)]
    assert "正确值" in said


def test_bad_grade_is_asked_again(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, said = sit("7/39", "6", "good", "2", "")
    assert grades(desk)[0] == ("review", 2)
    assert "6 is no grade" in said


def test_end_of_input_keeps_what_was_graded(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, _ = sit("", "1", tag="markup")
    assert grades(desk) == []
    desk, said = sit("", "1", "2", tag="markup")
    assert grades(desk) == [("review", 2)]
    assert "1 answered" in said


def test_undo_skip_bury_suspend_language_help(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, said = sit("?", "l", "l", "u", "s", "b", "x", "q", tag="markup")
    assert [event.kind for event in desk.store.events()] == ["bury", "suspend"]
    assert "undo" in said
    assert "说出来" in said
    assert "nothing to take back" in said


def test_undo_at_the_grade_asks_the_card_before_again(sit: Callable[..., tuple[Desk, str]]) -> None:
    desk, _ = sit("", "", "4", "", "", "u", "", "1 2 3", "5", "", "", "", "q", tag="markup")
    kinds = grades(desk)
    assert kinds[0] == ("review", 4)
    assert kinds[1][0] == "undo"
    assert kinds[2] == ("review", 5)


def test_points_found_in_a_typed_answer_are_taken_with_enter_or_corrected(
    sit: Callable[..., tuple[Desk, str]],
) -> None:
    desk, said = sit("s", "My third answer it is.", "", "", tag="markup")
    assert "1 ✓" in said
    assert "found in: “answer”" in said
    assert "2 ✓" in said
    assert desk.store.events()[-1].detail["ticked"] == [0, 1, 2]
    desk, said = sit("My third answer.", "2", "", tag="markup")
    assert desk.store.events()[-1].detail["ticked"] == [1]
    desk, said = sit("My third answer.", "0", "", tag="markup")
    assert desk.store.events()[-1].detail["ticked"] == []
