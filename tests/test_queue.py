"""Today's queue: order, limits, families, what is held back."""

from __future__ import annotations

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from quiz.card import Summary
from quiz.history import Progress, fresh
from quiz.language import same
from quiz.queue import Limits, build, cram, families, spread
from quiz.sm2 import State

TODAY = 1000


def card(name: str, *, asked: int = 0, difficulty: int = 1, follow_ups: tuple[str, ...] = ()) -> Summary:
    companies = {f"company-{n}": 1 for n in range(asked)}
    return Summary(name, "deck", "training", "concept", difficulty, companies, (), follow_ups, same(name))


def due(days_ago: int, interval: int = 10, **more: object) -> Progress:
    return replace(
        fresh(),
        schedule=State(3, interval, 250),
        due=TODAY - days_ago,
        first=1,
        last=TODAY - 50,
        **more,  # type: ignore[arg-type]
    )


def ids(queue: object) -> list[str]:
    return [item.card for item in queue.items]  # type: ignore[attr-defined]


def test_overdue_by_relative_overdueness_then_due_then_new_by_companies() -> None:
    cards = [card(n) for n in ("today", "late-long", "late-short")] + [card("few", asked=1), card("many", asked=4)]
    progress = {"today": due(0), "late-long": due(10, 100), "late-short": due(5, 5)}
    queue = build(cards, progress, day=TODAY, limits=Limits())
    assert ids(queue) == ["late-short", "late-long", "today", "many", "few"]


def test_same_seed_same_order_other_seed_other_order() -> None:
    cards = [card(f"c{n}") for n in range(30)]
    once, again, other = (build(cards, {}, day=TODAY, limits=Limits(30), seed=s) for s in (1, 1, 2))
    assert once == again
    assert ids(once) != ids(other)
    assert sorted(ids(once)) == sorted(ids(other))


def test_limits_count_what_was_already_answered_today_and_say_what_they_hold_back() -> None:
    answered = {
        "new-today": replace(due(-1), first=TODAY, last=TODAY),
        "due-today": replace(due(-5), last=TODAY),
    }
    cards = [card(f"n{n}") for n in range(5)] + [card(f"d{n}") for n in range(5)] + [card(n) for n in answered]
    progress = answered | {f"d{n}": due(1) for n in range(5)}
    queue = build(cards, progress, day=TODAY, limits=Limits(new=3, reviews=4))
    assert (queue.new, queue.due) == (2, 3)
    assert (queue.held_back.new, queue.held_back.due) == (3, 2)


def test_review_limit_does_not_hide_new_cards() -> None:
    cards = [card("n"), card("d")]
    queue = build(cards, {"d": due(1)}, day=TODAY, limits=Limits(new=5, reviews=0))
    assert ids(queue) == ["n"]
    assert queue.held_back.due == 1


def test_lowered_limit_gives_nothing_and_can_be_raised_again() -> None:
    cards = [card(f"c{n}") for n in range(4)]
    answered = {"c0": replace(due(-1), first=TODAY, last=TODAY), "c1": replace(due(-1), first=TODAY, last=TODAY)}
    assert build(cards, answered, day=TODAY, limits=Limits(new=1)).new == 0
    assert build(cards, answered, day=TODAY, limits=Limits(new=4)).new == 2


def test_suspended_and_buried_are_held_back_and_counted() -> None:
    cards = [card("s"), card("b"), card("old")]
    progress = {"s": due(1, suspended=True), "b": due(1, buried=TODAY), "old": due(1, buried=TODAY - 1)}
    queue = build(cards, progress, day=TODAY, limits=Limits())
    assert ids(queue) == ["old"]
    assert (queue.held_back.suspended, queue.held_back.buried) == (1, 1)


def test_drill_owed_today_comes_again_in_any_later_session_of_the_day() -> None:
    owed = replace(due(-1), last=TODAY, first=TODAY, drill=TODAY)
    queue = build([card("c")], {"c": owed}, day=TODAY, limits=Limits())
    assert [item.card for item in queue.drills] == ["c"]
    assert build([card("c")], {"c": owed}, day=TODAY + 1, limits=Limits()).drills == ()


def test_next_due_day_is_known_when_nothing_is_due() -> None:
    queue = build([card("a"), card("b")], {"a": due(-3), "b": due(-7)}, day=TODAY, limits=Limits())
    assert queue.items == ()
    assert queue.next_due == TODAY + 3


def test_family_is_not_asked_back_to_back_while_a_stranger_is_left() -> None:
    family = [card("a", asked=9, follow_ups=("b", "c")), card("b", asked=8), card("c", asked=7)]
    queue = build([*family, card("x", asked=6), card("y", asked=5)], {}, day=TODAY, limits=Limits())
    assert ids(queue) == ["a", "x", "b", "y", "c"]


LINKS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=12)


@given(LINKS)
def test_spread_loses_nothing_and_parts_families_where_it_can(links: list[tuple[int, int]]) -> None:
    cards = [card(f"c{n}", follow_ups=tuple(f"c{to}" for origin, to in links if origin == n)) for n in range(12)]
    order = spread(cards)
    assert sorted(c.id for c in order) == sorted(c.id for c in cards)
    kin = families(cards)
    for n, (left, right) in enumerate(itertools.pairwise(order)):
        if right.id in kin[left.id]:
            assert all(later.id in kin[left.id] for later in order[n + 1 :])


def test_cram_takes_all_whatever_is_due() -> None:
    cards = [card(f"c{n}") for n in range(9)]
    items = cram(cards, seed=3)
    assert sorted(item.card for item in items) == sorted(c.id for c in cards)
    assert items == cram(list(reversed(cards)), seed=3)
