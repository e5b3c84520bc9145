"""The learner's record in SQLite: the append-only log, and the states that it replays to.

The only module besides the migrations that knows SQLite. Every write is one transaction that takes the
write lock first (`BEGIN IMMEDIATE`), so that two processes wait for each other instead of losing something;
the write-ahead log with synchronous=FULL keeps what was committed through a crash or a power cut.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quiz.day import to_date
from quiz.errors import BadHome
from quiz.history import Event, Progress, apply, fresh, replay
from quiz.language import say
from quiz.places import on_network
from quiz.sm2 import State

SCHEMA_VERSION = 2
BUSY_TIMEOUT_S = 5.0
STALE_S = 3600
# Copied at a time, so that a long copy lets others write in between.
BACKUP_PAGES = 2000

_EVENT = "id, device, number, at, utc_offset, day, kind, card, grade, ms, undoes, detail"
_EVENT_FIELDS = tuple(_EVENT.split(", "))
_STATE = (
    "card, repetitions, interval_days, ease, due, first, last, reviews, lapses, drill, buried, suspended, note, flag"
)
_NOT_UNDONE = "kind <> 'undo' AND id NOT IN (SELECT undoes FROM events WHERE undoes <> '')"


@dataclass(frozen=True, slots=True)
class Happening:
    """What is to be logged; the store adds the id, the device and its running number."""

    at: int
    utc_offset: int
    day: int
    kind: str
    card: str
    grade: int | None = None
    ms: int = 0
    detail: Mapping[str, Any] | None = None


class Store:
    """One open record. Use as a context manager, or call `close`."""

    def __init__(self, connection: sqlite3.Connection, path: Path, new_id: Callable[[], str]) -> None:
        self._db = connection
        self._new_id = new_id
        self.path = path
        self.device = self._device()

    @classmethod
    def open(
        cls, path: Path, *, timeout_s: float = BUSY_TIMEOUT_S, new_id: Callable[[], str] = lambda: os.urandom(16).hex()
    ) -> Store:
        """Open or create the record at `path`.

        BadHome if it cannot be written, is no database, belongs to a newer program, or stays locked for `timeout_s`.
        """
        with _speaking(path):
            try:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            except OSError as error:
                raise BadHome(say("home.unwritable", path=path.parent, why=error.strerror or error)) from error
            if path.exists() and not os.access(path, os.W_OK):
                raise BadHome(say("home.unwritable", path=path, why="read-only"))
            if not path.exists():
                _sweep(path)
                _create(path, new_id)
            connection = sqlite3.connect(path, timeout=timeout_s, isolation_level=None)
            try:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version > SCHEMA_VERSION:
                    raise BadHome(say("home.newer", path=path))
                connection.execute("PRAGMA synchronous = FULL")
                if version < SCHEMA_VERSION:
                    from quiz.migrations import migrate

                    _refuse_foreign(connection, path, version)
                    migrate(connection)
                return cls(connection, path, new_id)
            except BaseException:
                connection.close()
                raise

    @classmethod
    def read_only(cls, path: Path) -> Store:
        """A record to look at and copy from. BadHome if it is none, or was written by a newer program."""
        with _speaking(path):
            connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
            try:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version > SCHEMA_VERSION:
                    raise BadHome(say("home.newer", path=path))
                _refuse_foreign(connection, path, version)
                if version == 0:
                    raise BadHome(say("home.no_database", path=path))
                return cls(connection, path, lambda: os.urandom(16).hex())
            except BaseException:
                connection.close()
                raise

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def add(self, happening: Happening) -> Event:
        """Log it and bring its card's state up to date, in one transaction that is on disk on return. BadHome if not."""
        with self._writing():
            return self._append(happening)

    def undo(self, at: int, utc_offset: int, day: int, *, card: str | None = None) -> Event | None:
        """Take back the latest thing done on this machine that was not taken back yet (of `card` if given).

        Returns the event undone, None if there is none. The log keeps both.
        """
        with self._writing():
            undone = self._latest(card)
            if undone is None:
                return None
            self._append(Happening(at, utc_offset, day, "undo", undone.card), undoes=undone.id)
            return undone

    def latest(self) -> Event | None:
        """The latest thing done on this machine that was not taken back yet: what `undo` would take back."""
        with _speaking(self.path):
            return self._latest(None)

    def _latest(self, card: str | None) -> Event | None:
        row = self._db.execute(
            f"SELECT {_EVENT} FROM events WHERE device = ? AND (? IS NULL OR card = ?) AND {_NOT_UNDONE} "
            "ORDER BY number DESC, at DESC LIMIT 1",
            (self.device, card, card),
        ).fetchone()
        return None if row is None else _event(row)

    def take_back(self, changes: Iterable[Event], now: Happening) -> None:
        """Undo each of `changes`, whoever logged it, in one transaction; `now` says when."""
        with self._writing():
            cards = set()
            for change in changes:
                undo = Happening(now.at, now.utc_offset, now.day, "undo", change.card)
                self._append(undo, undoes=change.id, replayed=False)
                cards.add(change.card)
            self._replay_cards(cards - {""})

    def progress(self) -> dict[str, Progress]:
        """The state of every card that the log names."""
        with _speaking(self.path):
            return dict(_progress(row) for row in self._db.execute(f"SELECT {_STATE} FROM states"))

    def progress_of(self, card: str) -> Progress:
        with _speaking(self.path):
            row = self._db.execute(f"SELECT {_STATE} FROM states WHERE card = ?", (card,)).fetchone()
        return _progress(row)[1] if row else fresh()

    def events(self, card: str | None = None) -> list[Event]:
        """The log, oldest first; of one card if given."""
        with _speaking(self.path):
            rows = self._db.execute(
                f"SELECT {_EVENT} FROM events WHERE ? IS NULL OR card = ? ORDER BY at, device, number", (card, card)
            )
            return [_event(row) for row in rows]

    def merge(self, incoming: Iterable[Event]) -> list[Event]:
        """Take over what other machines logged: the events that are not here yet, in one transaction; those are returned.

        An event is known by its id, so that merging twice is merging once. The cards that they name are replayed.
        """
        with self._writing():
            fresh_events = []
            for event in incoming:
                added = self._db.execute(
                    f"INSERT OR IGNORE INTO events ({_EVENT}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", _event_row(event)
                )
                if added.rowcount:
                    fresh_events.append(event)
            self._replay_cards({event.card for event in fresh_events if event.card})
            return fresh_events

    def _replay_cards(self, cards: set[str]) -> None:
        for card in cards:
            events = self._events_of(card)
            told = replay(events).get(card)
            if told is not None:
                self._put(card, told, max(event.at for event in events))

    def study_days(self) -> set[int]:
        """The study days on which something was answered."""
        with _speaking(self.path):
            return {row[0] for row in self._db.execute("SELECT DISTINCT day FROM events WHERE grade IS NOT NULL")}

    def thinking_times(self, latest: int) -> list[int]:
        """Milliseconds that the latest answers from the queue took."""
        with _speaking(self.path):
            rows = self._db.execute(
                "SELECT ms FROM events WHERE kind = 'review' ORDER BY rowid DESC LIMIT ?", (latest,)
            )
            return [row[0] for row in rows]

    def own_events(self, above: int = 0) -> list[Event]:
        """What was logged on this machine, by its running number, from `above` on."""
        with _speaking(self.path):
            rows = self._db.execute(
                f"SELECT {_EVENT} FROM events WHERE device = ? AND number > ? ORDER BY number", (self.device, above)
            )
            return [_event(row) for row in rows]

    def ids(self) -> set[str]:
        """The ids of all events."""
        with _speaking(self.path):
            return {row[0] for row in self._db.execute("SELECT id FROM events")}

    def verify(self) -> list[str]:
        """What is wrong with file, log or states, as short technical lines; empty if nothing is."""
        with _speaking(self.path):
            faults = [f"file: {row[0]}" for row in self._db.execute("PRAGMA integrity_check") if row[0] != "ok"]
            numbered = self._db.execute(
                "SELECT number, max(kind = 'restore') FROM events WHERE device = ? GROUP BY number ORDER BY number",
                (self.device,),
            ).fetchall()
            # A restored record goes on behind the numbers that it does not know of any more.
            for (before, _), (number, restored) in itertools.pairwise([(0, 0), *numbered]):
                if number != before + 1 and not restored:
                    faults.append(f"log: events {before + 1} to {number - 1} of this machine are missing")
            rows = self._db.execute(f"SELECT {_EVENT} FROM events ORDER BY device, number").fetchall()
        sound: list[Event] = []
        for row in rows:
            try:
                event = _event(row)
                replay([event])
                to_date(event.day)
                sound.append(event)
            except (BadHome, ValueError, TypeError, OverflowError):
                faults.append(f"log: event {row[2]} of {row[1]} cannot be read")
        told = replay(sound)
        kept = self.progress()
        for card in sorted(told.keys() | kept.keys()):
            if told.get(card, fresh()) != kept.get(card, fresh()):
                faults.append(f"state: {card} differs from what the log replays to")
        return faults

    def rebuild(self) -> int:
        """Replace all states by what the log replays to; returns how many cards."""
        with self._writing():
            rows = self._db.execute(f"SELECT {_EVENT} FROM events").fetchall()
            try:
                events = [_event(row) for row in rows]
                replay(events)
            except (ValueError, TypeError) as error:
                raise BadHome(say("home.damaged", path=self.path)) from error
            self._db.execute("DELETE FROM states")
            latest: dict[str, int] = {}
            for event in events:
                latest[event.card] = max(event.at, latest.get(event.card, event.at))
            told = replay(events)
            for card, progress in told.items():
                self._put(card, progress, latest[card])
            return len(told)

    def backup(self, target: Path) -> None:
        """A consistent copy in `target`, while others may write. BadHome if it cannot be written or does not come out whole.

        It appears under its name only when it is complete and checked.
        """
        draft = target.with_name(f".{target.name}.{self._new_id()}")
        try:
            try:
                draft.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                draft.touch(mode=0o600)
            except OSError as error:
                raise BadHome(say("home.unwritable", path=target, why=error.strerror or error)) from error
            with _speaking(target), contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as copy:
                self._db.backup(copy, pages=BACKUP_PAGES)
                copy.execute("PRAGMA journal_mode = DELETE")
                if copy.execute("PRAGMA quick_check").fetchone()[0] != "ok":
                    raise BadHome(say("home.damaged", path=self.path))
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)

    def replace_by(self, source: Path, happening: Happening) -> Event:
        """Put the record at `source`, which has to be sound and of today's schema, in the place of this one; log it.

        This machine stays itself: its events go on behind the highest number that either record knows.
        """
        with _speaking(self.path):
            mine = self._db.execute("SELECT max(number) FROM events WHERE device = ?", (self.device,)).fetchone()[0]
            with contextlib.closing(sqlite3.connect(source)) as other:
                other.backup(self._db)
        with self._writing():
            self._db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('device', ?)", (self.device,))
            return self._append(happening, above=mine or 0)

    def _append(self, happening: Happening, *, undoes: str = "", above: int = 0, replayed: bool = True) -> Event:
        number = self._db.execute("SELECT max(number) FROM events WHERE device = ?", (self.device,)).fetchone()[0] or 0
        number = max(number, above)
        event = Event(
            id=self._new_id(),
            device=self.device,
            number=number + 1,
            at=happening.at,
            utc_offset=happening.utc_offset,
            day=happening.day,
            kind=happening.kind,
            card=happening.card,
            grade=happening.grade,
            ms=max(0, happening.ms),
            undoes=undoes,
            detail=dict(happening.detail or {}),
        )
        self._db.execute(f"INSERT INTO events ({_EVENT}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", _event_row(event))
        if not event.card or not replayed:
            return event
        row = self._db.execute(f"SELECT {_STATE}, at FROM states WHERE card = ?", (event.card,)).fetchone()
        if undoes or (row and row[-1] > event.at):
            told = replay(self._events_of(event.card)).get(event.card) or fresh()
        else:
            told = apply(_progress(row[:-1])[1] if row else fresh(), event)
        self._put(event.card, told, max(event.at, row[-1] if row else event.at))
        return event

    def _events_of(self, card: str) -> list[Event]:
        return [_event(row) for row in self._db.execute(f"SELECT {_EVENT} FROM events WHERE card = ?", (card,))]

    def _put(self, card: str, told: Progress, at: int) -> None:
        values = (
            card,
            told.schedule.repetitions,
            told.schedule.interval_days,
            told.schedule.ease,
            told.due,
            told.first,
            told.last,
            told.reviews,
            told.lapses,
            told.drill,
            told.buried,
            int(told.suspended),
            told.note,
            told.flag,
            at,
        )
        self._db.execute(f"INSERT OR REPLACE INTO states ({_STATE}, at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", values)

    def _device(self) -> str:
        row = self._db.execute("SELECT value FROM meta WHERE key = 'device'").fetchone()
        if row:
            return str(row[0])
        with self._writing():
            self._db.execute("INSERT OR IGNORE INTO meta (key, value) VALUES ('device', ?)", (self._new_id(),))
            return str(self._db.execute("SELECT value FROM meta WHERE key = 'device'").fetchone()[0])

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with _speaking(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


@contextmanager
def _speaking(path: Path) -> Iterator[None]:
    """SQLite's errors as sentences for a learner."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise BadHome(say("home.locked", path=path)) from error
        if name.startswith("SQLITE_NOTADB"):
            raise BadHome(say("home.no_database", path=path)) from error
        if name.startswith("SQLITE_CORRUPT"):
            raise BadHome(say("home.damaged", path=path)) from error
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR", "SQLITE_FULL")):
            raise BadHome(say("home.unwritable", path=path, why=str(error))) from error
        if isinstance(error, sqlite3.IntegrityError):
            raise
        raise BadHome(say("home.damaged", path=path)) from error


def _create(path: Path, new_id: Callable[[], str]) -> None:
    """A new record, put in its place whole: of several processes that start at once the first one's stays.

    Switching to the write-ahead log wants the file alone and does not wait for others, so it happens here only.
    """
    from quiz.migrations import migrate

    draft = path.with_name(f".{path.name}.{new_id()}")
    try:
        try:
            draft.touch(mode=0o600)
        except OSError as error:
            raise BadHome(say("home.unwritable", path=path, why=error.strerror or error)) from error
        connection = sqlite3.connect(draft, isolation_level=None)
        try:
            connection.execute(f"PRAGMA journal_mode = {'DELETE' if on_network(path.parent, _mounts()) else 'WAL'}")
            migrate(connection)
        finally:
            connection.close()
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            if not path.exists():
                draft.replace(path)
    finally:
        for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm"), Path(f"{draft}-journal")):
            leftover.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    """Drafts that a first start left when it was killed or the disk was full; those of this hour may be at work."""
    for draft in path.parent.glob(f".{path.name}.*"):
        with contextlib.suppress(OSError):
            if time.time() - draft.stat().st_mtime > STALE_S:
                draft.unlink()


def _refuse_foreign(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """A database with tables but without a schema of ours belongs to another program."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchone()[0]
    ours = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = '_sqlite_migrations'").fetchone()[0]
    if version == 0 and tables and not ours:
        raise BadHome(say("home.foreign", path=path))


def _mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _event_row(event: Event) -> tuple[Any, ...]:
    detail = json.dumps(event.detail, ensure_ascii=False, separators=(",", ":"))
    return (
        event.id,
        event.device,
        event.number,
        event.at,
        event.utc_offset,
        event.day,
        event.kind,
        event.card,
        event.grade,
        event.ms,
        event.undoes,
        detail,
    )


def _event(row: tuple[Any, ...]) -> Event:
    values = dict(zip(_EVENT_FIELDS, row, strict=True))
    try:
        return Event(**(values | {"detail": json.loads(values["detail"])}))
    except ValueError as error:
        raise BadHome(say("home.damaged_event", number=values["number"])) from error


def _progress(row: tuple[Any, ...]) -> tuple[str, Progress]:
    card, repetitions, interval_days, ease, due, first, last, reviews, lapses, drill, buried, suspended, note, flag = (
        row
    )
    return card, Progress(
        schedule=State(repetitions, interval_days, ease),
        due=due,
        first=first,
        last=last,
        reviews=reviews,
        lapses=lapses,
        drill=drill,
        buried=buried,
        suspended=bool(suspended),
        note=note,
        flag=flag,
    )
