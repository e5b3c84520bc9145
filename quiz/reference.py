"""What cards and calculators both name: a source, and a value of an input."""

from __future__ import annotations

from typing import NamedTuple

Value = int | float | str
Inputs = dict[str, Value]


class Reference(NamedTuple):
    """A source that was read; `url` may be empty where there is none."""

    title: str
    url: str = ""
