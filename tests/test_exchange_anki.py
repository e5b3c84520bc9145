"""Packages to and from Anki's own library: it opens what is exported, and what it writes is imported."""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quiz.cli import run
from quiz.desk import Desk
from quiz.exchange import anki_out
from quiz.exchange.drawn import Outgoing
from quiz.language import Text
from quiz.library import Library, shipped_decks

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    anki = pytest.importorskip("anki.collection", reason="Anki's library is not installed on this platform")

NUMERIC = "pipeline-bubble-share"
Call = Callable[..., Any]


class Ran:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def quiz(new_desk: Callable[..., Desk], capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*arguments: object, **environment: str) -> Ran:
        capsys.readouterr()
        status = run([str(one) for one in arguments], new_desk(**{"QUIZ_LANG": "en", **environment}))
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return call


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "anki").mkdir()
    made = anki.Collection(str(tmp_path / "anki" / "collection.anki2"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def shipped() -> Library:
    return Library.open([shipped_decks()])


def take(collection: Any, path: Path) -> Any:
    """Import as Anki's own screen does it; returns how many notes are (new, updated, the same)."""
    request = anki.ImportAnkiPackageRequest(
        package_path=str(path), options=anki.ImportAnkiPackageOptions(merge_notetypes=True)
    )
    log = collection.import_anki_package(request).log
    return len(log.new), len(log.updated), len(log.duplicate)


def outgoing(library: Library, deck: str) -> Outgoing:
    found = library.decks[deck]
    return Outgoing([(found, [library.card(name) for name in found.cards])])


# Out


def test_anki_opens_what_is_exported(quiz: Call, collection: Any, tmp_path: Path, shipped: Library) -> None:
    said = quiz("export", tmp_path / "out.apkg", "--deck", "parallelism", "--json").json
    assert take(collection, tmp_path / "out.apkg") == (said["notes"], 0, 0)
    assert collection.note_count() == collection.card_count() == said["notes"]
    cards = {name: shipped.card(name) for name in shipped.decks["parallelism"].cards}
    seen: dict[str, int] = {}
    for note_id in collection.find_notes(""):
        note = collection.get_note(note_id)
        assert note.keys() == list(anki_out.FIELDS)
        name = note["Id"].partition("/")[0]
        seen[name] = seen.get(name, 0) + 1
        card = cards[name]
        assert set(note.tags) >= {"area::training", "deck::parallelism", f"kind::{card.kind}", *card.tags}
        assert {tag for tag in note.tags if tag.startswith("company::")} == {f"company::{c}" for c in card.companies}
        assert "{" not in note["Question"]
        shown = note.cards()[0]
        assert note["Question"] in shown.question()
        assert note["Answer"] in shown.answer()
        assert all(reference.url in note["Answer"] for reference in card.references if "&" not in reference.url)
        assert collection.decks.name(shown.did) == "infra-quiz::training::parallelism"
    assert set(seen) == set(cards)
    assert seen[NUMERIC] == 3
    assert all(count == 1 for name, count in seen.items() if cards[name].kind != "numeric")
    assert collection.fix_integrity()[1]


def test_a_second_export_updates_and_duplicates_nothing(collection: Any, tmp_path: Path, shipped: Library) -> None:
    first, second, now = tmp_path / "1.apkg", tmp_path / "2.apkg", time.time()
    cards = outgoing(shipped, "parallelism")
    count = anki_out.write(cards, first, shipped.companies, "en", now - 1000)
    assert take(collection, first) == (count, 0, 0)
    assert take(collection, first) == (0, 0, count)
    changed = next(card for card in cards.cards() if card.kind == "concept")
    deck, before = cards.decks[0]
    after = [replace(card, answer=Text("A better answer.", "")) if card is changed else card for card in before]
    assert anki_out.write(Outgoing([(deck, after)]), second, shipped.companies, "en", now) == count
    new, updated, same = take(collection, second)
    assert (new, updated + same) == (0, count)
    assert updated >= 1
    assert collection.note_count() == count
    (note_id,) = collection.find_notes(f"Id:{changed.id}")
    assert "A better answer." in collection.get_note(note_id)["Answer"]
    names = [one.name for one in collection.decks.all_names_and_ids() if one.name.startswith("infra-quiz")]
    assert names == ["infra-quiz", "infra-quiz::training", "infra-quiz::training::parallelism"]
    assert [model.name for model in collection.models.all_names_and_ids()].count("infra-quiz") == 1


def test_text_of_a_deck_is_text_in_anki(collection: Any, tmp_path: Path, shipped: Library) -> None:
    hostile = "<script>x</script> {{c1::y}} [sound:z.mp3] <img src=a> & `<b>`"
    card = replace(shipped.card("one-f-one-b-keeps-the-bubble"), question=Text(hostile, hostile), tags=("a b", "<t>"))
    deck = shipped.decks[card.deck]
    anki_out.write(Outgoing([(deck, [card])]), tmp_path / "h.apkg", shipped.companies, "en", time.time())
    take(collection, tmp_path / "h.apkg")
    note = collection.get_note(collection.find_notes("")[0])
    question = note.cards()[0].question()
    assert "<script" not in question
    assert "<img" not in question
    assert not note.cards()[0].question_av_tags()
    assert "&lt;script&gt;x&lt;/script&gt; {&#123;c1::y}}" in note["Question"]
    assert "a-b" in note.tags


# In


def fill(collection: Any) -> None:
    """A note of each usual kind."""

    def add(kind: str, tags: str, *fields: str) -> None:
        note = collection.new_note(collection.models.by_name(kind))
        note.fields[: len(fields)] = fields
        note.tags = tags.split()
        collection.add_note(note, collection.decks.id("Infra::GPU"))

    add("Basic", "gpu hbm", "What is <b>HBM</b>?", "Stacked DRAM<br>on the package<img src='x.png'>")
    add("Basic (and reversed card)", "zh", "显存", "GPU 上的内存[sound:a.mp3]")
    add("Cloze", "", "A {{c1::warp}} has {{c2::32::how many?}} threads", "SIMT")
    add("Basic (type in the answer)", "", "2<sup>10</sup>?", "1024 &lt; 1025")
    add("Basic", "", "<img src='only.png'>", "a picture")


def pack(collection: Any, path: Path, *, legacy: bool, scheduling: bool = False) -> None:
    options = anki.ExportAnkiPackageOptions(
        with_scheduling=scheduling, with_deck_configs=False, with_media=False, legacy=legacy
    )
    collection.export_anki_package(out_path=str(path), options=options, limit=None)


@pytest.mark.parametrize("legacy", [True, False], ids=["legacy", "zstandard"])
def test_a_package_of_ankis_own_is_imported(
    quiz: Call, collection: Any, tmp_path: Path, home: Path, legacy: bool
) -> None:
    fill(collection)
    source = tmp_path / "GPU notes.apkg"
    pack(collection, source, legacy=legacy)
    shown = quiz("import", source)
    assert "6 new cards for the deck gpu-notes" in shown.out
    assert "pictures and sounds are dropped" in shown.out
    assert not (home / "decks").exists()
    said = quiz("import", source, "--yes", "--json").json
    assert (said["new"], said["known"], said["done"]) == (6, 0, True)
    assert [one["why"] for one in said["skipped"]] == ["only_media"]
    assert said["media"] == 4
    cards = [
        quiz("show", card["id"], "--json").json for card in quiz("cards", "--deck", "gpu-notes", "--json").json["cards"]
    ]
    sides = {
        (card["question"]["en"] or card["question"]["zh"], card["answer"]["en"] or card["answer"]["zh"])
        for card in cards
    }
    assert sides == {
        ("What is **HBM**?", "Stacked DRAM\n\non the package"),
        ("显存", "GPU 上的内存"),
        ("GPU 上的内存", "显存"),
        ("A […] has 32 threads", "A **warp** has 32 threads\n\nSIMT"),
        ("A warp has [how many?] threads", "A warp has **32** threads\n\nSIMT"),
        ("210?", "1024 < 1025"),
    }
    assert {tag for card in cards for tag in card["tags"]} == {"gpu", "hbm", "zh"}
    again = quiz("import", source, "--yes", "--json").json
    assert (again["new"], again["known"], again["done"]) == (0, 6, False)
    assert quiz("import", source, "--as", "other", "--json").json["new"] == 6
    quiz("undo")
    assert list((home / "decks").iterdir()) == []


def answer(collection: Any, count: int) -> list[int]:
    """Answer `count` cards with Again, Hard, Good and Easy in turn; returns the buttons."""
    buttons: list[int] = []
    collection.decks.set_current(collection.decks.id("Infra::GPU"))
    for number in range(count):
        card = collection.sched.getCard()
        if card is None:
            break
        button = number % 4 + 1
        collection.sched.answerCard(card, button)
        buttons.append(button)
        # Anki's log is keyed by the millisecond.
        while time.time() * 1000 < collection.db.scalar("SELECT max(id) FROM revlog") + 2:
            pass
    return buttons


@pytest.mark.parametrize("kind", ["legacy", "zstandard", "colpkg"])
def test_ankis_reviews_come_once_and_go_with_undo(
    quiz: Call, collection: Any, tmp_path: Path, clock: Any, kind: str
) -> None:
    fill(collection)
    buttons = answer(collection, 4)
    assert len(set(buttons)) == 4
    card_id = collection.find_cards("HBM")[0]
    collection.sched.set_due_date([card_id], "3")
    source = tmp_path / ("in.colpkg" if kind == "colpkg" else "in.apkg")
    if kind == "colpkg":
        collection.export_collection_package(str(source), include_media=False, legacy=False)
        collection.reopen()
    else:
        pack(collection, source, legacy=kind == "legacy", scheduling=True)
    clock.moment = clock.moment.fromtimestamp(time.time() + 60, clock.moment.tzinfo)
    shown = quiz("import", source, "--history")
    assert "Again 1, Hard 3, Good 4, Easy 5" in shown.out
    said = quiz("import", source, "--history", "--yes", "--json").json
    assert said["reviews"] == {"new": len(buttons), "known": 0, "other": 1}
    log = [event for event in quiz("log", "--json").json["events"] if event["kind"] == "review"]
    assert sorted(event["grade"] for event in log) == sorted({1: 1, 2: 3, 3: 4, 4: 5}[one] for one in buttons)
    assert all(event["id"].startswith("anki-") and event["device"] == "anki-in" for event in log)
    assert quiz("verify").status == 0
    again = quiz("import", source, "--history", "--yes", "--json").json
    assert again["reviews"] == {"new": 0, "known": len(buttons), "other": 1}
    assert quiz("undo").status == 0
    undone = {event["undoes"] for event in quiz("log", "--json").json["events"]}
    assert {event["id"] for event in log} <= undone
    assert quiz("verify").status == 0
    # What was taken back may be taken over once more.
    anew = quiz("import", source, "--history", "--yes", "--json").json
    assert (anew["done"], anew["new"], anew["reviews"]["new"]) == (True, 6, len(buttons))
    assert quiz("why", log[0]["card"], "--json").json["due"] is not None
    assert quiz("verify").status == 0


def test_ankis_text_export_is_imported(quiz: Call, collection: Any, tmp_path: Path) -> None:
    fill(collection)
    for with_html in (True, False):
        source = tmp_path / f"notes-{with_html}.txt"
        collection.export_note_csv(
            out_path=str(source), limit=None, with_html=with_html, with_tags=True, with_deck=True, with_notetype=True,
            with_guid=True,
        )  # fmt: skip
        said = quiz("import", source, "--yes", "--json").json
        assert said["new"] == 5
        assert [one["why"] for one in said["skipped"]] == ["only_media" if with_html else "empty"]
        deck = quiz("cards", "--deck", said["decks"][0], "--json").json["cards"]
        assert {"gpu", "hbm"} <= {tag for card in deck for tag in card["tags"]}


def test_an_export_of_ours_comes_back(quiz: Call, tmp_path: Path) -> None:
    notes = quiz("export", tmp_path / "ours.apkg", "--deck", "kv-cache", "--json").json["notes"]
    said = quiz("import", tmp_path / "ours.apkg", "--yes", "--json").json
    assert (said["new"], said["skipped"]) == (notes, [])
    assert quiz("due").err == ""
