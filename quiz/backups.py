"""Copies of the record: one a day kept by itself, thinned out with age, and a way back from any of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from quiz.day import to_date
from quiz.errors import BadHome, BadInput
from quiz.history import Event
from quiz.language import say
from quiz.store import Happening, Store

DAILY, WEEKLY, MONTHLY = 7, 4, 12
_DECK = re.compile(r"[a-z0-9-]{1,80}\.yaml")
_NAME = re.compile(r"quiz-(\d{4}-\d\d-\d\d)\.db")


def kept(days: Iterable[date]) -> set[date]:
    """Of the days that have a copy those that keep it: the last 7, the last of each of 4 weeks, of each of 12 months."""
    newest = sorted(set(days), reverse=True)
    weeks = {day.isocalendar()[:2]: day for day in reversed(newest)}
    months = {(day.year, day.month): day for day in reversed(newest)}
    chosen = set(newest[:DAILY])
    chosen |= {weeks[week] for week in sorted(weeks, reverse=True)[:WEEKLY]}
    return chosen | {months[month] for month in sorted(months, reverse=True)[:MONTHLY]}


def daily(store: Store, folder: Path, day: int) -> Path | None:
    """Today's copy in `folder`, made if there is none yet; copies that have had their time go. None if there was one."""
    today = to_date(day)
    target = folder / f"quiz-{today.isoformat()}.db"
    if target.exists():
        return None
    store.backup(target)
    found = {
        date.fromisoformat(match[1]): path
        for path in folder.glob("quiz-*.db")
        if (match := _NAME.fullmatch(path.name)) and _is_date(match[1])
    }
    for stale in found.keys() - kept(found) - {today}:
        found[stale].unlink(missing_ok=True)
    return target


def restore(store: Store, source: Path, folder: Path, now: Happening) -> tuple[Event, Path]:
    """Put the record that `source` holds in the place of the learner's; the one replaced is kept in `folder`.

    The source is copied, brought to today's schema and checked before anything is touched. `now` says when this is.
    BadInput if it is no record of quiz, is damaged, or was written by a newer program.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".restore-{store.path.name}"
    draft.unlink(missing_ok=True)
    try:
        _checked_copy(source, draft)
        keep = free(folder, f"replaced-{to_date(now.day).isoformat()}")
        store.backup(keep)
        detail = {"kept": str(keep), "from": str(source)}
        event = store.replace_by(draft, Happening(now.at, now.utc_offset, now.day, "restore", "", detail=detail))
        return event, keep
    finally:
        for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm"), Path(f"{draft}-journal")):
            leftover.unlink(missing_ok=True)


def take_back(store: Store, change: Event, now: Happening) -> list[Path]:
    """Undo a restore or an import: what it took away comes back, what it brought counts no more.

    Deck files that it made go; those that were changed since stay and are returned. BadInput if the record that was
    kept then is gone.
    """
    brought = _brought(store, change) if "kept" in change.detail or change.kind != "import" else []
    stay = _remove_decks(store, change)
    store.take_back([*brought, change], now)
    return stay


def _brought(store: Store, change: Event) -> list[Event]:
    """The events that came with `change` and still count; those that it took away are put back."""
    keep = Path(str(change.detail.get("kept", "")))
    if not keep.is_file():
        raise BadInput(say("data.kept_gone", path=keep))
    with Store.open(keep) as before:
        lost = before.events()
    had = {event.id for event in lost}
    store.merge(lost)
    # Reviews from another program belong to a device of their own, which brings nothing in any other way.
    device = change.detail.get("device")
    undone = {event.undoes for event in store.events() if event.undoes}
    return [
        event
        for event in store.events()
        if event.id not in had
        and event.kind != "undo"
        and event.id not in undone
        and not (event.device == store.device and event.number >= change.number)
        and device in (None, event.device)
    ]


def _remove_decks(store: Store, change: Event) -> list[Path]:
    """Remove the deck files that the import made, where they are as it left them; returns the others."""
    stay = []
    files = change.detail.get("files", [])
    for entry in files if isinstance(files, list) else []:
        name, digest = map(str, entry) if isinstance(entry, list) and len(entry) == 2 else ("", "")
        path = store.path.parent / "decks" / name
        if not _DECK.fullmatch(name) or not path.is_file():
            continue
        if hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest() == digest:
            path.unlink()
        else:
            stay.append(path)
    return stay


def _checked_copy(source: Path, draft: Path) -> None:
    if not source.is_file():
        raise BadInput(say("data.no_file", path=source))
    try:
        with Store.read_only(source) as there:
            there.backup(draft)
        with Store.open(draft) as copy:
            faults = copy.verify()
            if any(fault.startswith(("file", "log")) for fault in faults):
                raise BadInput(say("data.backup_damaged", path=source, what=faults[0]))
            if faults:
                copy.rebuild()
    except BadHome as error:
        raise BadInput(say("data.no_backup", path=source, why=error.text)) from error


def free(folder: Path, name: str) -> Path:
    """A path in `folder` that is not taken."""
    path, number = folder / f"{name}.db", 2
    while path.exists():
        path, number = folder / f"{name}-{number}.db", number + 1
    return path


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
