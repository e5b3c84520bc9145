"""Counts and long times as worked lines have them: ``69.3B``, ``14.8T``, ``54.3 days``."""

from __future__ import annotations

from quiz.calculators import figures

LETTERS: tuple[tuple[str, int], ...] = (("T", 10**12), ("B", 10**9), ("M", 10**6))
DAY, HOUR = 86_400, 3600


def count(value: float) -> str:
    """A count with a letter from a million on, to four digits, unless it is short in full: ``14.8T``, ``8.03B``, ``4,096``."""
    for letter, size in LETTERS:
        if abs(value) >= size:
            return f"{figures.number(float(f'{value / size:.4g}'))}{letter}"
    return figures.number(value)


def duration(seconds: float) -> str:
    """A time in days from two on, else in hours from two on, else as `figures.seconds`: ``54.3 days``, ``30 h``."""
    for unit, size in (("days", DAY), ("h", HOUR)):
        if seconds >= 2 * size:
            return f"{figures.number(float(f'{seconds / size:.4g}'))} {unit}"
    return figures.seconds(seconds)
