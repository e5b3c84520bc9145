"""The history of the database's schema, applied once each by sqlite-utils.

`VERSION` counts the migrations and stands in SQLite's `user_version`, so that opening a file that is up to
date needs neither this module nor sqlite-utils.
"""

from __future__ import annotations

import sqlite3

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

migrations = Migrations("quiz")


@migrations()
def m001_log_and_states(db: Database) -> None:
    """The append-only log, the states that it replays to, and this machine's facts."""
    db.table("events").create(
        {
            "id": str,
            "device": str,
            "number": int,
            "at": int,
            "utc_offset": int,
            "day": int,
            "kind": str,
            "card": str,
            "grade": int,
            "ms": int,
            "undoes": str,
            "detail": str,
        },
        pk="id",
        not_null={"device", "number", "at", "utc_offset", "day", "kind", "card", "ms", "undoes", "detail"},
    )
    db.table("events").create_index(["device", "number"], unique=True)
    db.table("events").create_index(["card"])
    db.table("events").create_index(["day"])
    db.execute("CREATE INDEX idx_events_undoes ON events (undoes) WHERE undoes <> ''")
    for verb in ("UPDATE", "DELETE"):
        db.execute(
            f"CREATE TRIGGER events_refuse_{verb.lower()} BEFORE {verb} ON events "
            "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
        )
    db.table("states").create(
        {
            "card": str,
            "repetitions": int,
            "interval_days": int,
            "ease": int,
            "due": int,
            "first": int,
            "last": int,
            "reviews": int,
            "lapses": int,
            "drill": int,
            "buried": int,
            "suspended": int,
            "note": str,
            "flag": str,
            "at": int,
        },
        pk="card",
        not_null={"repetitions", "interval_days", "ease", "reviews", "lapses", "suspended", "note", "at"},
    )
    db.table("meta").create({"key": str, "value": str}, pk="key", not_null={"value"})


@migrations()
def m002_numbers_may_meet(db: Database) -> None:
    """A copied record, or one restored from a backup, may number events as another history of its device did."""
    db.execute("DROP INDEX IF EXISTS idx_events_device_number")
    db.table("events").create_index(["device", "number"])


VERSION = 2


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema to `VERSION`, whole or not at all; a second process that tries the same waits for the first."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrations.apply(Database(connection))
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
