"""What a learner can set: the values, their defaults, and what each may be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from quiz.errors import BadInput, UnknownName
from quiz.language import Text, say


@dataclass(frozen=True, slots=True)
class Settings:
    """`new` and `reviews` a study day, `rollover` the hour at which one ends, `language` auto, en or zh."""

    new: int = 20
    reviews: int = 200
    rollover: int = 4
    language: str = "auto"
    theme: str = "auto"
    mouse: bool = True


RANGES: dict[str, tuple[int, int]] = {"new": (0, 9999), "reviews": (0, 99999), "rollover": (0, 23)}
CHOICES: dict[str, tuple[str, ...]] = {
    "language": ("auto", "en", "zh"),
    "theme": ("auto", "dark", "light", "ansi"),
    "mouse": ("on", "off"),
}


def names() -> tuple[str, ...]:
    return tuple(field.name for field in fields(Settings))


LARGEST_FILE = 1_000_000


def about(name: str) -> Text:
    return say(f"settings.{name}")


def good_values(name: str) -> str:
    if name in RANGES:
        return "{}–{}".format(*RANGES[name])
    return ", ".join(CHOICES[name])


def show(settings: Settings, name: str) -> str:
    value = getattr(settings, known(name))
    return str(value) if not isinstance(value, bool) else "on" if value else "off"


def known(name: str) -> str:
    """`name` itself. UnknownName, with all there are, if there is no such setting."""
    if name not in names():
        raise UnknownName(say("settings.unknown", name=name, near=", ".join(names())))
    return name


def changed(settings: Settings, name: str, value: Any) -> Settings:
    """The settings with one changed. UnknownName for the name, BadInput, naming the good values, for the value."""
    if known(name) in RANGES:
        low, high = RANGES[name]
        try:
            number = int(str(value))
        except ValueError:
            number = low - 1
        if isinstance(value, bool) or not low <= number <= high:
            raise BadInput(say("settings.bad", name=name, value=value, good=good_values(name)))
        return _with(settings, name, number)
    text = str(value).strip().lower()
    if name == "mouse" and isinstance(value, bool):
        text = "on" if value else "off"
    if text not in CHOICES[name]:
        raise BadInput(say("settings.bad", name=name, value=value, good=good_values(name)))
    return _with(settings, name, text == "on" if name == "mouse" else text)


def _with(settings: Settings, name: str, value: Any) -> Settings:
    return replace(settings, **{name: value})


def load(path: Path, *, lenient: bool = False) -> Settings:
    """The settings in `path`, defaults where it has none. BadInput if it is damaged; the file is left alone.

    `lenient` takes the default for what cannot be used, to mend the file by setting something.
    """
    try:
        if path.exists() and not path.is_file():
            raise BadInput(say("settings.unreadable", path=path, why="not a regular file"))
        if path.stat().st_size > LARGEST_FILE:
            raise BadInput(say("settings.unreadable", path=path, why="too large"))
        text = path.read_text(encoding="utf-8")
        import json

        document = json.loads(text)
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput(say("settings.unreadable", path=path, why=str(error))) from error
    if not isinstance(document, Mapping):
        raise BadInput(say("settings.unreadable", path=path, why="not an object"))
    settings = Settings()
    for name, value in document.items():
        try:
            settings = changed(settings, name, value)
        except (BadInput, UnknownName) as error:
            if not lenient:
                raise BadInput(say("settings.in_file", path=path, why=error.text)) from error
    return settings


def save(path: Path, settings: Settings) -> None:
    """Write what differs from the defaults, whole or not at all. BadInput if it cannot be written."""
    import json
    import tempfile

    default = Settings()
    document = {n: getattr(settings, n) for n in names() if getattr(settings, n) != getattr(default, n)}
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as error:
        raise BadInput(say("settings.unwritable", path=path, why=error.strerror or error)) from error
