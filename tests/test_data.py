"""Copies, other machines, files in and out: nothing acknowledged is lost, whatever the order."""

from __future__ import annotations

import itertools
import json
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quiz.backups import daily, kept, restore, take_back
from quiz.errors import BadHome, BadInput
from quiz.eventlines import BadLine, from_line, to_line
from quiz.history import Event, Progress
from quiz.store import Happening, Store
from quiz.sync import sync

DAY = 739_900
START = 1_796_000_000_000
CARDS = ("a", "b", "第三")


def ids(prefix: str) -> Callable[[], str]:
    count = itertools.count(1)
    return lambda: f"{prefix}{next(count):08d}"


def happening(n: int, kind: str = "review", card: str = "a", grade: int | None = 4, at: int | None = None) -> Happening:
    return Happening(START + n * 60_000 if at is None else at, 28_800, DAY + n // 5, kind, card, grade, 1000)


@pytest.fixture
def open_store(tmp_path: Path) -> Iterator[Callable[[str], Store]]:
    with ExitStack() as stack:

        def make(name: str) -> Store:
            return stack.enter_context(Store.open(tmp_path / name / "quiz.db", new_id=ids(name)))

        yield make


# Lines


def test_an_event_goes_out_as_a_line_and_comes_back(open_store: Callable[[str], Store]) -> None:
    store = open_store("one")
    event = store.add(
        Happening(START, 28_800, DAY, "review", "第三", 4, 900, {"typed": ["3\n4", "π"], "inputs": {"x": 1.5}})
    )
    assert from_line(to_line(event)) == event
    assert "\n" not in to_line(event)


def test_what_a_newer_program_adds_is_kept_as_it_came() -> None:
    values = json.loads(to_line(Event("i", "d", 1, START, 0, DAY, "dream", "a")))
    line = json.dumps(values | {"mood": {"of": "day"}}, separators=(",", ":"))
    event = from_line(line)
    assert json.loads(to_line(event)) == json.loads(line)


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"id": 5},
        {"id": "../../x"},
        {"device": "a/b"},
        {"number": 0},
        {"number": 1.5},
        {"number": True},
        {"at": -1},
        {"at": 10**18},
        {"utc_offset": 10**6},
        {"day": 0},
        {"day": 10**9},
        {"grade": 6},
        {"grade": "4"},
        {"grade": None},
        {"ms": -5},
        {"card": "x" * 300},
        {"card": "a\x1b[2J"},
        {"card": None},
        {"kind": "Robert'); DROP TABLE"},
        {"undoes": 3},
        {"detail": []},
        {"detail": {"+": 1}},
    ],
)
def test_impossible_values_are_refused(change: dict[str, object]) -> None:
    values = json.loads(to_line(Event("i", "d", 1, START, 0, DAY, "review", "a", 4)))
    with pytest.raises(BadLine):
        from_line(json.dumps(values | change))


@given(st.one_of(st.binary(max_size=300), st.text(max_size=300).map(str.encode)))
def test_any_other_line_is_refused_and_nothing_else(line: bytes) -> None:
    with pytest.raises(BadLine):
        from_line(line)


@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"a":' * 50_000, b"x" * 2_000_000, b"1e999", b"NaN"])
def test_hostile_lines_are_refused(line: bytes) -> None:
    with pytest.raises(BadLine):
        from_line(line)


# Merging


STEP = st.tuples(
    st.integers(0, 2),
    st.sampled_from(
        ["review", "review", "review", "drill", "cram", "suspend", "bury", "note", "undo", "reset", "sync"]
    ),
    st.sampled_from(CARDS),
    st.integers(0, 5),
    st.integers(-3, 3),
)


def act(store: Store, step: tuple[int, str, str, int, int], n: int, folder: Path) -> None:
    _, kind, card, grade, skew = step
    at = START + (n * 7 + skew * 11) * 3_600_000
    if kind == "sync":
        sync(store, folder, at)
    elif kind == "undo":
        store.undo(at, 0, DAY + n)
    else:
        answers = kind in ("review", "drill", "cram")
        store.add(Happening(at, 0, DAY + n // 3, kind, card, grade if answers else None, 10))


@settings(max_examples=25, deadline=None)
@given(st.lists(STEP, max_size=25), st.permutations([0, 1, 2]), st.integers(0, 10**6))
def test_however_devices_sync_they_end_up_alike(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, str, int, int]], order: list[int], seed: int
) -> None:
    folder = tmp_path_factory.mktemp(f"s{seed}")
    with ExitStack() as stack:
        stores = [
            stack.enter_context(Store.open(folder / str(n) / "quiz.db", new_id=ids(f"device{n}-"))) for n in range(3)
        ]
        for n, step in enumerate(steps):
            act(stores[step[0]], step, n, folder / "carried")
        for _ in range(2):
            for n in order:
                sync(stores[n], folder / "carried", START)
        told = [store.progress() for store in stores]
        assert told[0] == told[1] == told[2]
        assert {e.id for e in stores[0].events()} == {e.id for e in stores[2].events()}
        for store in stores:
            assert store.verify() == []
            before = store.progress()
            assert sync(store, folder / "carried", START).taken == 0
            assert store.progress() == before


def test_merging_is_a_union(open_store: Callable[[str], Store]) -> None:
    one, two, three = (open_store(name) for name in ("one", "two", "three"))
    for n in range(6):
        one.add(happening(n, card=CARDS[n % 3], grade=n % 6))
        two.add(happening(n, card=CARDS[n % 2], grade=5 - n % 6, at=START + n * 61_000))
    a, b = one.events(), two.events()
    assert len(three.merge([*a, *b, *a])) == 12
    assert three.merge(random.Random(1).sample(a + b, 12)) == []
    one.merge(b)
    two.merge(reversed(a))
    assert one.progress() == two.progress() == three.progress()


def test_broken_lines_from_the_carrier_are_told_and_the_rest_is_taken(
    open_store: Callable[[str], Store], tmp_path: Path
) -> None:
    one, two = open_store("one"), open_store("two")
    for n in range(4):
        one.add(happening(n))
    sync(one, tmp_path / "c", START)
    file = tmp_path / "c" / f"{one.device}.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + b"\xff\xfe garbage\n" + lines[1] + b"\n" + lines[2] + lines[3][:40])
    done = sync(two, tmp_path / "c", START)
    assert done.taken == 3
    assert [(r.line, r.file) for r in done.refused] == [(2, file.name), (6, file.name)]
    # Its own machine makes the file whole again.
    assert sync(one, tmp_path / "c", START).refused
    assert sync(two, tmp_path / "c", START).taken == 1
    assert sync(two, tmp_path / "c", START).refused == []


def test_a_clock_that_runs_ahead_is_told(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    one, two = open_store("one"), open_store("two")
    one.add(happening(0, at=START + 3 * 3_600_000))
    sync(one, tmp_path / "c", START)
    assert sync(two, tmp_path / "c", START).ahead == {one.device: 3 * 3_600_000}
    assert sync(two, tmp_path / "c", START + 4 * 3_600_000).ahead == {}


def test_a_copied_record_does_not_lose_what_either_copy_logs(
    open_store: Callable[[str], Store], tmp_path: Path
) -> None:
    one = open_store("one")
    one.add(happening(0))
    (tmp_path / "two").mkdir()
    one.backup(tmp_path / "two" / "quiz.db")
    two = open_store("two")
    assert two.device == one.device
    one.add(happening(1, grade=5))
    two.add(happening(1, card="b", grade=3))
    for store in (one, two, one, two):
        sync(store, tmp_path / "c", START)
    assert len(one.events()) == len(two.events()) == 3
    assert one.progress() == two.progress()


def test_lines_of_a_newer_program_are_kept_and_sent_on(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    one, two = open_store("one"), open_store("two")
    values = json.loads(to_line(Event("new1", "future", 1, START, 0, DAY, "dream", "a"))) | {"mood": 3}
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "future.jsonl").write_text(json.dumps(values) + "\n")
    assert sync(one, tmp_path / "c", START).taken == 1
    assert one.verify() == []
    assert one.progress()["a"] == Progress(one.progress()["a"].schedule)
    two.merge(from_line(to_line(event)) for event in one.events())
    assert json.loads(to_line(two.events()[0])) == values


def test_a_folder_that_cannot_be_used_is_told(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="file"):
        sync(open_store("one"), tmp_path / "file", START)


# Copies


def test_a_backup_is_whole_and_appears_whole(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    store = open_store("one")
    for n in range(5):
        store.add(happening(n))
    store.backup(tmp_path / "b" / "copy.db")
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["copy.db"]
    assert oct((tmp_path / "b" / "copy.db").stat().st_mode & 0o777) == "0o600"
    with Store.read_only(tmp_path / "b" / "copy.db") as copy:
        assert copy.events() == store.events()
        assert copy.progress() == store.progress()


def test_one_copy_a_day_thinned_with_age(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    store = open_store("one")
    store.add(happening(0))
    for day in range(DAY, DAY + 400):
        assert daily(store, tmp_path / "b", day) is not None
        assert daily(store, tmp_path / "b", day) is None
    days = sorted(date.fromisoformat(path.stem.removeprefix("quiz-")) for path in (tmp_path / "b").iterdir())
    last = date.fromordinal(DAY + 399)
    assert days[-7:] == [last - timedelta(days=n) for n in range(6, -1, -1)]
    assert len(days) <= 7 + 4 + 12
    assert days[0] < last - timedelta(days=300)


@given(st.sets(st.dates(date(2020, 1, 1), date(2030, 1, 1)), max_size=80))
def test_thinning_keeps_the_newest_and_is_settled(days: set[date]) -> None:
    chosen = kept(days)
    assert chosen <= days
    assert set(sorted(days)[-7:]) <= chosen
    assert len(chosen) <= 23
    assert kept(chosen) == chosen


def test_a_restored_record_is_the_old_one_and_undo_brings_back_what_it_replaced(
    open_store: Callable[[str], Store], tmp_path: Path
) -> None:
    store = open_store("one")
    for n in range(3):
        store.add(happening(n))
    store.backup(tmp_path / "old.db")
    old = store.progress()
    for n in range(3, 9):
        store.add(happening(n, card="b"))
    newer = store.progress()
    event, keep = restore(store, tmp_path / "old.db", tmp_path / "b", happening(10))
    assert store.progress() == old
    assert store.verify() == []
    assert event.number > 9
    store.add(happening(11, card="第三"))
    store.undo(START + 10**7, 0, DAY + 3)
    take_back(store, event, happening(12))
    assert {card: state for card, state in store.progress().items() if card != "第三"} == newer
    assert store.verify() == []
    # And further back: the latest before the restore.
    undone = store.undo(START + 2 * 10**7, 0, DAY + 3)
    assert undone is not None
    assert undone.card == "b"
    assert keep.exists()


def test_a_foreign_restore_is_taken_back_exactly(open_store: Callable[[str], Store], tmp_path: Path) -> None:
    one, two = open_store("one"), open_store("two")
    one.add(happening(0))
    for n in range(4):
        two.add(happening(n, card="b", grade=2))
    two.backup(tmp_path / "two.db")
    before = one.progress()
    event, _ = restore(one, tmp_path / "two.db", tmp_path / "b", happening(9))
    assert set(one.progress()) == {"b"}
    take_back(one, event, happening(10))
    assert {card: state for card, state in one.progress().items() if state.last} == before
    assert one.verify() == []


def damaged(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(4096, len(data), 97):
        data[at] ^= 0x5A
    path.write_bytes(data)


@pytest.mark.parametrize("what", ["damaged", "truncated", "text", "empty", "foreign", "newer", "folder"])
def test_what_is_no_backup_changes_nothing(open_store: Callable[[str], Store], tmp_path: Path, what: str) -> None:
    store = open_store("one")
    for n in range(40):
        store.add(happening(n, card=f"card-{n}"))
    file = tmp_path / "copy.db"
    store.backup(file)
    before = store.events()
    if what == "damaged":
        damaged(file)
    elif what == "truncated":
        file.write_bytes(file.read_bytes()[:5000])
    elif what == "text":
        file.write_text("no database at all, just words" * 50)
    elif what == "empty":
        file.write_bytes(b"")
    elif what == "foreign":
        file.unlink()
        sqlite3.connect(file).execute("CREATE TABLE other (x)").connection.close()
    elif what == "newer":
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
    else:
        file.unlink()
        file.mkdir()
    with pytest.raises((BadInput, BadHome)):
        restore(store, file, tmp_path / "b", happening(50))
    assert store.events() == before
    assert store.verify() == []
    assert not [path for path in (tmp_path / "b").iterdir() if path.name.startswith(".")]


# Schemas


def test_the_first_schema_migrates_with_its_figures_intact(tmp_path: Path) -> None:
    path = tmp_path / "quiz.db"
    script = (Path(__file__).parent / "data" / "schema-1.sql").read_text(encoding="utf-8")
    db = sqlite3.connect(path)
    db.executescript(script)
    events = db.execute(
        "SELECT id, device, number, at, day, kind, card, grade, detail FROM events ORDER BY id"
    ).fetchall()
    states = db.execute(
        "SELECT card, repetitions, interval_days, ease, due, lapses FROM states ORDER BY card"
    ).fetchall()
    db.close()
    with Store.open(path) as store:
        assert store.verify() == []
        assert len(store.events()) == len(events) == 65
    db = sqlite3.connect(path)
    assert (
        db.execute("SELECT id, device, number, at, day, kind, card, grade, detail FROM events ORDER BY id").fetchall()
        == events
    )
    assert (
        db.execute("SELECT card, repetitions, interval_days, ease, due, lapses FROM states ORDER BY card").fetchall()
        == states
    )
    db.close()


# Faults of the machine

COMMANDS = """
import resource, signal, sys
if sys.argv[1] != "none":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from quiz.cli import main
main(sys.argv[2:])
"""


def command(home: Path, *arguments: str, largest: str = "none") -> subprocess.CompletedProcess[str]:
    """One command in a process of its own, no file of which may grow above `largest` bytes, as on a disk that fills up."""
    return subprocess.run(
        [sys.executable, "-c", COMMANDS, largest, *arguments],
        env={**os.environ, "QUIZ_HOME": str(home), "QUIZ_LANG": "en"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits")
def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert command(home, "suspend", "one-f-one-b-keeps-the-bubble").returncode == 0
    written = 0
    for n in range(12):
        said = command(home, "note", "one-f-one-b-keeps-the-bubble", f"{n} " + "x" * 20_000, largest="110000")
        if said.returncode:
            assert said.returncode == 2
            assert len(said.stderr.strip().splitlines()) == 1
            assert "Traceback" not in said.stderr
            break
        written += 1
    else:
        pytest.fail("the disk never filled up")
    assert written
    assert command(home, "verify").returncode == 0
    log = json.loads(command(home, "log", "--json").stdout)["events"]
    assert sum(event["kind"] == "note" for event in log) == written
    for what in ("backup", "export"):
        target = tmp_path / f"{what}.jsonl"
        said = command(home, what, str(target), largest="20000")
        assert said.returncode == 2
        assert "Traceback" not in said.stderr
        assert not target.exists()
    assert command(home, "note", "one-f-one-b-keeps-the-bubble", "room again").returncode == 0


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    said = command(home, "suspend", "one-f-one-b-keeps-the-bubble")
    assert said.returncode == 2
    assert "QUIZ_HOME" in said.stderr


def test_what_is_the_learners_own_is_for_the_learner_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    command(home, "suspend", "one-f-one-b-keeps-the-bubble")
    command(home, "config", "new", "5")
    for path in (home / "quiz.db", home / "settings.json"):
        assert oct(path.stat().st_mode & 0o077) == "0o0", path
    assert oct(home.stat().st_mode & 0o077) == "0o0"


def test_drafts_of_a_start_that_was_killed_go_after_an_hour(tmp_path: Path) -> None:
    old, young = tmp_path / ".quiz.db.dead", tmp_path / ".quiz.db.atwork"
    for draft in (old, young):
        draft.write_bytes(b"half")
    os.utime(old, (1_600_000_000, 1_600_000_000))
    with Store.open(tmp_path / "quiz.db"):
        assert not old.exists()
        assert young.exists()


@pytest.mark.parametrize("offset", ["-3650", "3650"])
def test_a_clock_set_by_years_loses_nothing(open_store: Callable[[str], Store], offset: str) -> None:
    store = open_store("one")
    for n in range(4):
        store.add(happening(n))
    jump = int(offset)
    store.add(Happening(START + jump * 86_400_000, 0, DAY + jump, "review", "a", 5, 10))
    store.add(happening(9))
    assert store.verify() == []
    assert len(store.events()) == 6
    assert store.undo(START, 0, DAY) is not None
    assert store.verify() == []


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_settings_that_are_no_file_are_told_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.mkfifo(home / "settings.json")
    said = command(home, "config", "new", "5")
    assert said.returncode == 2
    assert "settings.json" in said.stderr


def test_an_interrupt_while_the_program_loads_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def __getattr__(self, name: str) -> object:
            raise KeyboardInterrupt

    from quiz.__main__ import main

    monkeypatch.setitem(sys.modules, "quiz.cli", Interrupted())
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130


@pytest.mark.skipif(sys.platform == "win32", reason="another driver")
def test_bytes_that_are_no_text_do_not_end_the_input() -> None:
    from textual.drivers import linux_driver

    from quiz.tui import _read_any_byte

    _read_any_byte()
    decode = linux_driver.getincrementaldecoder("utf-8")().decode  # type: ignore[attr-defined]
    assert decode(b"a\xe9b\xff") == "a\ufffdb\ufffd"
    assert decode("显".encode()[:2]) + decode("显".encode()[2:]) == "显"
