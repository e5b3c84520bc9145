"""Processes killed at random moments: what was acknowledged must be found again. Used by tests and a benchmark.

Each kind of work acknowledges on standard output what it has put on disk: ``event <id>`` for what must stand in the
record (or in a record that a restore kept), ``sent <id>`` for what another machine must get from the carried folder,
``copy <path>`` for a backup that must open and be sound.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

KINDS = ("grade", "sync", "backup", "restore", "import", "migrate")
SCHEMA_1 = Path(__file__).parent / "data" / "schema-1.sql"

WORKER = """
import itertools, sys
from pathlib import Path
from quiz import backups, sync
from quiz.history import Event
from quiz.store import Happening, Store

kind, home, tag = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
DAY, START = 739_900, 1_796_000_000_000

def say(*words):
    sys.stdout.write(" ".join(map(str, words)) + "\\n")
    sys.stdout.flush()

with Store.open(home / "quiz.db") as store:
    for n in itertools.count():
        at = START + n * 1000
        event = store.add(Happening(at, 0, DAY, "review", f"{tag}-{n % 40}", n % 6, 10))
        say("event", event.id)
        if kind == "sync":
            sync.sync(store, home / "carried", at)
            say("sent", event.id)
        elif kind == "backup":
            target = home / "copies" / f"{tag}-{n}.db"
            store.backup(target)
            say("copy", target)
        elif kind == "restore" and n % 3 == 2:
            base = home / f"{tag}-base.db"
            if not base.exists():
                store.backup(base)
            backups.restore(store, base, home / "backups", Happening(at, 0, DAY, "restore", ""))
        elif kind == "import":
            device = f"other-{tag}"
            batch = [
                Event(f"{device}-{n}-{m}", device, n * 50 + m + 1, at, 0, DAY, "review", f"i-{m}", 4) for m in range(50)
            ]
            store.merge(batch)
            for one in batch:
                say("event", one.id)
"""


@dataclass(frozen=True)
class Killed:
    """What one killed process had acknowledged, and what of it was not found again."""

    acknowledged: int
    missing: int
    faults: list[str]


def kill_one(home: Path, rng: random.Random, tag: str, kind: str = "grade") -> Killed:
    """Work in another process, kill it with SIGKILL after a random number of acknowledgements, look for them."""
    if kind == "migrate":
        return _kill_migration(home, rng, tag)
    process = subprocess.Popen([sys.executable, "-c", WORKER, kind, str(home), tag], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(rng.randrange(1, 60))]
    os.kill(process.pid, signal.SIGKILL)
    said += list(process.stdout)
    process.wait()
    process.stdout.close()
    words = [line.split() for line in said if line.endswith("\n")]
    return _look(home, words)


def _look(home: Path, words: list[list[str]]) -> Killed:
    from quiz.store import Store
    from quiz.sync import sync

    events = {word[1] for word in words if word[0] == "event"}
    sent = {word[1] for word in words if word[0] == "sent"}
    copies = [Path(word[1]) for word in words if word[0] == "copy"]
    faults: list[str] = []
    with Store.open(home / "quiz.db") as store:
        found = store.ids()
        faults += store.verify()
    for kept in (home / "backups").glob("replaced-*.db"):
        with Store.open(kept) as replaced:
            found |= replaced.ids()
    missing = len(events - found)
    for copy in copies:
        with Store.open(copy) as one:
            faults += one.verify()
    if sent:
        with tempfile.TemporaryDirectory() as elsewhere, Store.open(Path(elsewhere) / "quiz.db") as other:
            sync(other, home / "carried", 1_796_000_000_000)
            missing += len(sent - other.ids())
    return Killed(len(events) + len(sent) + len(copies), missing, faults)


def _kill_migration(home: Path, rng: random.Random, tag: str) -> Killed:
    """A record of the first schema, opened by a process that is killed on the way: no event may be lost."""
    path = home / f"{tag}.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.executescript(SCHEMA_1.read_text(encoding="utf-8"))
    had = {row[0] for row in database.execute("SELECT id FROM events")}
    database.close()
    code = "import sys; from pathlib import Path; from quiz.store import Store; Store.open(Path(sys.argv[1])).verify()"
    process = subprocess.Popen([sys.executable, "-c", code, str(path)])
    try:
        process.wait(timeout=rng.uniform(0.05, 0.4))
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
    process.wait()

    from quiz.store import Store

    with Store.open(path) as store:
        return Killed(len(had), len(had - store.ids()), store.verify())
