"""The review on a screen, entered as `quiz review` does, with keys as a learner presses them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from quiz.commands.look import selection
from quiz.desk import Desk
from quiz.errors import BadHome, BadInput
from quiz.language import say
from quiz.settings import Settings
from quiz.tui import run as run_screen
from quiz.tui.app import ReviewApp

SMALL = Path(__file__).parent / "data" / "small.yaml"
SCREENS = Path(__file__).parent / "screens"
WIDE, NARROW = (80, 24), (40, 12)


@pytest.fixture(autouse=True)
def own_deck(home: Path) -> None:
    (home / "decks").mkdir(parents=True)
    shutil.copy(SMALL, home / "decks")


Steps = Callable[["Learner"], Awaitable[None]]


class Learner:
    """Hands on the keyboard and eyes on the screen."""

    def __init__(self, app: ReviewApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot, self.desk = app, pilot, app.desk

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(key)
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        for character in text:
            self.app.screen.post_message(events.Key("space" if character == " " else character, character)) if (
                self.app.focused is None
            ) else self.app.focused.post_message(events.Key("space" if character == " " else character, character))
            await self.pilot.pause()

    async def paste(self, text: str) -> None:
        self.app.post_message(events.Paste(text))
        await self.pilot.pause()

    @property
    def stage(self) -> str:
        return self.app.screen.stage  # type: ignore[attr-defined, no-any-return]

    @property
    def lines(self) -> list[str]:
        strips = self.app.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def typed(self) -> str:
        return self.app.screen._line.value  # type: ignore[attr-defined, no-any-return]

    def grades(self) -> list[tuple[str, int | None]]:
        return [(event.kind, event.grade) for event in self.desk.store.events()]


@pytest.fixture
def sit(new_desk: Callable[..., Desk]) -> Callable[..., ReviewApp]:
    def call(
        steps: Steps,
        *,
        tag: str = "pipeline",
        size: tuple[int, int] = WIDE,
        language: str = "en",
        theme: str = "auto",
        **environment: str,
    ) -> ReviewApp:
        desk = new_desk(**environment)
        desk.settings = Settings(theme=theme)
        desk.language = language
        desk.study.begin(selection(["small"], None, [tag], seed=1))
        app = ReviewApp(desk)

        async def play() -> None:
            async with app.run_test(size=size) as pilot:
                await pilot.pause()
                app.screen.burst_s = 0  # type: ignore[attr-defined]
                await steps(Learner(app, pilot))

        asyncio.run(play())
        return app

    return call


def test_number_is_read_as_it_is_typed_checked_and_graded(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.type("7/39")
        assert "= 17.9 %" in learner.text
        await learner.press("enter")
        assert "✓" in learner.text
        assert "▸" in learner.lines[-1]
        await learner.press("enter")
        assert learner.grades() == [("review", 4)]
        assert learner.stage == "done"

    sit(steps)


def test_slip_leaves_the_line_for_a_second_try(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.type("7/32")
        await learner.press("enter")
        assert "ideal time" in " ".join(learner.text.split())
        assert "17.9" not in learner.text
        assert learner.stage == "number"
        await learner.press("backspace", "backspace", "3", "9", "enter", "enter")
        assert learner.grades() == [("review", 3)]

    sit(steps)


def test_unreadable_keeps_the_text_for_editing(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.type("7 to 9")
        await learner.press("enter")
        assert learner.stage == "number"
        assert learner.typed == "7 to 9"
        assert "?" in learner.text
        assert learner.grades() == []

    sit(steps)


def test_letters_are_keys_on_an_empty_line_and_text_on_a_started_one(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("l")
        assert "空闲" in learner.text
        await learner.type("3 hub")
        assert learner.typed == "3 hub"
        await learner.press("escape")
        assert learner.typed == ""
        await learner.press("h")
        assert "(p−1)" in learner.text

    sit(steps)


def test_keys_pressed_before_the_line_is_there_are_not_lost(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        screen = learner.app.screen
        screen._line.remove()  # type: ignore[attr-defined]
        screen._line = None  # type: ignore[attr-defined]
        learner.app.set_focus(None)
        await learner.type("7/39")
        await screen._make_ready()  # type: ignore[attr-defined]
        await learner.pilot.pause()
        assert learner.typed == "7/39"

    sit(steps)


def test_language_switch_keeps_what_was_typed(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.type("7/3")
        before = learner.typed
        learner.app.screen.switch_language()  # type: ignore[attr-defined]
        await learner.pilot.pause()
        assert learner.typed == before
        assert "空闲" in learner.text

    sit(steps)


def test_paste_of_several_lines_arrives_whole(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.paste("7\n/\n39\n")
        assert learner.typed == "7 / 39"
        await learner.press("enter", "enter")
        assert learner.grades() == [("review", 4)]

    sit(steps)


def test_full_width_digits_and_space_from_an_input_method(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.type("\u3000")
        assert learner.stage == "grade"
        await learner.type("５")
        assert learner.grades() == [("review", 5)]

    sit(steps)


def test_space_reveals_points_are_ticked_enter_accepts(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "list[int]" not in learner.text:
            await learner.press("s")
        await learner.press("space")
        assert learner.stage == "points"
        await learner.press("1", "3")
        assert learner.text.count("✓") >= 2
        await learner.press("enter")
        assert learner.grades() == [("review", 3)]

    sit(steps, tag="markup")


def test_another_grade_than_the_points_give(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "list[int]" not in learner.text:
            await learner.press("s")
        await learner.press("space", "1", "0", "5")
        assert learner.grades() == [("review", 5)]

    sit(steps, tag="markup")


def test_open_answer_is_typed_and_kept(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "list[int]" not in learner.text:
            await learner.press("s")
        await learner.press("enter")
        await learner.paste("first line\n第二行 [/x]")
        await learner.press("enter")
        assert learner.stage == "points"
        assert "第二行 [/x]" in learner.text
        await learner.press("enter", "enter")
        assert learner.desk.store.events()[-1].detail["typed"] == ["first line\n第二行 [/x]"]

    sit(steps, tag="markup")


def test_chinese_from_an_input_method_starts_the_answer(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "list[int]" not in learner.text:
            await learner.press("s")
        await learner.type("显存")
        assert learner.stage == "typing"
        await learner.press("enter", "1", "enter")
        assert learner.desk.store.events()[-1].detail["typed"] == ["显存"]

    sit(steps, tag="markup")


@pytest.mark.parametrize("answer", ["because of x", "same bubble", "uneven", "how so", "32 GB"])
def test_answer_typed_in_a_hurry_is_no_row_of_keys(sit: Callable[..., ReviewApp], answer: str) -> None:
    async def steps(learner: Learner) -> None:
        learner.app.screen.burst_s = 3600  # type: ignore[attr-defined]
        await learner.type(answer)
        assert learner.stage == "typing"
        assert learner.app.screen._area.text == answer  # type: ignore[attr-defined]
        assert learner.desk.store.events() == []
        assert learner.desk.study.session.counts.new == 2

    sit(steps, tag="markup")


def test_undo_after_the_last_card_and_after_a_restart(sit: Callable[..., ReviewApp]) -> None:
    async def last(learner: Learner) -> None:
        await learner.press("space", "2")
        await learner.press("space", "4")
        assert learner.stage == "done"
        await learner.press("u")
        assert learner.stage == "grade"
        await learner.press("4")

    sit(last)

    async def restarted(learner: Learner) -> None:
        await learner.press("u", "u")
        assert "GPipe" in learner.text
        assert learner.desk.store.progress_of("bubble").due is None

    sit(restarted, tag="markup")


def test_hostile_text_is_shown_as_it_is_on_every_stage(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "list[int]" not in learner.text:
            await learner.press("s")
        assert "[/x] [@click=app.exit]here[/] {braces} [bold]" in " ".join(learner.text.split())
        await learner.press("n")
        await learner.paste("[/x] note [@click=app.exit]")
        await learner.press("enter")
        await learner.press("f")
        await learner.paste("[/] flag")
        await learner.press("enter")
        await learner.press("space")
        assert "[/x] note [@click=app.exit]" in learner.text
        for shown in ("It is [text]", "[red] with [/] brackets: a[0], [link=x]", "[it]", "A [title]", "[/] flag"):
            assert shown in " ".join(learner.text.split())
        await learner.press("l", "question_mark", "escape", "0", "4")

    sit(steps, tag="markup", size=(80, 50))


def test_digits_grade_while_a_long_card_is_scrolled(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("space", "pagedown", "down", "end", "3")
        assert learner.grades() == [("review", 3)]

    sit(steps, size=NARROW)


def test_window_made_smaller_keeps_all_grades_in_sight(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("space")
        await learner.pilot.resize_terminal(*NARROW)
        await learner.pilot.pause()
        for grade in "012345":
            assert f"{grade}:" in learner.lines[-1]
        await learner.pilot.resize_terminal(20, 6)
        await learner.pilot.pause()
        await learner.press("4")
        assert learner.grades() == [("review", 4)]

    sit(steps)


def test_mouse_does_what_the_keys_do(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        column = learner.lines[-1].index("reveal")
        await learner.pilot.click(offset=(column, WIDE[1] - 1))
        await learner.pilot.pause()
        assert learner.stage == "grade"
        column = learner.lines[-2].index("5 at once")
        await learner.pilot.click(offset=(column, WIDE[1] - 2))
        await learner.pilot.pause()
        assert learner.grades() == [("review", 5)]

    sit(steps)


def test_bury_suspend_skip_quit(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("s", "b", "x")
        assert [kind for kind, _ in learner.grades()] == ["bury", "suspend"]
        assert learner.stage == "done"
        await learner.press("q")

    app = sit(steps, tag="markup")
    assert app.return_value == 0
    assert any("nothing was answered" in line for line in app.farewell)


def test_ctrl_c_leaves_with_130_and_loses_no_grade(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("space", "4", "ctrl+c")

    app = sit(steps)
    assert app.return_value == 130
    assert [event.grade for event in app.desk.store.events()] == [4]


def test_remark_is_left_with_escape(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("n")
        await learner.type("4 half a note")
        await learner.press("escape")
        assert learner.stage == "number"
        assert learner.desk.store.events() == []

    sit(steps)


@pytest.mark.parametrize("colour", ["NO_COLOR", "theme"])
def test_verdict_is_told_without_colour(sit: Callable[..., ReviewApp], colour: str) -> None:
    async def steps(learner: Learner) -> None:
        await learner.type("55%")
        await learner.press("enter")
        assert "✗" in learner.text

    sit(steps, **({"NO_COLOR": "1"} if colour == "NO_COLOR" else {}))


def test_terminal_too_small_is_told(new_desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: (39, 12))
    with pytest.raises(BadInput, match="39×12"):
        run_screen(new_desk())


def test_typing_is_left_with_escape_and_can_begin_again(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        for _ in range(3):
            await learner.press("enter")
            await learner.type("abc")
            await learner.press("escape")
            assert learner.stage == "open"
        await learner.press("enter")
        await learner.type("xyz")
        await learner.press("enter")
        assert learner.stage == "points"

    for theme in ("auto", "dark", "light"):
        sit(steps, tag="markup", theme=theme)


def test_help_gives_the_answer_line_back(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        for leave in ("escape", "question_mark"):
            await learner.press("question_mark", leave)
            await learner.type("7/39")
            assert learner.typed == "7/39"
            await learner.press("escape")

    sit(steps)


def test_enter_on_an_empty_line_gives_nothing_up(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("enter")
        assert learner.stage == "number"
        assert "Space shows it" in learner.text

    sit(steps)


@pytest.mark.parametrize("text", ["x=2", "ubs", "half"])
def test_letters_in_a_row_on_the_answer_line_are_text(sit: Callable[..., ReviewApp], text: str) -> None:
    async def steps(learner: Learner) -> None:
        learner.app.screen.burst_s = 3600  # type: ignore[attr-defined]
        await learner.type(text)
        assert learner.typed == text
        assert learner.grades() == []

    sit(steps)


def test_grade_pressed_by_mistake_is_taken_back_to_the_same_grade_bar(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "list[int]" not in learner.text:
            await learner.press("s")
        await learner.press("enter")
        await learner.type("mine")
        await learner.press("enter", "1", "3", "enter", "u")
        assert learner.stage == "points"
        assert "mine" in learner.text
        assert learner.text.count("✓") >= 2
        await learner.press("0", "5")
        assert [grade for kind, grade in learner.grades() if kind == "review"] == [3, 5]

    sit(steps, tag="markup")


def test_skip_is_taken_back_too(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        first = learner.lines[2]
        await learner.press("s")
        assert first not in learner.text
        await learner.press("u")
        assert first in learner.text
        assert learner.grades() == []

    sit(steps, tag="markup")


def test_slip_on_a_short_screen_is_in_sight(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.type("7/32")
        await learner.press("enter")
        assert "✗" in learner.text
        assert "Once more" in " ".join(learner.text.split())

    sit(steps, size=(40, 14))


def test_own_note_does_not_give_the_answer_away(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("n")
        await learner.type("seven over")
        await learner.press("enter")
        assert "note kept" in learner.text
        assert "seven over" not in learner.text
        await learner.press("space")
        assert "seven over" in learner.text

    sit(steps)


WALK = {
    "question": (),
    "typed": ("7", "/", "3", "2"),
    "slip": ("enter",),
    "answer": ("enter",),
    "help": ("question_mark",),
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "40x12"])
def test_screens_look_as_they_did(
    sit: Callable[..., ReviewApp], size: tuple[int, int], language: str, request: pytest.FixtureRequest
) -> None:
    """Text of the screens over a review; `--update-screens` writes them anew, to be read in the diff."""

    async def steps(learner: Learner) -> None:
        for name, keys in WALK.items():
            await learner.press(*[{"/": "slash"}.get(key, key) for key in keys])
            kept = SCREENS / f"{name}-{language}-{size[0]}x{size[1]}.txt"
            shown = learner.text.rstrip() + "\n"
            if request.config.getoption("--update-screens"):
                SCREENS.mkdir(exist_ok=True)
                kept.write_text(shown, encoding="utf-8")
            assert shown == kept.read_text(encoding="utf-8")

    sit(steps, size=size, language=language)


@pytest.mark.parametrize("key", ["²", "①", "४"])
def test_odd_digits_are_no_points(sit: Callable[..., ReviewApp], key: str) -> None:
    async def steps(learner: Learner) -> None:
        await learner.press("space")
        await learner.type(key)
        assert learner.stage == "points"

    sit(steps, tag="markup")


def test_record_that_refuses_is_told_and_the_grade_can_be_given_again(
    sit: Callable[..., ReviewApp], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def steps(learner: Learner) -> None:
        store = learner.desk.store

        def refuse(*_: object) -> None:
            raise BadHome(say("home.locked", path="quiz.db"))

        await learner.press("space")
        with monkeypatch.context() as patch:
            patch.setattr(store, "add", refuse)
            await learner.press("4")
            assert "in use by another program" in " ".join(learner.text.split())
            assert learner.stage == "grade"
        await learner.press("4")
        assert learner.grades() == [("review", 4)]

    sit(steps)


@pytest.mark.parametrize("burst", [" 5", "\u3000５"])
def test_keys_in_one_burst_follow_each_other(sit: Callable[..., ReviewApp], burst: str) -> None:
    async def steps(learner: Learner) -> None:
        names = {" ": "space", "\r": "enter", "\u3000": "ideographic_space"}
        for character in burst:
            learner.app.post_message(events.Key(names.get(character, character), character))
        for _ in range(6):
            await learner.pilot.pause()
        assert learner.grades() == [("review", 5)]

    sit(steps)


def test_escapes_in_a_note_stay_off_the_screen(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        learner.desk.study.note("bubble", "A\x1b]0;PWN\x07\u202e")
        await learner.press("space")
        assert "PWN" in learner.text
        assert not {"\x1b", "\x07", "\u202e"} & set(learner.text)

    sit(steps)


def test_an_answer_typed_in_one_burst_arrives_whole(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "third question" not in learner.text:
            await learner.press("s")
        learner.app.screen.burst_s = 3600  # type: ignore[attr-defined]
        answer = "So this is the third answer, typed at once"
        for character in answer:
            learner.app.post_message(events.Key("space" if character == " " else character, character))
        for _ in range(10):
            await learner.pilot.pause()
        assert learner.app.screen._area.text == answer  # type: ignore[attr-defined]

    sit(steps, tag="markup")


def test_a_paste_on_an_open_question_is_the_answer(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "third question" not in learner.text:
            await learner.press("s")
        await learner.paste("第三个回答，\nno more")
        assert learner.stage == "typing"
        assert learner.app.screen._area.text == "第三个回答，\nno more"  # type: ignore[attr-defined]

    sit(steps, tag="markup")


def test_points_found_in_a_typed_answer_are_proposed_and_corrected(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "third question" not in learner.text:
            await learner.press("s")
        await learner.press("enter")
        await learner.paste("This is an anwser.")
        await learner.press("enter")
        assert "anwser¹·³" in learner.text
        assert "1 ✓" in learner.text
        assert "2 ·" in learner.text
        await learner.press("3", "enter")
        detail = learner.desk.store.events()[-1].detail
        assert detail["proposed_points"] == [0, 2]
        assert detail["ticked"] == [0]
        assert detail["proposed"] == 2

    sit(steps, tag="markup")


def test_the_opposite_of_a_point_is_named_and_nothing_is_proposed(sit: Callable[..., ReviewApp]) -> None:
    async def steps(learner: Learner) -> None:
        while "third question" not in learner.text:
            await learner.press("s")
        await learner.press("enter")
        await learner.paste("This is an answer. It is not the third one.")
        await learner.press("enter")
        assert "2 ≠" in learner.text
        assert "you may have said the opposite: “third”" in learner.text
        assert "nothing is proposed" in learner.text
        await learner.press("1", "enter")
        detail = learner.desk.store.events()[-1].detail
        assert detail["opposite_points"] == [1]
        assert detail["flags"] == ["contrary"]
        assert detail["ticked"] == [0]

    sit(steps, tag="markup")
