"""A hundred sessions killed with SIGKILL at random moments: python tests/benchmarks/durability.py [SESSIONS]"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from durability import kill_one


def main() -> int:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rng = random.Random()
    with tempfile.TemporaryDirectory() as folder:
        killed = [kill_one(Path(folder) / "quiz.db", rng, f"k{n}") for n in range(sessions)]
    acknowledged = sum(one.acknowledged for one in killed)
    missing = sum(one.missing for one in killed)
    faulty = sum(bool(one.faults) for one in killed)
    print(f"{sessions} sessions killed, {acknowledged} grades acknowledged, {missing} missing, {faulty} times unsound")
    return 1 if missing or faulty else 0


if __name__ == "__main__":
    sys.exit(main())
