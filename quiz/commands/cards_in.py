"""`quiz import` of cards: from Anki or a table into a deck of the learner's own, shown before it is done."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from quiz.commands.asking import goes_ahead, not_done
from quiz.desk import Desk
from quiz.errors import BadInput
from quiz.exchange import anki_history
from quiz.exchange.arrival import Arrival
from quiz.exchange.own_deck import Made, beginning, clean, make, slug
from quiz.language import say
from quiz.store import Happening
from quiz.terminal import print_json, safe

TEXT = (".csv", ".txt", ".tsv")
PACKAGES = (".apkg", ".colpkg")
ENDINGS = (*TEXT, *PACKAGES)
SHOWN = 3
AREA = "platform"


def import_(desk: Desk, source: Path, name: str, history: bool, yes: bool, json: bool) -> int:
    """Show what would come in and, if told to, make the deck; exit status 1 where something was left out."""
    if history and source.suffix.lower() not in PACKAGES:
        raise BadInput(say("data.history_only_anki", path=source.name, endings=", ".join(PACKAGES)))
    arrival = _read(source, history=history)
    title = name.strip() or source.stem
    base = slug(title)
    area = arrival.area or AREA
    made = make(base, title, area, arrival.entries, desk.library.summaries, _free_names(desk, base))
    arrival.skipped += made.skipped
    past = _past(desk, arrival, made, base)
    status = 1 if arrival.skipped else 0
    if not json:
        _show(desk, source, arrival, made, past, history=history)
    wanted = bool(made.files or past.events)
    done = wanted and goes_ahead(desk, yes=yes, json=json)
    files = _do(desk, source, made, past, base) if done else []
    if json:
        print_json(_document(desk, arrival, made, past, history=history, done=done))
    elif done:
        for deck, path in zip((deck for deck, _ in made.files), files, strict=True):
            print(desk.say("data.made_deck", deck=deck, path=path))
        print(desk.say("data.imported"))
    else:
        print(not_done(desk) if wanted else desk.say("data.nothing_new"))
    return status


def _read(source: Path, *, history: bool) -> Arrival:
    if source.suffix.lower() in TEXT:
        from quiz.exchange.text_in import read

        return read(source)
    from quiz.exchange.anki_collection import read as read_collection
    from quiz.exchange.anki_package import database

    with database(source) as path:
        return read_collection(path, source.name, history=history)


def _free_names(desk: Desk, base: str) -> Iterator[str]:
    """`base`, base-2, …: those that no deck and no file has."""
    for number in itertools.count(1):
        name = base if number == 1 else f"{base}-{number}"
        if name not in desk.library.decks and not (desk.places.decks / f"{name}.yaml").exists():
            yield name


def _past(desk: Desk, arrival: Arrival, made: Made, deck: str) -> anki_history.History:
    if not arrival.reviews:
        return anki_history.History()
    from quiz.day import instant_of

    now = desk.clock()
    log = desk.store.events()
    return anki_history.events(
        arrival.reviews,
        made.cards,
        deck,
        now=instant_of(now)[0],
        offset=_offset(now),
        rollover=desk.settings.rollover,
        known={event.id for event in log},
        undone={event.undoes for event in log if event.undoes},
    )


def _offset(now: datetime) -> Callable[[int], int]:
    """The UTC offset in seconds at a time, by the zone of this machine's clock."""

    def at(milliseconds: int) -> int:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone(now.tzinfo)
        offset = moment.utcoffset()
        return 0 if offset is None else int(offset.total_seconds())

    return at


def _do(desk: Desk, source: Path, made: Made, past: anki_history.History, base: str) -> list[Path]:
    """The deck files, then the events, then the word of it in the log. A failure takes the files away again."""
    from quiz.commands.data import keep_record, now, write_new

    written: list[Path] = []
    try:
        for deck, text in made.files:
            path = desk.places.decks / f"{deck}.yaml"
            write_new(path, text)
            written.append(path)
        moment = now(desk, "import")
        detail: dict[str, object] = {"from": str(source), "deck": base, "cards": len(made.fresh)}
        detail["files"] = [[path.name, digest(path.read_bytes())] for path in written]
        if past.events:
            detail |= {"kept": str(keep_record(desk, moment)), "events": len(past.events), "device": f"anki-{base}"}
            desk.store.merge(past.events)
        desk.store.add(Happening(moment.at, moment.utc_offset, moment.day, "import", "", detail=detail))
    except BaseException:
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        raise
    return written


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _show(desk: Desk, source: Path, arrival: Arrival, made: Made, past: anki_history.History, *, history: bool) -> None:
    decks = ", ".join(deck for deck, _ in made.files) or "–"
    print(desk.say("data.would_make", path=safe(source.name), new=len(made.fresh), deck=decks, known=made.known))
    for entry in made.fresh[:SHOWN]:
        sides = (beginning(clean(desk.words(side))) for side in (entry.question, entry.answer))
        print(safe("  " + " → ".join(sides)))
    if len(made.fresh) > SHOWN:
        print(desk.say("data.more_cards", count=len(made.fresh) - SHOWN))
    if arrival.encoding not in ("", "utf-8"):
        print(desk.say("data.encoded", encoding=arrival.encoding))
    for why, count in Counter(why for _, why in arrival.skipped).items():
        examples = [what for what, reason in arrival.skipped if reason == why][:SHOWN]
        quoted = desk.say("data.quotes", what=desk.say("data.quotes_between").join(examples))
        print(safe(desk.say("data.skipped", count=count, why=desk.say(f"data.skip_{why}"), examples=quoted)))
    if arrival.media:
        print(desk.say("data.no_media", count=arrival.media))
    if history:
        other = arrival.other_reviews + past.other
        print(desk.say("data.would_take_reviews", new=len(past.events), known=past.known, other=other))
        print(desk.say("data.mapping"))


def _document(
    desk: Desk, arrival: Arrival, made: Made, past: anki_history.History, *, history: bool, done: bool
) -> dict[str, object]:
    document: dict[str, object] = {
        "decks": [deck for deck, _ in made.files],
        "files": [str(desk.places.decks / f"{deck}.yaml") for deck, _ in made.files],
        "new": len(made.fresh),
        "known": made.known,
        "skipped": [{"card": what, "why": why} for what, why in arrival.skipped],
        "media": arrival.media,
        "encoding": arrival.encoding or None,
        "done": done,
    }
    if history:
        grades = {"again": 1, "hard": 3, "good": 4, "easy": 5}
        other = arrival.other_reviews + past.other
        document |= {"reviews": {"new": len(past.events), "known": past.known, "other": other}, "grades": grades}
    return document
