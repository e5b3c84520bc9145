"""The log and what it replays to."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz import sm2
from quiz.history import Event, Progress, apply, fresh, ordered, replay


def event(number: int, kind: str, card: str = "c", grade: int | None = None, day: int = 100, **more: object) -> Event:
    values: dict[str, object] = {"at": number * 1000, "device": "a", "utc_offset": 0} | more
    return Event(id=f"{values['device']}{number}", number=number, kind=kind, card=card, grade=grade, day=day, **values)  # type: ignore[arg-type]


def after(*events: Event) -> Progress:
    return replay(events).get("c", fresh())


def test_next_due_day_counts_from_the_day_of_the_answer() -> None:
    late = after(event(1, "review", grade=4, day=100), event(2, "review", grade=4, day=150))
    assert late.due == 156


def test_failure_restarts_and_counts_a_lapse_only_for_a_learned_card() -> None:
    assert after(event(1, "review", grade=1)).lapses == 0
    learned = after(event(1, "review", grade=4), event(2, "review", grade=2, day=101))
    assert (learned.lapses, learned.due, learned.schedule.repetitions) == (1, 102, 0)


def test_answer_counts_once_a_study_day() -> None:
    once = after(event(1, "review", grade=4))
    twice = after(event(1, "review", grade=4), event(2, "review", grade=5))
    assert replace(twice, drill=None) == replace(once, drill=None)


def test_below_four_owes_a_drill_that_moves_nothing() -> None:
    owed = after(event(1, "review", grade=3))
    assert owed.drill == 100
    still = after(event(1, "review", grade=3), event(2, "drill", grade=2))
    assert still == owed
    done = after(event(1, "review", grade=3), event(2, "drill", grade=2), event(3, "drill", grade=4))
    assert done == replace(owed, drill=None)


def test_drill_of_an_earlier_day_is_not_owed_today() -> None:
    assert after(event(1, "review", grade=3, day=99)).drill == 99


@pytest.mark.parametrize("kind", ["cram", "mock"])
def test_cram_and_mock_only_ever_reset_a_learned_card(kind: str) -> None:
    learned = after(event(1, "review", grade=4), event(2, "review", grade=4, day=101))
    passed = after(event(1, "review", grade=4), event(2, "review", grade=4, day=101), event(3, kind, grade=5, day=103))
    failed = after(event(1, "review", grade=4), event(2, "review", grade=4, day=101), event(3, kind, grade=1, day=103))
    assert passed == learned
    assert (failed.due, failed.schedule.repetitions) == (104, 0)
    assert after(event(1, kind, grade=0)) == fresh()


def test_undo_of_anything_gives_what_was_before() -> None:
    rng = random.Random(5)
    kinds = ["review", "drill", "cram", "suspend", "unsuspend", "bury", "reset", "note", "flag", "unflag"]
    log: list[Event] = []
    before = [after()]
    for n in range(1, 60):
        kind = rng.choice(kinds)
        grade = rng.randrange(6) if kind in ("review", "drill", "cram") else None
        log.append(event(n, kind, grade=grade, day=100 + n // 3, detail={"text": f"t{n}"}))
        before.append(after(*log))
    for n in range(60, 119):
        undone = log[59 - (n - 59)]
        log.append(event(n, "undo", undoes=undone.id))
        assert after(*log) == before[59 - (n - 59)]


def test_note_and_flag_are_kept_through_a_reset() -> None:
    kept = after(
        event(1, "note", detail={"text": "mine"}), event(2, "flag", detail={"text": "wrong"}), event(3, "reset")
    )
    assert (kept.note, kept.flag, kept.due) == ("mine", "wrong", None)


def test_clock_set_back_does_not_reorder_one_machine() -> None:
    first, second = event(1, "review", grade=4, at=9_000), event(2, "suspend", at=1_000)
    assert ordered([second, first]) == [first, second]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 50), st.integers(0, 5)), max_size=25), st.randoms())
def test_order_of_arrival_does_not_matter(rows: list[tuple[str, int, int]], rng: random.Random) -> None:
    numbers = {"a": 0, "b": 0}
    events = []
    for device, at, grade in rows:
        numbers[device] += 1
        events.append(event(numbers[device], "review", grade=grade, day=100 + at, at=at * 1000, device=device))
    shuffled = list(events)
    rng.shuffle(shuffled)
    assert replay(shuffled) == replay(events)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=30))
def test_replay_never_leaves_the_laws(rows: list[tuple[int, int]]) -> None:
    day, progress = 100, fresh()
    for n, (step, grade) in enumerate(rows, 1):
        day += step
        progress = apply(progress, event(n, "review", grade=grade, day=day))
        assert progress.due is not None
        assert progress.last is not None
        assert progress.due > progress.last
        assert progress.schedule.ease >= sm2.LOWEST_EASE


def test_a_kind_of_a_newer_program_changes_nothing() -> None:
    assert apply(fresh(), event(1, "dance")) == fresh()


def test_missing_and_impossible_grades_are_refused() -> None:
    with pytest.raises(ValueError, match="without a grade"):
        apply(fresh(), event(1, "review"))
    with pytest.raises(ValueError, match="0 to 5"):
        apply(fresh(), event(1, "review", grade=7))


def test_leech_is_eight_lapses() -> None:
    assert not replace(fresh(), lapses=7).leech
    assert replace(fresh(), lapses=8).leech
