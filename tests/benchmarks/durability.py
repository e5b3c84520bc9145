"""Work killed with SIGKILL at random moments, several processes at once: python tests/benchmarks/durability.py [KILLS]

For each kind of work: how many processes were killed, what they had acknowledged, what of it was missing afterwards, and
how often the record was unsound. Then two and four processes that grade at the same time.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from durability import KINDS, kill_one

TOGETHER = """
import sys
from pathlib import Path
from quiz.store import Happening, Store
with Store.open(Path(sys.argv[1])) as store:
    for n in range(200):
        store.add(Happening(1_796_000_000_000 + n, 0, 739_900, "review", f"{sys.argv[2]}-{n % 40}", n % 6, 10))
"""


def main() -> int:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    rng = random.Random()
    bad = 0
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            killed = [kill_one(Path(folder), rng, f"k{n}", kind) for n in range(-(-kills // len(KINDS)))]
        missing = sum(one.missing for one in killed)
        faulty = sum(bool(one.faults) for one in killed)
        acknowledged = sum(one.acknowledged for one in killed)
        print(f"{kind:8} {len(killed)} killed, {acknowledged} acknowledged, {missing} missing, {faulty} times unsound")
        bad += missing + faulty
    for count in (2, 4):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "quiz.db"
            workers = [subprocess.Popen([sys.executable, "-c", TOGETHER, str(path), f"w{n}"]) for n in range(count)]
            for worker in workers:
                worker.wait()
            from quiz.store import Store

            with Store.open(path) as store:
                found, faults = len(store.ids()), store.verify()
        print(f"{count} processes at once: {200 * count} events, {found} found, {len(faults)} faults")
        bad += found != 200 * count or bool(faults)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
