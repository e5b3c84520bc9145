"""Events as lines of JSON: the form in which the log leaves a machine and comes to another.

A line is one object with the fields of `quiz.history.Event`. What a newer program adds (other fields, kinds unknown
here) is kept as it came and written out again; a line that is none is refused with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from quiz.history import Event

LONGEST_LINE = 1_000_000
FIELDS = ("id", "device", "number", "at", "utc_offset", "day", "kind", "card", "grade", "ms", "undoes", "detail")
MORE = "+"

_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,100}")
_KIND = re.compile(r"[a-z_-]{1,40}")
_FIRST_DAY, _LAST_DAY = date(1970, 1, 1).toordinal(), date(9999, 12, 31).toordinal()
_LATEST = (_LAST_DAY - _FIRST_DAY) * 86_400_000


class BadLine(ValueError):
    """A line that is no event; the message says why, in a few technical words."""


def to_line(event: Event) -> str:
    """`event` as one line, without the line break."""
    detail = dict(event.detail)
    more = detail.pop(MORE, {})
    values = {name: getattr(event, name) for name in FIELDS if name != "detail"} | {"detail": detail}
    return json.dumps(values | (more if isinstance(more, dict) else {}), ensure_ascii=False, separators=(",", ":"))


def from_line(line: str | bytes) -> Event:
    """The event on `line`. BadLine if it is too long, no JSON object, or a field is missing or out of its range."""
    if len(line) > LONGEST_LINE:
        raise BadLine(f"longer than {LONGEST_LINE:,} characters")
    try:
        values = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise BadLine("no JSON") from error
    if not isinstance(values, dict):
        raise BadLine("no JSON object")
    missing = [name for name in FIELDS if name not in values]
    if missing:
        raise BadLine(f"without {missing[0]}")
    _text(values, "id", _NAME)
    _text(values, "device", _NAME)
    _text(values, "kind", _KIND)
    _whole(values, "number", 1, 10**15)
    _whole(values, "at", 0, _LATEST)
    _whole(values, "utc_offset", -86_400, 86_400)
    _whole(values, "day", _FIRST_DAY, _LAST_DAY)
    _whole(values, "ms", 0, 10**12)
    if values["grade"] is not None:
        _whole(values, "grade", 0, 5)
    if not isinstance(values["card"], str) or len(values["card"]) > 200 or not values["card"].isprintable():
        raise BadLine("card")
    if values["undoes"] != "":
        _text(values, "undoes", _NAME)
    if not isinstance(values["detail"], dict) or MORE in values["detail"]:
        raise BadLine("detail")
    if values["kind"] in ("review", "drill", "cram", "mock") and values["grade"] is None:
        raise BadLine("an answer without a grade")
    detail: Mapping[str, Any] = values["detail"]
    more = {name: value for name, value in values.items() if name not in FIELDS}
    known = {name: values[name] for name in FIELDS if name != "detail"}
    return Event(**known, detail={**detail, MORE: more} if more else detail)


def _refuse(constant: str) -> float:
    raise ValueError(constant)


def _text(values: Mapping[str, Any], name: str, pattern: re.Pattern[str]) -> None:
    if not isinstance(values[name], str) or not pattern.fullmatch(values[name]):
        raise BadLine(name)


def _whole(values: Mapping[str, Any], name: str, least: int, most: int) -> None:
    value = values[name]
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadLine(name)
