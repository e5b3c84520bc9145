"""A sitting at the desk: what is logged, what an undo gives back, what moves the schedule."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from conftest import Clock

from quiz.day import to_date
from quiz.desk import Desk
from quiz.errors import UnknownName
from quiz.study import Selection, Study

SMALL = Path(__file__).parent / "data" / "small.yaml"
ALL = Selection(decks=("small",))


@pytest.fixture(autouse=True)
def own_deck(home: Path) -> None:
    (home / "decks").mkdir(parents=True)
    shutil.copy(SMALL, home / "decks")


@pytest.fixture
def study(new_desk: Callable[..., Desk]) -> Study:
    return new_desk().study


def asked(study: Study) -> str | None:
    return study.asked.card.id if study.asked else None


def go_to(study: Study, card: str) -> None:
    while asked(study) != card:
        study.skip()


def test_sitting_from_first_card_to_last(study: Study) -> None:
    study.begin(ALL)
    assert study.session.counts.new == 3
    seen = []
    while study.asked:
        seen.append(asked(study))
        study.reveal()
        study.grade(4)
    assert sorted(filter(None, seen)) == ["bubble", "hostile", "third"]
    assert [event.kind for event in study.store.events()] == ["review"] * 3
    assert study.todays_queue(ALL).items == ()
    assert study.store.verify() == []


def test_number_right_at_first_proposes_four_and_logs_what_was_typed(study: Study) -> None:
    study.begin(ALL)
    go_to(study, "bubble")
    assert study.check("about 18 elephants").verdict == "unreadable"
    assert study.check("7/39").verdict == "correct"
    assert study.proposed() == 4
    event = study.grade(4, language="zh")
    assert event.detail["typed"] == ["about 18 elephants", "7/39"]
    assert event.detail["inputs"] == {"stages": 8, "microbatches": 32, "schedule": "gpipe"}
    assert event.detail["verdict"] == "correct"
    assert event.detail["language"] == "zh"
    assert event.detail["version"]
    assert event.detail["hash"]


def test_named_slip_gives_a_second_try(study: Study) -> None:
    study.begin(ALL)
    go_to(study, "bubble")
    verdict = study.check("7/32")
    assert verdict.verdict == "incorrect"
    assert "ideal time" in verdict.slips[0].en
    assert study.asked is not None
    assert not study.asked.revealed
    study.check("7/39")
    assert study.asked.revealed
    assert study.proposed() == 3


def test_given_up_is_zero_and_a_hint_lowers(study: Study) -> None:
    study.begin(ALL)
    go_to(study, "bubble")
    study.hint()
    study.check("7/39")
    assert study.proposed() == 3
    study.grade(3)
    assert study.store.events()[-1].detail["hint"] is True


def test_points_ticked_propose_the_grade(study: Study) -> None:
    study.begin(ALL)
    go_to(study, "hostile")
    study.reveal("my answer")
    assert study.proposed() == 0
    study.tick(0)
    study.tick(2)
    assert study.proposed() == 3
    study.tick(2)
    study.tick(9)
    assert study.proposed() == 2
    event = study.grade(5)
    assert event.detail["ticked"] == [0]
    assert event.detail["proposed"] == 2
    assert event.detail["typed"] == ["my answer"]


def test_next_interval_is_shown_for_each_grade_and_is_what_comes(study: Study, clock: Clock) -> None:
    study.begin(ALL)
    assert study.intervals() == (1, 1, 1, 1, 1, 1)
    card = asked(study)
    study.grade(5)
    clock.pass_days(1)
    study.begin(ALL)
    go_to(study, str(card))
    assert study.intervals() == (1, 1, 1, 6, 6, 6)
    study.grade(3)
    assert study.store.progress_of(str(card)).due == study.today() + 6


def test_undo_gives_back_the_very_card_even_after_the_last_and_after_a_restart(new_desk: Callable[..., Desk]) -> None:
    study = new_desk().study
    study.begin(ALL)
    order = []
    while study.asked:
        order.append(asked(study))
        study.grade(4)
    for card in reversed(order):
        again = new_desk().study
        again.begin(ALL)
        assert again.undo() is not None
        assert asked(again) == card
        assert again.store.progress_of(str(card)).due is None
        assert again.store.verify() == []
    last = new_desk().study
    last.begin(ALL)
    assert last.undo() is None
    assert last.session.counts.new == 3


def test_counts_never_drift_over_grade_and_undo(study: Study) -> None:
    study.begin(ALL)
    before = study.session.counts
    for grade in (4, 1, 5, 0, 3):
        study.grade(grade)
        study.undo()
        assert study.session.counts == before
        assert study.todays_queue(ALL).new == 3


def test_failed_card_comes_again_in_this_sitting_and_in_a_later_one_of_the_day(
    new_desk: Callable[..., Desk], clock: Clock
) -> None:
    study = new_desk().study
    study.begin(ALL)
    first = asked(study)
    study.grade(1)
    study.grade(4)
    study.grade(4)
    assert asked(study) == first
    later = new_desk().study
    later.begin(ALL)
    assert asked(later) == first
    later.grade(4)
    assert later.asked is None
    assert [e.kind for e in later.store.events()] == ["review", "review", "review", "drill"]
    clock.pass_days(1)
    later.begin(ALL)
    assert asked(later) == first or later.session.counts.due == 3


def test_day_ends_at_the_rollover_hour_and_what_was_done_stays(study: Study, clock: Clock) -> None:
    study.begin(ALL)
    study.grade(4)
    done = study.store.events()[0].day
    clock.pass_days(6 / 24)  # 02:00 the next morning
    assert study.today() == done
    clock.pass_days(2 / 24)  # 04:00
    assert study.today() == done + 1
    assert study.store.events()[0].day == done


def test_buried_card_is_back_tomorrow_and_a_suspended_one_is_not(study: Study, clock: Clock) -> None:
    study.begin(ALL)
    go_to(study, "hostile")
    study.bury()
    go_to(study, "third")
    study.suspend()
    queue = study.todays_queue(ALL)
    assert (queue.new, queue.held_back.buried, queue.held_back.suspended) == (1, 1, 1)
    clock.pass_days(1)
    queue = study.todays_queue(ALL)
    assert (queue.new, queue.held_back.buried, queue.held_back.suspended) == (2, 0, 1)


@pytest.mark.parametrize("action", ["bury", "suspend"])
def test_set_aside_card_comes_back_with_undo(study: Study, action: str) -> None:
    study.begin(ALL)
    card = asked(study)
    getattr(study, action)()
    assert asked(study) != card
    study.undo()
    assert asked(study) == card
    assert study.session.counts.new == 3


def test_note_and_flag_show_with_the_card_at_once(study: Study) -> None:
    study.begin(ALL)
    card = str(asked(study))
    study.note(card, "  mnemonic  ")
    study.flag(card, "typo")
    assert study.asked is not None
    assert (study.asked.progress.note, study.asked.progress.flag) == ("mnemonic", "typo")
    study.undo()
    assert study.asked.progress.flag is None
    assert asked(study) == card


def test_cram_moves_nothing_unless_a_learned_card_fails(study: Study) -> None:
    study.begin(ALL)
    while study.asked:
        study.grade(4)
    before = study.store.progress()
    study.begin(Selection(decks=("small",), cram=True))
    assert study.session.counts.due == 3
    assert study.intervals()[5] == 0
    failed = str(asked(study))
    study.grade(0)
    study.grade(5)
    study.grade(5)
    after = study.store.progress()
    assert {card for card in after if after[card] != before[card]} == {failed}
    assert after[failed].due == study.today() + 1


def test_seed_repeats_a_sitting(new_desk: Callable[..., Desk]) -> None:
    def order() -> list[object]:
        study = new_desk().study
        study.begin(Selection(decks=("small",), cram=True, seed=42))
        return [(item.card, item.kind) for item in study.session.pending]

    assert order() == order()


def test_limit_and_filters(study: Study) -> None:
    study.begin(Selection(decks=("small",), limit=2))
    assert study.session.counts.new == 2
    study.begin(Selection(tags=("markup",), decks=("small",)))
    assert study.session.counts.new == 2
    study.begin(Selection(decks=("small",), new=0))
    assert study.asked is None
    with pytest.raises(UnknownName, match="small"):
        study.begin(Selection(decks=("smal",)))


def test_language_of_the_question_does_not_split_a_card(study: Study) -> None:
    study.begin(ALL)
    card = str(asked(study))
    study.grade(4, language="zh")
    assert study.store.progress_of(card).reviews == 1
    assert set(study.store.progress()) == {card}


def test_nothing_asked_refuses_answers(study: Study) -> None:
    with pytest.raises(ValueError, match="nothing"):
        study.grade(4)


def test_clock_set_back_during_an_answer_gives_no_negative_time(study: Study, clock: Clock) -> None:
    study.begin(ALL)
    clock.pass_days(-0.5)
    study.grade(4)
    assert study.store.events()[0].ms == 0
    assert study.store.verify() == []


def test_typo_mended_keeps_the_history(study: Study, home: Path, new_desk: Callable[..., Desk]) -> None:
    study.begin(ALL)
    card = str(asked(study))
    study.grade(4)
    deck = home / "decks" / "small.yaml"
    text = deck.read_text(encoding="utf-8")
    deck.write_text("# a line above\n\n" + text.replace("third question", "third question, reworded"), encoding="utf-8")
    again = new_desk().study
    assert again.todays_queue(ALL).new == 2
    assert again.store.progress_of(card).reviews == 1


def test_card_that_its_calculator_refuses_is_told_and_the_sitting_goes_on(
    home: Path, new_desk: Callable[..., Desk]
) -> None:
    deck = home / "decks" / "small.yaml"
    text = deck.read_text(encoding="utf-8")
    deck.write_text(text.replace("schedule: gpipe", "schedule: interleaved").replace("32", "33"), encoding="utf-8")
    study = new_desk().study
    study.begin(ALL)
    seen = []
    while study.asked:
        seen.append(asked(study))
        study.grade(4)
    assert sorted(filter(None, seen)) == ["hostile", "third"]
    assert "bubble" in study.troubles[0].en


def test_card_reviewed_in_the_morning_is_due_the_next_morning_even_earlier(study: Study, clock: Clock) -> None:
    clock.moment = clock.moment.replace(hour=9, minute=0)
    study.begin(ALL)
    card = str(asked(study))
    study.grade(4)
    clock.pass_days(1 - 5 / 1440)  # 08:55
    assert card in [item.card for item in study.todays_queue(ALL).items]


def test_failed_new_card_is_due_tomorrow_and_no_later(study: Study) -> None:
    study.begin(ALL)
    card = str(asked(study))
    study.grade(0)
    assert study.store.progress_of(card).due == study.today() + 1


def test_thinking_time_is_what_it_took(study: Study, clock: Clock) -> None:
    study.begin(ALL)
    clock.pass_days(73 / 86_400)
    study.grade(4)
    clock.pass_days(5 / 86_400)
    study.grade(4)
    assert [event.ms for event in study.store.events()] == [73_000, 5_000]


def test_rollover_that_is_set_holds_everywhere_and_moves_nothing_done(
    new_desk: Callable[..., Desk], home: Path, clock: Clock
) -> None:
    study = new_desk().study
    clock.moment = clock.moment.replace(hour=5, minute=0)
    study.begin(ALL)
    study.grade(4)
    done = study.store.events()[0]
    (home / "settings.json").write_text('{"rollover": 6}', encoding="utf-8")
    later = new_desk().study
    assert later.today() == study.today() - 1
    later.begin(ALL)
    later.grade(4)
    assert [event.day for event in later.store.events()] == [done.day, done.day - 1]
    assert later.store.verify() == []


def test_moved_home_keeps_everything(new_desk: Callable[..., Desk], home: Path, tmp_path: Path) -> None:
    study = new_desk().study
    study.begin(ALL)
    card = str(asked(study))
    study.grade(4)
    study.store.close()
    shutil.move(home, tmp_path / "elsewhere")
    moved = new_desk(QUIZ_HOME=str(tmp_path / "elsewhere")).study
    assert moved.store.progress_of(card).reviews == 1
    assert moved.todays_queue(ALL).new == 2


@pytest.mark.parametrize("offset_hours", [-8, 0, 14])
def test_evening_answer_counts_for_the_local_day(study: Study, clock: Clock, offset_hours: int) -> None:
    clock.moment = datetime(2026, 11, 30, 21, tzinfo=timezone(timedelta(hours=offset_hours)))
    study.begin(ALL)
    event = study.grade(4)
    assert to_date(event.day).isoformat() == "2026-11-30"
    assert event.utc_offset == offset_hours * 3600


def test_undo_in_a_cram_keeps_the_schedule_out_of_it(study: Study) -> None:
    study.begin(Selection(decks=("small",), cram=True))
    study.suspend()
    study.undo()
    event = study.grade(5)
    assert event.kind == "cram"
    assert study.store.progress_of(event.card).due is None


def test_undo_of_a_drill_leaves_the_counts_as_they_were(study: Study) -> None:
    study.begin(ALL)
    for grade in (1, 4, 4):
        study.grade(grade)
    before = study.session.counts
    study.grade(4)
    study.undo()
    assert study.session.counts == before
    assert study.asked is not None
    assert study.asked.item.kind == "drill"


def test_undo_of_yesterdays_drill_asks_the_card_as_due(new_desk: Callable[..., Desk], clock: Clock) -> None:
    study = new_desk().study
    study.begin(ALL)
    for grade in (1, 4, 4, 4):
        study.grade(grade)
    clock.pass_days(1)
    study = new_desk().study
    study.begin(ALL)
    before = study.session.counts
    study.undo()
    assert study.session.counts == before
    assert study.asked is not None
    assert study.asked.item.kind == "due"


def test_so_many_more_new_cards_after_the_days_share(study: Study) -> None:
    study.begin(Selection(decks=("small",), new=1))
    study.grade(4)
    assert study.asked is None
    study.begin(Selection(decks=("small",), new=1))
    assert study.session.counts.new == 1
