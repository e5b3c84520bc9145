"""The study day: which calendar date an instant counts towards.

A study day ends at the rollover hour of local time (04:00 unless set otherwise). It is computed once,
when an answer is given, and kept with the answer: nothing recomputes the past, so neither a change of
zone nor of the rollover hour moves what was done.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

DEFAULT_ROLLOVER = 4


def study_day(instant_ms: int, utc_offset_s: int, rollover_hour: int = DEFAULT_ROLLOVER) -> int:
    """The study day as a proleptic ordinal (`date.toordinal`).

    `instant_ms` is milliseconds since 1970 UTC, `utc_offset_s` the local clock's offset then in seconds,
    east positive. ValueError if the rollover hour is not 0 to 23.
    """
    if not 0 <= rollover_hour <= 23:
        raise ValueError(f"a rollover hour is 0 to 23, not {rollover_hour}")
    local = instant_ms // 1000 + utc_offset_s - rollover_hour * 3600
    return date(1970, 1, 1).toordinal() + local // 86_400


def to_date(day: int) -> date:
    """The calendar date of a study day."""
    return date.fromordinal(day)


def instant_of(moment: datetime) -> tuple[int, int]:
    """(milliseconds since 1970 UTC, UTC offset in seconds) of an aware datetime. ValueError if naive."""
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("the moment needs a time zone")
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(milliseconds=1), offset // timedelta(seconds=1)
