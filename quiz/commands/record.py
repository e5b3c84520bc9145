"""Commands on the learner's record: log, why, note, flag, suspend, undo, verify, config."""

from __future__ import annotations

import json as jsonlib
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from quiz import settings as setting
from quiz.day import to_date
from quiz.desk import Desk
from quiz.history import ANSWERS, Event, Progress, apply, fresh, moves_schedule, ordered
from quiz.terminal import clip, columns, print_json, safe


def log(desk: Desk, card: str | None, json: bool) -> int:
    if card is not None:
        card = _known(desk, card)
    events = desk.store.events(card)
    if json:
        print_json({"events": [_event(event) for event in events]})
        return 0
    if not events:
        print(desk.say("record.empty"))
    undone = {event.undoes for event in events if event.undoes}
    rows = []
    for event in events:
        grade = "" if event.grade is None else str(event.grade)
        typed = event.detail.get("typed") or [event.detail.get("text", "")]
        mark = desk.say("record.taken_back") if event.id in undone else ""
        said = clip(safe(str(typed[-1])), 40)
        rows.append([_when(event), desk.say(f"record.kind_{event.kind}"), event.card, grade, said, mark])
    for line in columns(rows):
        print(line)
    return 0


def why(desk: Desk, card: str, json: bool) -> int:
    card = desk.library.card(card).id
    state, today = desk.store.progress_of(card), desk.study.today()
    answers = [e for e in _standing(desk.store.events(card)) if e.kind in ANSWERS]
    sentence = why_sentence(desk, state, today, answers)
    if json:
        print_json(
            {
                "card": card,
                "why": sentence,
                "due": to_date(state.due).isoformat() if state.due else None,
                "last": to_date(state.last).isoformat() if state.last else None,
                "repetitions": state.schedule.repetitions,
                "interval_days": state.schedule.interval_days,
                "ease": state.schedule.ease / 100,
                "lapses": state.lapses,
                "suspended": state.suspended,
                "leech": state.leech,
            }
        )
        return 0
    print(sentence)
    return 0


def why_sentence(desk: Desk, state: Progress, today: int, answers: list[Event]) -> str:
    """Why the card is due when it is, in one or two sentences."""
    if state.suspended:
        return desk.say("record.why_suspended")
    if state.due is None or state.last is None:
        return desk.say("record.why_new")
    values: dict[str, Any] = {
        "last": to_date(state.last).isoformat(),
        "due": to_date(state.due).isoformat(),
        "days": state.schedule.interval_days,
        "ease": f"{state.schedule.ease / 100:.2f}",
        "repetitions": state.schedule.repetitions,
        "grade": _deciding_grade(answers),
    }
    parts = [desk.say("record.why_failed" if state.schedule.repetitions == 0 else "record.why_due", **values)]
    if state.due < today:
        parts.append(desk.say("record.why_overdue", days=today - state.due))
    if state.buried == today:
        parts.append(desk.say("record.why_buried"))
    if state.drill == today:
        parts.append(desk.say("record.why_drill"))
    if state.leech:
        parts.append(desk.say("record.why_leech", lapses=state.lapses))
    return " ".join(parts)


def _deciding_grade(answers: list[Event]) -> int | None:
    """The grade of the latest answer that moved the schedule; drills and second answers of a day do not."""
    progress, grade = fresh(), None
    for event in answers:
        if moves_schedule(progress, event):
            grade = event.grade
        progress = apply(progress, event)
    return grade


def note(desk: Desk, card: str, text: str | None, json: bool) -> int:
    card = desk.library.card(card).id
    if text is not None:
        desk.study.note(card, text)
    kept = desk.store.progress_of(card).note
    if json:
        print_json({"card": card, "note": kept})
    else:
        print(safe(kept) if kept else desk.say("record.no_note", card=card))
    return 0


def flag(desk: Desk, card: str, text: str, clear: bool) -> int:
    card = desk.library.card(card).id
    if clear:
        desk.study.unflag(card)
    else:
        desk.study.flag(card, text)
    print(desk.say("record.unflagged" if clear else "record.flagged", card=card))
    return 0


def suspend(desk: Desk, card: str, clear: bool) -> int:
    card = desk.library.card(card).id
    desk.study.suspend_card(card, clear=clear)
    print(desk.say("record.unsuspended" if clear else "record.suspended", card=card))
    return 0


def undo(desk: Desk) -> int:
    undone = desk.study.undo()
    if undone is None:
        print(desk.say("record.nothing_to_undo"))
        return 0
    print(desk.say("record.undone", what=desk.say(f"record.kind_{undone.kind}"), card=undone.card, when=_when(undone)))
    for trouble in desk.study.troubles:
        print(safe(desk.words(trouble)))
    return 0


def verify(desk: Desk, rebuild: bool, json: bool) -> int:
    rebuilt = desk.store.rebuild() if rebuild else None
    faults = desk.store.verify()
    if json:
        print_json({"faults": faults, "rebuilt": rebuilt})
    elif faults:
        for fault in faults:
            print(fault)
        print(desk.say("record.mend"))
    else:
        print(desk.say("record.sound", events=len(desk.store.events())))
    return 1 if faults else 0


def config(desk: Desk, key: str, value: str | None, json: bool) -> int:
    if value is not None:
        old = setting.load(desk.places.settings, lenient=True)
        setting.save(desk.places.settings, setting.changed(old, key, value))
        desk.__dict__.pop("settings", None)
    shown = [setting.known(key)] if key else list(setting.names())
    if json:
        print_json(
            {
                "file": str(desk.places.settings),
                "settings": {
                    name: {
                        "value": getattr(desk.settings, name),
                        "default": getattr(setting.Settings(), name),
                        "can_be": setting.good_values(name),
                    }
                    for name in shown
                },
            }
        )
        return 0
    rows = [
        [
            name,
            setting.show(desk.settings, name),
            desk.say("record.default", value=setting.show(setting.Settings(), name)),
            setting.good_values(name),
            desk.words(setting.about(name)),
        ]
        for name in shown
    ]
    for line in columns(rows):
        print(line)
    print(desk.say("record.kept_in", path=desk.places.settings))
    print(desk.say("record.data_in", path=desk.places.database, decks=desk.places.decks))
    return 0


def _known(desk: Desk, card: str) -> str:
    """A card of the decks, or one that only the log still knows."""
    if card in desk.store.progress():
        return card
    return desk.library.card(card).id


def _standing(events: list[Event]) -> list[Event]:
    undone = {event.undoes for event in events if event.undoes}
    return [event for event in ordered(events) if event.kind != "undo" and event.id not in undone]


def _when(event: Event) -> str:
    try:
        zone = timezone(timedelta(seconds=event.utc_offset))
        return datetime.fromtimestamp(event.at / 1000, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):  # a damaged record: quiz verify tells more
        return f"@{event.at}"


def _event(event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "device": event.device,
        "number": event.number,
        "at": event.at,
        "utc_offset": event.utc_offset,
        "day": to_date(event.day).isoformat(),
        "kind": event.kind,
        "card": event.card,
        "grade": event.grade,
        "ms": event.ms,
        "undoes": event.undoes or None,
        "detail": jsonlib.loads(jsonlib.dumps(dict(event.detail))),
    }
