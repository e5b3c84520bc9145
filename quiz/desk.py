"""What a command works with: the learner's files, decks, clock and language, opened when first used."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from quiz.errors import BadInput, QuizError
from quiz.language import Text
from quiz.places import Places, places, user_path
from quiz.settings import Settings, load

if TYPE_CHECKING:
    import random

    from quiz.library import Library
    from quiz.store import Store
    from quiz.study import Study


@dataclass
class Desk:
    """`clock` gives the local time with its zone, `stopwatch` seconds that never run backwards, `dice` the chance."""

    environment: Mapping[str, str]
    clock: Callable[[], datetime]
    stopwatch: Callable[[], float]
    dice: Callable[[], random.Random]
    language: str = "en"
    folders: list[Path] = field(default_factory=list)

    @classmethod
    def of_process(cls) -> Desk:
        """The desk of this process: its environment, the system's clock and random source."""
        return cls(os.environ, lambda: datetime.now().astimezone(), time.monotonic, _dice)

    @cached_property
    def rng(self) -> random.Random:
        return self.dice()

    @cached_property
    def places(self) -> Places:
        return places(self.environment)

    @cached_property
    def settings(self) -> Settings:
        return load(self.places.settings)

    def language_setting(self) -> str:
        """The language that is set; damaged settings are complained of by the command that needs them."""
        try:
            return self.settings.language
        except QuizError:
            return "auto"

    @cached_property
    def library(self) -> Library:
        from quiz.library import Library, shipped_decks

        return Library.open([shipped_decks(), self.places.decks, *self.folders], self.places.cache)

    @cached_property
    def store(self) -> Store:
        from quiz.store import Store

        return Store.open(self.places.database)

    @cached_property
    def study(self) -> Study:
        from quiz.study import Study

        return Study(self.store, self.library, self.settings, clock=self.clock, stopwatch=self.stopwatch, rng=self.rng)

    def more_decks(self, folders: list[str] | None) -> None:
        """Folders or files with decks of the learner's own, beside the shipped ones. BadInput if one is not there."""
        for folder in folders or []:
            path = user_path(folder)
            if not path.exists():
                from quiz.language import say

                raise BadInput(say("cli.no_such_path", path=folder))
            self.folders.append(path)

    def words(self, text: Text) -> str:
        return text.pick(self.language)

    def say(self, key: str, **values: object) -> str:
        from quiz.language import say

        return say(key, **values).pick(self.language)


def _dice() -> random.Random:
    import random

    return random.Random()
