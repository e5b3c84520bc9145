"""The home screen and the figures on it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from quiz import stats
from quiz.desk import Desk
from quiz.tui.home import HomeApp, HomeScreen
from quiz.tui.review import ReviewScreen

SMALL = Path(__file__).parent / "data" / "small.yaml"


@pytest.fixture(autouse=True)
def own_deck(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReviewScreen, "burst_s", 0)
    (home / "decks").mkdir(parents=True)
    shutil.copy(SMALL, home / "decks")


def text(app: HomeApp) -> str:
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())


def play(desk: Desk, steps: Callable[[HomeApp, Pilot[int]], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    async def go() -> None:
        app = HomeApp(desk)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await steps(app, pilot)

    asyncio.run(go())


def test_a_newcomer_is_told_what_to_do_and_a_review_comes_back_here(new_desk: Callable[..., Desk]) -> None:
    async def steps(app: HomeApp, pilot: Pilot[int]) -> None:
        assert "Press Enter" in text(app)
        assert "20 new" in text(app)
        assert "streak 0" in text(app)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ReviewScreen)
        await pilot.press("space")
        await pilot.pause()
        await pilot.press("0") if app.screen.stage == "points" else None
        await pilot.press("4")
        await pilot.pause()
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)
        assert "19 new" in text(app)
        assert "streak 1" in text(app)
        assert "Press Enter" not in text(app)

    play(new_desk(QUIZ_LANG="en"), steps)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
def test_both_languages_in_place_and_help(new_desk: Callable[..., Desk], size: tuple[int, int]) -> None:
    async def steps(app: HomeApp, pilot: Pilot[int]) -> None:
        await pilot.press("l")
        await pilot.pause()
        assert "欢迎" in text(app)
        await pilot.press("?")
        await pilot.pause()
        assert "首页" in text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "欢迎" in text(app)
        assert max(len(line) for line in text(app).splitlines()) <= size[0]

    play(new_desk(QUIZ_LANG="en"), steps, size)


def test_calculators_open_from_home_and_leave_to_it(new_desk: Callable[..., Desk]) -> None:
    async def steps(app: HomeApp, pilot: Pilot[int]) -> None:
        await pilot.press("k")
        await pilot.pause()
        assert not isinstance(app.screen, HomeScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)

    play(new_desk(QUIZ_LANG="en"), steps)


def test_streak_counts_days_in_a_row() -> None:
    assert stats.streak({8, 9, 10}, 10) == 3
    assert stats.streak({8, 9}, 10) == 2
    assert stats.streak({7, 8}, 10) == 0
    assert stats.streak({10}, 10) == 1
    assert stats.streak((), 10) == 0


def test_pace_is_the_median_and_a_minute_while_little_is_known() -> None:
    assert stats.pace([]) == 60
    assert stats.pace([1000] * 4) == 60
    assert stats.pace([10_000, 20_000, 30_000, 40_000, 10_000_000]) == 30
    assert stats.minutes(0, 60) == 0
    assert stats.minutes(1, 1) == 1
    assert stats.minutes(26, 60) == 26


@given(st.sets(st.integers(0, 60)), st.integers(0, 60))
def test_a_streak_is_made_of_study_days(days: set[int], today: int) -> None:
    length = stats.streak(days, today)
    start = today if today in days else today - 1
    assert all(start - n in days for n in range(length))
    assert start - length not in days
