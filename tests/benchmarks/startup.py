"""How long commands take, as ratios to something run beside them: python tests/benchmarks/startup.py [RUNS]

Whole processes alternate with `python -c pass`; the first card's text on a pseudo-terminal alternates with a
minimal Textual application. Medians of pairwise ratios.
"""

from __future__ import annotations

import os
import pty
import random
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from quiz.library import Library, shipped_decks
from quiz.store import Happening, Store

TARGETS = {"quiz --help": 8, "quiz due --json": 10, "quiz answer": 14, "first card": 1.6}
MINIMAL = """
from textual.app import App
from textual.widgets import Static
class Minimal(App):
    def compose(self):
        yield Static("the first text")
Minimal().run()
"""


def prepare(home: Path, reviews: int) -> None:
    """A home with so many logged reviews over all shipped cards."""
    library = Library.open([shipped_decks()], home / "cache")
    cards, rng = list(library.summaries), random.Random(1)
    with Store.open(home / "quiz.db") as store:
        store._db.execute("PRAGMA synchronous = OFF")
        for n in range(reviews):
            day = 739_000 + n // 40
            at = 1_700_000_000_000 + n * 60_000
            store.add(Happening(at, 0, day, "review", rng.choice(cards), rng.choice((2, 3, 4, 4, 5)), 20_000))
    # An index is trusted once its files have been still for a while; read it again as a later start would.
    time.sleep(2.1)
    Library.open([shipped_decks()], home / "cache")


def whole(command: list[str], environment: dict[str, str]) -> float:
    begin = time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - begin


def first_text(command: list[str], environment: dict[str, str], text: str) -> tuple[float, int]:
    """Seconds until `text` was written to the terminal, and the peak memory in KiB."""
    begin = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.execve(command[0], command, environment)
    try:
        import fcntl
        import termios

        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        written = ""
        while text not in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", written):
            if not select.select([terminal], [], [], 20)[0]:
                raise TimeoutError(written)
            written += os.read(terminal, 65536).decode("utf-8", "replace")
        taken = time.perf_counter() - begin
        status = Path(f"/proc/{child}/status").read_text(encoding="ascii")
        return taken, int(re.search(r"VmHWM:\s+(\d+)", status)[1])  # type: ignore[index]
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def paired(ours: Callable[[], float], other: Callable[[], float], runs: int) -> float:
    ours(), other()
    return statistics.median(ours() / other() for _ in range(runs))


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    quiz = str(Path(sys.executable).with_name("quiz"))
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        prepare(home, 10_000)
        environment = {**os.environ, "QUIZ_HOME": folder, "QUIZ_LANG": "en", "TERM": "xterm-256color"}

        def base() -> float:
            return whole([sys.executable, "-c", "pass"], environment)

        commands = {
            "quiz --help": [quiz, "--help"],
            "quiz due --json": [quiz, "due", "--json"],
            "quiz answer": [quiz, "answer", "pipeline-bubble-share", "20%", "--json"],
        }
        ratios = {
            name: paired(lambda command=command: whole(command, environment), base, runs)  # type: ignore[misc]
            for name, command in commands.items()
        }
        minimal = Path(folder) / "minimal.py"
        minimal.write_text(MINIMAL, encoding="utf-8")
        memory: list[int] = []

        def card() -> float:
            review = [quiz, "review", "--deck", "parallelism", "--cram", "--seed", "1"]
            seconds, peak = first_text(review, environment, "parallelism · ")
            memory.append(peak)
            return seconds

        def least() -> float:
            return first_text([sys.executable, str(minimal)], environment, "the first text")[0]

        ratios["first card"] = paired(card, least, runs)
        for name, ratio in ratios.items():
            missed += ratio > TARGETS[name]
            print(f"{name:18} {ratio:6.2f}  (at most {TARGETS[name]})")
        print(f"{'peak memory':18} {max(memory) / 1024:6.1f}  MiB (at most 60)")
        missed += max(memory) / 1024 > 60
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
