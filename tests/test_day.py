"""The study day: zones, clock changes, the rollover hour."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.day import instant_of, study_day, to_date


def day_of(text: str, zone: str, rollover: int = 4, fold: int = 0) -> date:
    moment = datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)
    return to_date(study_day(*instant_of(moment), rollover))


@pytest.mark.parametrize(
    ("moment", "zone", "rollover", "day"),
    [
        ("2026-11-30T03:59", "Asia/Shanghai", 4, "2026-11-29"),
        ("2026-11-30T04:00", "Asia/Shanghai", 4, "2026-11-30"),
        ("2026-11-30T23:59", "Asia/Shanghai", 4, "2026-11-30"),
        ("2026-11-30T21:00", "America/Los_Angeles", 4, "2026-11-30"),  # evening west of Greenwich is not tomorrow
        ("2026-10-25T23:28", "Europe/Berlin", 4, "2026-10-25"),  # the day on which summer time ended
        ("2026-03-29T03:30", "Europe/Berlin", 4, "2026-03-28"),  # the day on which it began
        ("2026-03-29T04:00", "Europe/Berlin", 4, "2026-03-29"),
        ("2026-11-30T05:59", "Asia/Kolkata", 6, "2026-11-29"),
        ("2026-11-30T00:00", "Pacific/Auckland", 0, "2026-11-30"),
    ],
)
def test_day_of_an_instant(moment: str, zone: str, rollover: int, day: str) -> None:
    assert day_of(moment, zone, rollover) == date.fromisoformat(day)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"])
def test_no_day_is_missing_or_doubled_over_a_year_of_noons(zone: str) -> None:
    noons = [datetime(2026, 1, 1, 12, tzinfo=ZoneInfo(zone)) + timedelta(days=n) for n in range(366)]
    days = [study_day(*instant_of(noon)) for noon in noons]
    assert days == list(range(days[0], days[0] + 366))


@pytest.mark.parametrize("fold", [0, 1])
def test_hour_that_happens_twice_stays_on_one_day(fold: int) -> None:
    assert day_of("2026-10-25T02:30", "Europe/Berlin", 2, fold) == date(2026, 10, 25)


@given(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)), st.integers(-14 * 4, 14 * 4), st.integers(0, 23))
def test_day_is_the_local_date_of_the_shifted_clock(moment: datetime, quarters: int, rollover: int) -> None:
    at = int(moment.replace(tzinfo=UTC).timestamp() * 1000)
    offset = quarters * 900
    local = moment + timedelta(seconds=offset) - timedelta(hours=rollover)
    assert to_date(study_day(at, offset, rollover)) == local.date()


@pytest.mark.parametrize("zone", [UTC, ZoneInfo("UTC"), ZoneInfo("Etc/UTC")])
def test_any_spelling_of_utc_is_taken(zone: ZoneInfo) -> None:
    assert instant_of(datetime(1970, 1, 2, tzinfo=zone)) == (86_400_000, 0)


def test_naive_moment_and_impossible_rollover_are_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        instant_of(datetime(2026, 1, 1))
    with pytest.raises(ValueError, match="rollover"):
        study_day(0, 0, 24)
