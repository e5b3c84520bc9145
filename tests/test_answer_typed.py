"""Typed answers, written down with the verdict that a fair examiner gives before the program was asked.

Columns: what was typed, the unit that the question names (- for none), the right value, the verdict, the tolerance
(0.01 where empty).
"""

from __future__ import annotations

import csv
from pathlib import Path

from quiz.answer import check_quantity

DATA = Path(__file__).parent / "data" / "typed_answers.tsv"
REQUIRED = 0.98


def rows() -> list[dict[str, str]]:
    with DATA.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def verdict(row: dict[str, str]) -> str:
    unit = None if row["unit"] == "-" else row["unit"]
    return check_quantity(row["typed"], row["expected"], unit, float(row["rtol"] or 0.01)).verdict


def is_chinese(text: str) -> bool:
    return any("\u3000" <= c <= "\uffef" for c in text)


def test_the_set_covers_both_languages_and_all_verdicts() -> None:
    found = rows()
    assert len(found) >= 300
    assert 0.4 <= sum(is_chinese(row["typed"]) for row in found) / len(found) <= 0.6
    assert len({row["unit"] for row in found}) >= 20
    for kind in ("correct", "incorrect", "unreadable"):
        assert sum(row["verdict"] == kind for row in found) >= 50


def test_typed_answers_get_the_verdict_that_an_examiner_gives() -> None:
    found = [(row, verdict(row)) for row in rows()]
    wrong = [(row["typed"], row["expected"], row["verdict"], given) for row, given in found if given != row["verdict"]]
    assert len(wrong) <= (1 - REQUIRED) * len(found), wrong
    graded = [item for item in wrong if item[2] == "unreadable"]
    assert not graded
