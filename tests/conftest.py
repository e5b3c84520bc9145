from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from quiz.desk import Desk
from quiz.library import Library, shipped_decks

START = datetime(2026, 11, 30, 20, 0, tzinfo=ZoneInfo("Asia/Shanghai"))


class Clock:
    """A clock that stands still until told otherwise."""

    def __init__(self, moment: datetime = START) -> None:
        self.moment = moment

    def __call__(self) -> datetime:
        return self.moment

    def pass_days(self, days: float) -> None:
        self.moment += timedelta(days=days)

    def stopwatch(self) -> float:
        return self.moment.timestamp()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture(scope="session")
def read_decks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache that a first start leaves, so that not every test reads all shipped decks anew."""
    cache = tmp_path_factory.mktemp("cache")
    Library.open([shipped_decks()], cache)
    return cache


@pytest.fixture
def new_desk(home: Path, clock: Clock, read_decks: Path) -> Iterator[Callable[..., Desk]]:
    """Makes desks over one home, as starting the program again does."""
    made: list[Desk] = []

    def make(**environment: str) -> Desk:
        if not (home / "cache").exists():
            shutil.copytree(read_decks, home / "cache")
        desk = Desk({"QUIZ_HOME": str(home), **environment}, clock, clock.stopwatch, lambda: random.Random(7))
        made.append(desk)
        return desk

    yield make
    for desk in made:
        if "store" in desk.__dict__:
            desk.store.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-screens", action="store_true", help="write the text screens anew")
