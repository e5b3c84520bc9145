"""The record: nothing acknowledged is ever lost, two processes work at once, bad files are told."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from durability import KINDS, kill_one

from quiz.errors import BadHome
from quiz.history import fresh, replay
from quiz.store import Happening, Store


def happening(n: int, kind: str = "review", card: str = "c", grade: int | None = 4, **more: object) -> Happening:
    return Happening(1_000 * n, 3600, 100 + n, kind, card, grade, 10, **more)  # type: ignore[arg-type]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "er" / "quiz.db"


def test_states_are_what_the_log_replays_to_whatever_happens(database: Path) -> None:
    rng = random.Random(3)
    with Store.open(database) as store:
        for n in range(1, 300):
            move = rng.random()
            card = f"c{rng.randrange(8)}"
            if move < 0.2:
                store.undo(1_000 * n, 0, 100 + n)
            elif move < 0.7:
                # A clock that jumps about, backwards too.
                store.add(happening(n + rng.randrange(-20, 20), card=card, grade=rng.randrange(6)))
            else:
                store.add(happening(n, rng.choice(["suspend", "bury", "note", "reset"]), card, None))
            if n % 25 == 0:
                assert store.verify() == []
                assert store.progress() == replay(store.events())


def test_state_kept_beside_a_state_damaged_is_found_and_rebuilt(database: Path) -> None:
    with Store.open(database) as store:
        store.add(happening(1))
        store.add(happening(1, card="d", grade=1))
        good = store.progress()
    with sqlite3.connect(database) as raw:
        raw.execute("UPDATE states SET ease = 999 WHERE card = 'c'")
    raw.close()
    with Store.open(database) as store:
        assert store.verify() == ["state: c differs from what the log replays to"]
        assert store.rebuild() == 2
        assert store.verify() == []
        assert store.progress() == good


def test_log_cannot_be_changed_or_shortened(database: Path) -> None:
    with Store.open(database) as store:
        store.add(happening(1))
    raw = sqlite3.connect(database)
    for statement in ("DELETE FROM events", "UPDATE events SET grade = 5"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            raw.execute(statement)
    raw.close()


def test_undo_to_any_depth_over_restarts(database: Path) -> None:
    with Store.open(database) as store:
        states = [store.progress_of("c")]
        for n in range(1, 6):
            store.add(happening(7 * n, grade=n))
            states.append(store.progress_of("c"))
    for state in reversed(states[:-1]):
        with Store.open(database) as store:
            undone = store.undo(99_000, 0, 200)
            assert undone is not None
            assert store.progress_of("c") == state
            assert store.verify() == []
    with Store.open(database) as store:
        assert store.undo(99_000, 0, 200) is None
        assert store.progress_of("c") == fresh()
        assert len(store.events()) == 10


@pytest.mark.parametrize(("kind", "times"), [(kind, 10 if kind == "grade" else 3) for kind in KINDS])
def test_killed_work_loses_nothing_acknowledged(tmp_path: Path, kind: str, times: int) -> None:
    rng = random.Random(11)
    for n in range(times):
        killed = kill_one(tmp_path, rng, f"k{n}", kind)
        assert killed.acknowledged > 0
        assert (killed.missing, killed.faults) == (0, [])


GRADER = """
import sys
from pathlib import Path
from quiz.store import Happening, Store
store = Store.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.readline()
for n in range(200):
    store.add(Happening(1_700_000_000_000 + n, 0, 20_000, "review", f"card-{n}", 4, 10, {"by": sys.argv[2]}))
"""


def test_two_processes_grading_at_once_lose_nothing(database: Path) -> None:
    graders = [
        subprocess.Popen(
            [sys.executable, "-c", GRADER, str(database), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    for grader in graders:
        assert grader.stdout is not None
        assert grader.stdout.readline() == "open\n"
    for grader in graders:
        grader.communicate("go\n")
        assert grader.returncode == 0
    with Store.open(database) as store:
        events = store.events()
        assert len(events) == 400
        assert sorted(event.number for event in events) == list(range(1, 401))
        assert store.verify() == []


def test_first_start_of_several_processes_at_once_makes_one_record(database: Path) -> None:
    opener = "import sys; from pathlib import Path; from quiz.store import Store; print(Store.open(Path(sys.argv[1])).device)"
    running = [
        subprocess.Popen([sys.executable, "-c", opener, str(database)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    devices = [process.communicate()[0].strip() for process in running]
    assert [process.returncode for process in running] == [0, 0, 0, 0]
    assert len(set(devices)) == 1


def test_locked_for_long_is_told_and_nothing_changes(database: Path) -> None:
    with Store.open(database, timeout_s=0.05) as store:
        store.add(happening(1))
        other = sqlite3.connect(database, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(BadHome, match="in use"):
            store.add(happening(2))
        other.execute("ROLLBACK")
        other.close()
        store.add(happening(3))
        assert [event.number for event in store.events()] == [1, 2]


def test_no_database_is_told_and_left_alone(database: Path) -> None:
    database.parent.mkdir(parents=True)
    database.write_bytes(b"my thesis, not a database at all" * 50)
    before = database.read_bytes()
    with pytest.raises(BadHome, match="not a database"):
        Store.open(database)
    assert database.read_bytes() == before


def test_newer_schema_is_told_and_left_alone(database: Path) -> None:
    Store.open(database).close()
    raw = sqlite3.connect(database)
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(BadHome, match="newer version"):
        Store.open(database)


def test_database_of_another_program_is_told_and_left_alone(database: Path) -> None:
    database.parent.mkdir(parents=True)
    raw = sqlite3.connect(database)
    raw.execute("CREATE TABLE bookmarks (url TEXT)")
    raw.commit()
    raw.close()
    with pytest.raises(BadHome, match="another program"):
        Store.open(database)
    raw = sqlite3.connect(database)
    assert [name for (name,) in raw.execute("SELECT name FROM sqlite_master")] == ["bookmarks"]
    raw.close()


def test_damaged_file_is_told(database: Path) -> None:
    with Store.open(database) as store:
        for n in range(300):
            store.add(happening(n, card=f"c{n}", detail={"typed": ["x" * 50]}))
    data = bytearray(database.read_bytes())
    data[4096 : 4096 + 6000] = os.urandom(6000)
    database.write_bytes(data)

    def look() -> None:
        with Store.open(database) as store:
            store.verify()
            store.events()

    with pytest.raises(BadHome, match=r"damaged|not a database"):
        look()


def test_home_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(BadHome, match="cannot write"):
        Store.open(tmp_path / "home" / "quiz.db")


def test_negative_thinking_time_is_no_time(database: Path) -> None:
    with Store.open(database) as store:
        store.add(Happening(1, 0, 1, "review", "c", 4, -500))
        assert store.events()[0].ms == 0


def test_failed_write_leaves_no_half(database: Path) -> None:
    with Store.open(database) as store:
        store.add(happening(1))
        with pytest.raises(ValueError, match="0 to 5"):
            store.add(happening(2, grade=7))
        assert len(store.events()) == 1
        assert store.verify() == []


def test_backup_is_whole_and_opens(database: Path, tmp_path: Path) -> None:
    with Store.open(database) as store:
        store.add(happening(1))
        store.backup(tmp_path / "copy.db")
        with Store.open(tmp_path / "copy.db") as copy:
            assert copy.events() == store.events()
