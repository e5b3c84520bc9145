"""Commands on the learner's data as a whole: backup, restore, sync, export, import."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from quiz.desk import Desk
from quiz.errors import BadInput
from quiz.language import Text, say
from quiz.places import user_path
from quiz.store import Happening
from quiz.sync import Refused
from quiz.terminal import print_json, safe

LOG = (".jsonl", ".ndjson")
REFUSALS_SHOWN = 5
Names = list[str] | None


def backup(desk: Desk, name: str, force: bool, json: bool) -> int:
    target = _target(desk, name, force)
    desk.store.backup(target)
    events = len(desk.store.ids())
    if json:
        print_json({"file": str(target), "events": events})
    else:
        print(desk.say("data.backed_up", events=events, path=target))
    return 0


def restore(desk: Desk, name: str, json: bool) -> int:
    from quiz.backups import restore as put_back

    source = _source(desk, name)
    _, kept = put_back(desk.store, source, desk.places.backups, now(desk, "restore"))
    events = len(desk.store.ids())
    if json:
        print_json({"events": events, "kept": str(kept)})
    else:
        print(desk.say("data.restored", events=events, path=source, kept=kept))
    return 0


def sync(desk: Desk, folder: str, json: bool) -> int:
    """Exit status 1 where lines were left out: the folder's files are not all as they should be."""
    from quiz.sync import sync as exchange

    done = exchange(desk.store, user_path(folder), now(desk, "sync").at)
    if json:
        print_json(
            {
                "sent": done.sent,
                "taken": done.taken,
                "devices": done.devices,
                "cards": sorted(done.cards),
                "refused": [{"file": r.file, "line": r.line, "why": r.why} for r in done.refused],
                "clocks_ahead_ms": done.ahead,
            }
        )
        return 1 if done.refused else 0
    print(desk.say("data.synced", sent=done.sent, taken=done.taken, devices=done.devices))
    if done.cards:
        print(desk.say("data.synced_cards", cards=len(done.cards)))
    for device, ahead in sorted(done.ahead.items()):
        print(desk.say("data.clock_ahead", device=device[:8], span=_span(ahead)))
    _tell_refused(desk, done.refused)
    return 1 if done.refused else 0


def export(desk: Desk, name: str, deck: Names, company: Names, tag: Names, force: bool, json: bool) -> int:
    """The log as lines, or cards, by the ending of the file's name."""
    from quiz.commands import cards_out

    target = _target(desk, name, force)
    if target.suffix.lower() in cards_out.ENDINGS:
        return cards_out.export(desk, target, deck, company, tag, json)
    if target.suffix not in LOG:
        raise BadInput(say("data.unknown_format", path=name, endings=", ".join((*LOG, *cards_out.ENDINGS))))
    if deck or company or tag:
        raise BadInput(say("data.log_is_whole", path=name))
    from quiz.eventlines import to_line

    events = desk.store.events()
    write_whole(target, "".join(to_line(event) + "\n" for event in events))
    if json:
        print_json({"file": str(target), "events": len(events)})
    else:
        print(desk.say("data.exported_log", events=len(events), path=target))
    return 0


def import_(desk: Desk, name: str, deck: str, history: bool, yes: bool, json: bool) -> int:
    """Show what a file holds that is not here, and take it over if told to; exit status 1 where something was left out."""
    from quiz.commands import cards_in

    source = _source(desk, name)
    if source.suffix.lower() in cards_in.ENDINGS:
        return cards_in.import_(desk, source, deck, history, yes, json)
    if source.suffix not in LOG:
        raise BadInput(say("data.unknown_format", path=name, endings=", ".join((*LOG, *cards_in.ENDINGS))))
    if deck or history:
        raise BadInput(say("data.log_has_no_cards", path=name))
    return _import_log(desk, source, yes, json)


def _import_log(desk: Desk, source: Path, yes: bool, json: bool) -> int:
    from quiz.commands.asking import goes_ahead, not_done
    from quiz.sync import read_events

    refused: list[Refused] = []
    known = desk.store.ids()
    found = {event.id: event for event in read_events(source, refused)}
    fresh = [event for event in found.values() if event.id not in known]
    counts = {"taken": len(fresh), "known": len(found) - len(fresh)}
    if not json:
        print(desk.say("data.would_import", **counts))
        _tell_refused(desk, refused)
    done = bool(fresh) and goes_ahead(desk, yes=yes, json=json)
    if done:
        at = now(desk, "import")
        keep = keep_record(desk, at)
        desk.store.merge(fresh)
        detail = {"kept": str(keep), "from": str(source), "events": len(fresh)}
        desk.store.add(Happening(at.at, at.utc_offset, at.day, "import", "", detail=detail))
    if json:
        lines = [{"file": r.file, "line": r.line, "why": r.why} for r in refused]
        print_json({**counts, "done": done, "refused": lines})
    elif done:
        print(desk.say("data.imported"))
    else:
        print(not_done(desk) if fresh else desk.say("data.nothing_new"))
    return 1 if refused else 0


def keep_record(desk: Desk, moment: Happening) -> Path:
    """A copy of the record as it is before an import, for taking it back."""
    from quiz.backups import free

    keep = free(desk.places.backups, f"before-import-{_day(moment)}")
    desk.store.backup(keep)
    return keep


def now(desk: Desk, kind: str) -> Happening:
    """The present moment, of no card."""
    from quiz.day import instant_of

    at, offset = instant_of(desk.clock())
    return Happening(at, offset, desk.study.today(), kind, "")


def write_whole(target: Path, text: str) -> None:
    """`text` in `target`, which appears under its name only when it is whole, readable by its owner alone."""
    with whole(target) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def write_new(target: Path, text: str) -> None:
    """As `write_whole`, but never over a file that is there. FileExistsError if one is."""
    with whole(target, new=True) as draft, draft.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


@contextlib.contextmanager
def whole(target: Path, *, new: bool = False) -> Iterator[Path]:
    """An empty file to write, which becomes `target` when it is done; a `new` one replaces no other."""
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft.touch(mode=0o600)
        yield draft
        with draft.open("rb+") as stream:
            os.fsync(stream.fileno())
        if new:
            try:
                os.link(draft, target)
                return
            except FileExistsError:
                raise
            except OSError:  # a file system without links
                if target.exists():
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _target(desk: Desk, name: str, force: bool) -> Path:
    target = user_path(name)
    if target.exists() and target.resolve() == desk.places.database.resolve():
        raise BadInput(say("data.is_record", path=name))
    if target.exists() and not (force and target.is_file()):
        raise BadInput(say("data.exists", path=name))
    return target


def _source(desk: Desk, name: str) -> Path:
    source = user_path(name)
    if not source.is_file():
        raise BadInput(say("data.no_file", path=name))
    if source.resolve() == desk.places.database.resolve():
        raise BadInput(say("data.is_record", path=name))
    return source


def _tell_refused(desk: Desk, refused: Sequence[Refused]) -> None:
    for one in refused[:REFUSALS_SHOWN]:
        print(desk.say("data.refused", file=safe(one.file), line=one.line, why=safe(one.why)))
    if len(refused) > REFUSALS_SHOWN:
        print(desk.say("data.refused_more", count=len(refused) - REFUSALS_SHOWN))


def _span(milliseconds: int) -> Text:
    minutes = milliseconds // 60_000
    if minutes < 120:
        return say("data.minutes", count=minutes)
    return say("data.hours", count=minutes // 60) if minutes < 2880 else say("data.days", count=minutes // 1440)


def _day(moment: Happening) -> str:
    from quiz.day import to_date

    return to_date(moment.day).isoformat()
