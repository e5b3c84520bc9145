"""The calculators on a screen: outputs follow the inputs as one types."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from quiz.commands.look import selection
from quiz.desk import Desk
from quiz.tui.app import CalculatorApp, ReviewApp

SMALL = Path(__file__).parent / "data" / "small.yaml"


def text(app: App[Any]) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def play(app: App[Any], steps: Callable[[Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 30)) -> App[Any]:
    async def through() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await steps(pilot)

    asyncio.run(through())
    return app


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await pilot.pause()


def test_list_narrows_and_the_chosen_one_opens(new_desk: Callable[..., Desk]) -> None:
    async def steps(pilot: Pilot[Any]) -> None:
        assert "pipeline_bubble" not in text(pilot.app) or "kv_cache" in text(pilot.app)
        await press(pilot, *"bubble")
        assert "(pipeline_bubble)" in text(pilot.app)
        assert "(kv_cache)" not in text(pilot.app)
        await press(pilot, "enter")
        assert "stages" in text(pilot.app)
        await press(pilot, "escape")
        assert "(kv_cache)" in text(pilot.app)
        await press(pilot, "escape")

    assert play(CalculatorApp(new_desk(), "", {}), steps, (80, 60)).return_value == 0


def test_outputs_follow_at_each_key_and_a_bad_value_is_told(new_desk: Callable[..., Desk]) -> None:
    async def steps(pilot: Pilot[Any]) -> None:
        assert "needs microbatches" in text(pilot.app)
        await press(pilot, "down", *"32")
        assert "7/39 = 17.9 %" in text(pilot.app)
        await press(pilot, "0")
        assert "7/327" in text(pilot.app)
        await press(pilot, "backspace", "backspace", "backspace", *"many")
        assert "cannot read many" in text(pilot.app)

    play(CalculatorApp(new_desk(), "pipeline_bubble", {"stages": "8"}), steps)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_calculator_opens_in_both_languages_at_forty_cells(new_desk: Callable[..., Desk], language: str) -> None:
    from quiz import calculators

    async def opens(pilot: Pilot[Any]) -> None:
        assert pilot.app.screen.calculator.name in text(pilot.app)  # type: ignore[attr-defined]

    for name in calculators.names()[::7]:
        desk = new_desk()
        desk.language = language
        play(CalculatorApp(desk, name, {}), opens, (40, 12))


def test_what_if_on_the_card_just_answered(new_desk: Callable[..., Desk], home: Path) -> None:
    (home / "decks").mkdir(parents=True)
    shutil.copy(SMALL, home / "decks")
    desk = new_desk()
    desk.study.begin(selection(["small"], None, ["pipeline"]))

    async def steps(pilot: Pilot[Any]) -> None:
        await press(pilot, "space", "k")
        assert "7/39 = 17.9 %" in text(pilot.app)
        await press(pilot, "escape")
        assert pilot.app.screen.stage == "grade"  # type: ignore[attr-defined]
        await press(pilot, "4")
        assert [event.grade for event in desk.store.events()] == [4]

    play(ReviewApp(desk), steps)
