"""Reading a collection of Anki: notes, cards, templates and the log of reviews, in either of its schemas.

The database comes from somebody else: it is opened read-only, nothing in it is trusted, and what it may make SQLite do
is bounded. The schemas: https://github.com/ankitects/anki, rslib/src/storage (11: models as JSON; 18: tables whose
details are protocol buffers).
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quiz.exchange.anki_templates import render
from quiz.exchange.arrival import MOST_REVIEWS, Arrival, Review, refuse
from quiz.exchange.html_in import LONGEST_HTML, read_html
from quiz.exchange.own_deck import Entry, beginning, clean, in_its_language

LONGEST_VALUE = 16_000_000
MOST_STEPS = 400_000_000
STEPS = 100_000
MOST_PARTS = 20_000
MOST_CARDS = 200_000
NOTE = (
    "SELECT substr(guid, 1, 200), mid, substr(tags, 1, 2000), CASE WHEN length(flds) <= ? THEN flds END, "
    "substr(flds, 1, 200) FROM notes WHERE id = ?"
)
READ = ("notes", "cards", "col", "revlog", "notetypes", "fields", "templates")
# A template may repeat a field many times over: so much HTML is read at most, about ten seconds of work.
MOST_HTML = 100_000_000
# Learning, reviewing and learning again; the others were set by hand, rescheduled, or come from a filtered deck.
ANSWERED = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class NoteType:
    """Field names in order, and the two sides of each card."""

    fields: tuple[str, ...]
    sides: tuple[tuple[str, str], ...]
    cloze: bool


def read(database: Path, name: str, *, history: bool) -> Arrival:
    """The cards of the collection at `database`, and its reviews with `history`. BadInput (`name`) for none."""
    try:
        with _opened(database) as db:
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            made_up = db.execute(
                "SELECT count(*) FROM sqlite_master WHERE type = 'view' OR sql LIKE 'CREATE VIRTUAL%'"
            ).fetchone()[0]
            if made_up or not {"notes", "cards", "col"} <= tables or not _plain(db):
                raise refuse(name, "no_collection")
            types = _types(db, tables)
            arrival, keys = Arrival(), dict[int, str]()
            _cards(db, types, arrival, keys)
            if history and "revlog" in tables:
                _reviews(db, arrival, keys, name)
            return arrival
    except (sqlite3.Error, OverflowError) as error:
        raise refuse(name, "damaged") from error


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, isolation_level=None)
    steps = MOST_STEPS // STEPS

    def count() -> int:
        nonlocal steps
        steps -= 1
        return steps < 0

    try:
        db.text_factory = lambda data: data.decode("utf-8", "replace")
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
        db.set_progress_handler(count, STEPS)
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA cell_size_check = ON")
        # Anki's own order for names; nothing here is put in order by it.
        db.create_collation("unicase", lambda one, other: (one > other) - (one < other))
        yield db
    finally:
        db.close()


def _plain(db: sqlite3.Connection) -> bool:
    """Whether the tables hold what was stored, no columns that compute, and a note is found by its id at once."""
    for table in READ:
        columns = db.execute("SELECT name, pk, hidden FROM pragma_table_xinfo(?)", (table,)).fetchmany(1000)
        if any(hidden for _, _, hidden in columns):
            return False
        if table == "notes" and ("id", 1) not in [(name, key) for name, key, _ in columns]:
            return False
    return True


def _types(db: sqlite3.Connection, tables: set[str]) -> dict[int, NoteType]:
    if {"notetypes", "fields", "templates"} <= tables:
        return _types_in_tables(db)
    row = db.execute("SELECT models FROM col LIMIT 1").fetchone()
    try:
        models = json.loads(row[0]) if row and isinstance(row[0], str) else {}
    except (ValueError, RecursionError):
        models = {}
    types: dict[int, NoteType] = {}
    for key, model in models.items() if isinstance(models, dict) else ():
        with contextlib.suppress(TypeError, ValueError, KeyError, AttributeError):
            fields = tuple(str(field["name"]) for field in _by_order(model["flds"]))
            sides = tuple((str(side["qfmt"]), str(side["afmt"])) for side in _by_order(model["tmpls"]))
            types[int(key[:20])] = NoteType(fields, sides, model.get("type") == 1)
    return types


def _by_order(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(parts, key=lambda part: int(part.get("ord") or 0))


def _types_in_tables(db: sqlite3.Connection) -> dict[int, NoteType]:
    fields: dict[int, list[tuple[int, str]]] = {}
    sides: dict[int, list[tuple[int, tuple[str, str]]]] = {}
    for type_id, order, name in db.execute("SELECT ntid, ord, name FROM fields LIMIT ?", (MOST_PARTS,)):
        fields.setdefault(_int(type_id), []).append((_int(order), str(name)))
    for type_id, order, config in db.execute("SELECT ntid, ord, config FROM templates LIMIT ?", (MOST_PARTS,)):
        front, back = _message(config).get(1, b""), _message(config).get(2, b"")
        sides.setdefault(_int(type_id), []).append((_int(order), (_utf8(front), _utf8(back))))
    types: dict[int, NoteType] = {}
    for type_id, config in db.execute("SELECT id, config FROM notetypes LIMIT ?", (MOST_PARTS,)):
        one = _int(type_id)
        names = tuple(name for _, name in sorted(fields.get(one, [])))
        types[one] = NoteType(
            names, tuple(side for _, side in sorted(sides.get(one, []))), _message(config).get(1) == 1
        )
    return types


def _message(data: object) -> dict[int, bytes | int]:
    """The top-level fields of a protocol buffer, the last of each number; what follows a fault is left out.

    https://protobuf.dev/programming-guides/encoding/
    """
    found: dict[int, bytes | int] = {}
    if not isinstance(data, bytes):
        return found
    at = 0
    try:
        while at < len(data):
            key, at = _varint(data, at)
            number, wire = key >> 3, key & 7
            if wire == 0:
                found[number], at = _varint(data, at)
            elif wire == 2:
                size, at = _varint(data, at)
                found[number], at = data[at : at + size], at + size
            elif wire in (1, 5):
                at += 8 if wire == 1 else 4
            else:
                break
    except IndexError:
        return found
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 64:
        byte = data[at]
        value, at, shift = value | (byte & 127) << shift, at + 1, shift + 7
        if byte < 128:
            break
    return value, at


def _cards(db: sqlite3.Connection, types: dict[int, NoteType], arrival: Arrival, keys: dict[int, str]) -> None:
    """Every card as an entry, and its key by its id in Anki."""
    html_read, note_id, note = 0, None, None
    for card_id, found_in, order in db.execute(
        "SELECT id, nid, ord FROM cards WHERE typeof(id) = 'integer' AND typeof(nid) = 'integer' "
        "ORDER BY nid, ord, id LIMIT ?",
        (MOST_CARDS,),
    ):
        # One note at a time: joined, a note's text would be copied for each of its cards before any is read.
        if found_in != note_id:
            note_id, note = found_in, db.execute(NOTE, (LONGEST_HTML, found_in)).fetchone()
        if note is None:
            continue
        guid, type_id, tags, fields, start = note
        # A key holds no character that a text file could not; a note without a guid is named by what it says.
        name = clean(str(guid))[:200] or beginning(clean(str(start)))
        key = f"{name}:{_int(order)}"
        if html_read > MOST_HTML:
            arrival.skip(beginning(clean(str(start))), "many")
            continue
        if not isinstance(fields, str):
            arrival.skip(beginning(clean(str(start))), "long" if fields is None else "damaged")
            continue
        front, back = _sides(types.get(_int(type_id)), fields.split("\x1f"), _int(order))
        html_read += len(fields) + len(front) + len(back)
        question, media = read_html(front[:LONGEST_HTML])
        answer, more = read_html(back[:LONGEST_HTML])
        arrival.media += media + more
        # Some templates show the front again above the answer; a card here shows both.
        answer = answer.removeprefix(f"{question}\n\n")
        if not question or not answer:
            without_media = "only_media" if media + more else "empty"
            arrival.skip(beginning(question or answer or read_html(str(start))[0] or name), without_media)
            continue
        words = [in_its_language(text, like=question + answer) for text in (question, answer)]
        taken = arrival.take(Entry(key, words[0], words[1], tuple(str(tags).split()) if tags else ()))
        if taken:
            keys[card_id] = key


def _sides(kind: NoteType | None, values: list[str], order: int) -> tuple[str, str]:
    """The front and the back of a card, as HTML. Without a usable template the first field and the others."""
    fields = dict(zip(kind.fields, values, strict=False)) if kind else {}
    number = 0 if kind and kind.cloze else order
    if kind and 0 <= number < len(kind.sides):
        front, back = kind.sides[number]
        asked = render(front, fields, card=order, back=False)
        if asked.strip():
            return asked, render(back, fields, card=order, back=True)
    return values[0], "<br>".join(values[1:])


def _reviews(db: sqlite3.Connection, arrival: Arrival, keys: dict[int, str], name: str) -> None:
    count = db.execute("SELECT count(*) FROM revlog").fetchone()[0]
    if count > MOST_REVIEWS:
        raise refuse(name, "too_many_reviews", count=f"{MOST_REVIEWS:,}")
    for review_id, card_id, ease, ms, kind in db.execute("SELECT id, cid, ease, time, type FROM revlog ORDER BY id"):
        numbers = (review_id, card_id, ease, ms, kind)
        if not all(isinstance(one, int) for one in numbers) or kind not in ANSWERED or not 1 <= ease <= 4:
            arrival.other_reviews += 1
        elif card_id in keys:
            arrival.reviews.append(Review(review_id, keys[card_id], ease, ms))
        else:
            arrival.other_reviews += 1


def _int(value: object) -> int:
    return value if isinstance(value, int) else -1


def _utf8(value: bytes | int) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""
