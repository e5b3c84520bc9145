"""Two machines, no server: a folder that something carries between them, in which each machine writes its own file.

A machine appends what it logged to ``<device>.jsonl`` and takes over what stands in the others' files. Merging is the
union of events, so neither order nor repetition matters. A line that arrived broken is refused and told; the rest is
taken. The own file is made anew where its lines do not fit the record.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from quiz.errors import BadInput
from quiz.eventlines import LONGEST_LINE, BadLine, from_line, to_line
from quiz.history import Event
from quiz.language import say
from quiz.store import Store

SUFFIX = ".jsonl"
CLOCK_TOLERANCE_MS = 5 * 60_000
CHUNK = 1000


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that was not taken: of which file, the how manieth, and why (a few technical words)."""

    file: str
    line: int
    why: str


@dataclass(slots=True)
class Synced:
    """What one sync did. `ahead` gives for each device how many milliseconds its clock runs ahead of this one's."""

    sent: int = 0
    taken: int = 0
    devices: int = 0
    refused: list[Refused] = field(default_factory=list)
    ahead: dict[str, int] = field(default_factory=dict)
    cards: set[str] = field(default_factory=set)


def sync(store: Store, folder: Path, now: int) -> Synced:
    """Write this machine's events to `folder` and take over those of the others; `now` is in ms since 1970.

    BadInput if the folder cannot be read or written. What was taken before a failure stays taken.
    """
    done = Synced()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        own = folder / f"{store.device}{SUFFIX}"
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            if path.name.startswith(".") or not path.is_file():
                continue
            if path != own:
                done.devices += 1
            _take(store, path, now, done)
        done.sent = _send(store, own)
    except OSError as error:
        raise BadInput(say("data.sync_folder", path=folder, why=error.strerror or str(error))) from error
    return done


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not blank, with their numbers; one that is too long comes cut, as such."""
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(LONGEST_LINE + 2):
            number += 1
            if not line.endswith(b"\n") and len(line) > LONGEST_LINE:
                while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    pass
            if line.strip():
                yield number, line.rstrip(b"\r\n")


def read_events(path: Path, refused: list[Refused]) -> Iterator[Event]:
    """The events of a file; what cannot be read is added to `refused`."""
    for number, line in lines_of(path):
        try:
            yield from_line(line)
        except BadLine as error:
            refused.append(Refused(path.name, number, str(error)))


def _take(store: Store, path: Path, now: int, done: Synced) -> None:
    known = store.ids()
    waiting: list[Event] = []

    def flush() -> None:
        taken = store.merge(waiting)
        done.taken += len(taken)
        done.cards |= {event.card for event in taken if event.card}
        waiting.clear()

    for event in read_events(path, done.refused):
        if event.at > now + CLOCK_TOLERANCE_MS and event.device != store.device:
            done.ahead[event.device] = max(event.at - now, done.ahead.get(event.device, 0))
        if event.id not in known:
            waiting.append(event)
        if len(waiting) >= CHUNK:
            flush()
    flush()


def _send(store: Store, own: Path) -> int:
    """Bring this machine's file up to date; returns how many events were written."""
    written, sound = _written(own)
    events = store.own_events()
    sent = [event for event in events if event.id not in written]
    if sound and not sent:
        return 0
    if sound and all(event.number > max(written.values(), default=0) for event in sent):
        _append(own, sent)
    else:
        _replace(own, events)
    return len(sent)


def _written(own: Path) -> tuple[Mapping[str, int], bool]:
    """The ids that stand in the own file with their numbers, and whether it is whole."""
    if not own.exists():
        return {}, True
    refused: list[Refused] = []
    written = {event.id: event.number for event in read_events(own, refused)}
    with own.open("rb") as stream:
        stream.seek(0, os.SEEK_END)
        if stream.tell():
            stream.seek(-1, os.SEEK_END)
        ended = stream.read(1) in (b"\n", b"")
    return written, ended and not refused


def _append(own: Path, events: Iterable[Event]) -> None:
    with own.open("ab") as stream:
        stream.write("".join(to_line(event) + "\n" for event in events).encode())
        stream.flush()
        os.fsync(stream.fileno())


def _replace(own: Path, events: Iterable[Event]) -> None:
    draft = own.with_name(f".{own.name}.{os.getpid()}")
    try:
        with draft.open("wb") as stream:
            stream.write("".join(to_line(event) + "\n" for event in events).encode())
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(own)
    finally:
        draft.unlink(missing_ok=True)
