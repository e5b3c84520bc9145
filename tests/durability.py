"""Sessions killed at random moments: what was acknowledged must be in the log. Used by a test and a benchmark."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

WRITER = """
import sys, itertools
from pathlib import Path
from quiz.store import Happening, Store
store = Store.open(Path(sys.argv[1]))
tag = sys.argv[2]
for n in itertools.count():
    event = store.add(Happening(1_700_000_000_000 + n, 0, 20_000, "review", f"{tag}-{n % 40}", n % 6, 10))
    sys.stdout.write(event.id + "\\n")
    sys.stdout.flush()
"""


@dataclass(frozen=True)
class Killed:
    """What one killed session had acknowledged, and what of it the log lost."""

    acknowledged: int
    missing: int
    faults: list[str]


def kill_one(database: Path, rng: random.Random, tag: str) -> Killed:
    """Grade in another process, kill it with SIGKILL after a random number of acknowledged grades, look at the log."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(database), tag], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    wanted = rng.randrange(1, 60)
    acknowledged = [process.stdout.readline().strip() for _ in range(wanted)]
    os.kill(process.pid, signal.SIGKILL)
    acknowledged += [line.strip() for line in process.stdout if line.endswith("\n")]
    process.wait()
    process.stdout.close()

    from quiz.store import Store

    with Store.open(database) as store:
        kept = {event.id for event in store.events()}
        return Killed(len(acknowledged), sum(one not in kept for one in acknowledged), store.verify())
