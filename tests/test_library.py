"""Decks are found, indexed and read when needed; nothing in a deck or in the cache can keep the rest from loading."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quiz.card import summary
from quiz.deck import load
from quiz.errors import UnknownName
from quiz.library import Library, deck_files, shipped_decks

EXAMPLES = Path(__file__).parent / "data" / "examples.yaml"

DECK = """\
deck: {deck}
area: platform
title: {{en: Mine}}
cards:
  - id: {card}
    kind: concept
    tags: [mine]
    question: {{en: "{question}"}}
    answer: {{en: So.}}
"""


def write(folder: Path, name: str, deck: str, card: str, question: str = "Why?") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(DECK.format(deck=deck, card=card, question=question), encoding="utf-8")
    os.utime(path, (1_600_000_000, 1_600_000_000))
    return path


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "decks"
    folder.mkdir()
    (folder / "examples.yaml").write_bytes(EXAMPLES.read_bytes())
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def settle(cache: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Index `own` as if its files had been there for a while."""
    import quiz.library

    monkeypatch.setattr(quiz.library, "SETTLED_AFTER", 0)
    Library.open([own], cache)


def test_cards_from_the_index_are_the_cards_of_the_deck(own: Path, cache: Path) -> None:
    deck = load(own / "examples.yaml").deck
    assert deck is not None
    for library in (Library.open([own]), Library.open([own], cache), Library.open([own], cache)):
        assert list(library.cards()) == list(deck.cards)
        assert library.summaries == {card.id: summary(card) for card in deck.cards}
        assert library.decks["examples"].cards == tuple(card.id for card in deck.cards)
        assert library.decks["examples"].own
        assert library.problems == []


def test_no_yaml_is_imported_unless_a_deck_changed(own: Path, cache: Path) -> None:
    Library.open([shipped_decks(), own], cache)
    script = (
        "import sys; from pathlib import Path; from quiz.library import Library, shipped_decks\n"
        "library = Library.open([shipped_decks(), Path(sys.argv[1])], Path(sys.argv[2]))\n"
        "library.card('idle-share'); library.company('字节'); library.select()\n"
        "heavy = {'yaml', 'rapidfuzz', 'textual', 'rich', 'sqlite_utils', 'typer'} & set(sys.modules)\n"
        "print(sorted(heavy), len(library.summaries))"
    )
    # Twice: files written a moment ago are looked at once more.
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", script, own, cache], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("[] ")


def test_an_unchanged_deck_is_not_read_again(own: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(cache, own, monkeypatch)
    monkeypatch.setattr(Path, "read_bytes", _only_json)
    library = Library.open([own], cache)
    assert library.card("idle-share").answer.en.startswith("A stage waits")


def _only_json(path: Path) -> bytes:
    assert path.suffix == ".json", path
    with path.open("rb") as file:
        return file.read()


def test_a_changed_deck_is_read_again(own: Path, cache: Path) -> None:
    path = write(own, "mine.yaml", "mine", "mine-1", "Why?")
    Library.open([own], cache)
    write(own, "mine.yaml", "mine", "mine-1", "How?")  # same size, same time of writing
    assert Library.open([own], cache).summaries["mine-1"].question.en == "How?"
    write(own, "mine.yaml", "mine", "mine-2", "How?")
    library = Library.open([own], cache)
    assert "mine-2" in library.summaries
    assert "mine-1" not in library.summaries
    path.unlink()
    assert "mine" not in Library.open([own], cache).decks


def test_a_deck_only_touched_keeps_its_cards(own: Path, cache: Path) -> None:
    before = Library.open([own], cache).card("idle-share")
    os.utime(own / "examples.yaml", (1_700_000_000, 1_700_000_000))
    assert Library.open([own], cache).card("idle-share") == before


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"null", b"[]", b'{"format": 1}', b"\xff\xfe", b'{"format": [1, "0"], "files": {}}', b"[" * 100_000],
)
def test_a_spoilt_cache_is_made_anew(own: Path, cache: Path, content: bytes) -> None:
    Library.open([own], cache)
    for file in cache.iterdir():
        file.write_bytes(content)
    for _ in range(2):
        library = Library.open([own], cache)
        assert len(list(library.cards())) == 3


def test_an_index_with_wrong_entries_is_made_anew(own: Path, cache: Path) -> None:
    Library.open([own], cache)
    index = json.loads((cache / "decks.json").read_text())
    for entry in index["files"].values():
        entry[3] = [["idle-share"]]
    (cache / "decks.json").write_text(json.dumps(index))
    assert len(list(Library.open([own], cache).cards())) == 3


def test_a_card_file_that_went_missing(own: Path, cache: Path) -> None:
    Library.open([own], cache)
    library = Library.open([own], cache)
    for file in cache.glob("cards-*"):
        file.unlink()
    assert library.card("idle-share").id == "idle-share"


def test_a_cache_that_cannot_be_written(own: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    library = Library.open([own], tmp_path / "file" / "cache")
    assert len(list(library.cards())) == 3


def test_cards_no_longer_used_leave_the_cache(own: Path, cache: Path) -> None:
    for question in ("A?", "B?", "C?"):
        write(own, "mine.yaml", "mine", "mine-1", question)
        Library.open([own], cache)
    assert len(list(cache.glob("cards-*"))) == 2
    assert not list(cache.glob(".*"))


def test_other_folders_keep_their_place_in_the_index(own: Path, cache: Path, tmp_path: Path) -> None:
    write(tmp_path / "more", "more.yaml", "more", "more-1")
    Library.open([own, tmp_path / "more"], cache)
    assert list(Library.open([own], cache).decks) == ["examples"]
    assert set(Library.open([own, tmp_path / "more"], cache).decks) == {"examples", "more"}


def test_a_broken_deck_is_told_and_the_rest_loads(own: Path, cache: Path) -> None:
    (own / "broken.yaml").write_text("deck: x\ncards: [\n")
    (own / "binary.yaml").write_bytes(bytes(range(256)))
    (own / "empty.yml").write_text("")
    (own / "half.yaml").write_text(
        DECK.format(deck="half", card="good", question="?") + "  - id: bad\n    kind: concept\n"
    )
    for _ in range(2):
        library = Library.open([own], cache)
        assert {"idle-share", "good"} <= set(library.summaries)
        assert {Path(problem.path).name for problem in library.problems} == {
            "broken.yaml", "binary.yaml", "empty.yml", "half.yaml",
        }  # fmt: skip
        assert all(problem.line >= 1 for problem in library.problems)


def test_an_id_that_is_taken_stays_with_the_first_deck(own: Path, cache: Path) -> None:
    write(own / "z", "mine.yaml", "mine", "idle-share")
    write(own / "z", "twin.yaml", "examples", "twin-1")
    for _ in range(2):
        library = Library.open([own], cache)
        assert library.card("idle-share").deck == "examples"
        assert [(Path(p.path).name, p.line, p.column, p.card, p.field) for p in library.problems] == [
            ("mine.yaml", 5, 9, "idle-share", "id"),
            ("twin.yaml", 1, 7, "", "deck"),
        ]
        assert library.decks["mine"].cards == ()
        assert "twin-1" not in library.summaries


def test_unknown_names_come_with_the_nearest(own: Path) -> None:
    library = Library.open([shipped_decks(), own])
    with pytest.raises(UnknownName, match="idle-share"):
        library.card("idle-shar")
    with pytest.raises(UnknownName, match="examples"):
        library.deck("exampels")
    with pytest.raises(UnknownName, match="baidu"):
        library.company("baidoo")
    with pytest.raises(UnknownName, match="bubble"):
        library.select(tags=["buble"])
    with pytest.raises(UnknownName):
        library.card("")


def test_selecting(own: Path) -> None:
    write(own, "mine.yaml", "mine", "mine-1")
    library = Library.open([own])
    shared = Library.open([shipped_decks()])
    library.companies = shared.companies
    assert len(library.select()) == 4
    assert [card.id for card in library.select(decks=["mine"])] == ["mine-1"]
    assert [card.id for card in library.select(tags=["bubble", "mine"])] == ["idle-share", "mine-1"]
    assert [card.id for card in library.select(companies=["字节"])] == ["idle-share"]
    assert [card.id for card in library.select(companies=["阿里"])] == ["own-numbers"]
    assert library.select(decks=["mine"], companies=["字节"]) == []
    assert library.tags() == {"pipeline": 2, "bubble": 1, "mine": 1}


@pytest.mark.parametrize(
    ("spelling", "company"),
    [
        ("字节", "bytedance"),
        ("byte dance", "bytedance"),
        ("ByteDance", "bytedance"),
        ("ＢＹＴＥＤＡＮＣＥ", "bytedance"),
        ("byte-dance", "bytedance"),
        ("字节跳动", "bytedance"),
        ("豆包", "bytedance-seed"),
        ("seed", "bytedance-seed"),
        ("阿里", "alibaba"),
        ("alibaba", "alibaba"),
        ("qwen", "alibaba-qwen"),
        ("通义千问", "alibaba-qwen"),
        ("蚂蚁", "ant-group"),
        ("混元", "tencent-hunyuan"),
        ("JD", "jd"),
        ("京东", "jd"),
        ("小红书", "xiaohongshu"),
        ("moore threads", "moore-threads"),
        ("pony.ai", "pony-ai"),
        ("讯飞", "iflytek"),
        ("momenta", "momenta"),
    ],
)
def test_a_company_is_found_by_any_spelling(spelling: str, company: str) -> None:
    assert Library.open([shipped_decks()]).company(spelling).id == company


def test_every_spelling_of_every_company_finds_it() -> None:
    library = Library.open([shipped_decks()])
    for company in library.companies.by_id.values():
        for spelling in company.spellings:
            assert library.company(spelling) is company


def test_a_company_includes_its_parts() -> None:
    companies = Library.open([shipped_decks()]).companies
    assert companies.parts("alibaba") == {
        "alibaba", "alibaba-qwen", "alibaba-cloud", "alibaba-international", "ant-group",
    }  # fmt: skip
    assert companies.parts("alibaba-qwen") == {"alibaba-qwen"}


@pytest.mark.parametrize("spelling", ["", " ", "小米", "x", "。"])
def test_no_such_company(spelling: str) -> None:
    with pytest.raises(UnknownName):
        Library.open([shipped_decks()]).company(spelling)


def test_a_folder_of_ones_own_may_add_companies(tmp_path: Path) -> None:
    (tmp_path / "companies.yaml").write_text("companies:\n  - {id: acme, en: Acme, zh: 顶点}\n")
    library = Library.open([shipped_decks(), tmp_path])
    assert library.company("顶点").id == "acme"
    assert library.company("百度").id == "baidu"


def test_folders_that_hold_nothing(tmp_path: Path) -> None:
    library = Library.open([tmp_path / "none", tmp_path], tmp_path / "cache")
    assert (library.summaries, library.problems) == ({}, [])


def test_hidden_files_and_registers_are_no_decks(tmp_path: Path) -> None:
    for name in (".hidden.yaml", "companies.yaml", "a.yaml", "notes.txt", ".git/b.yaml", "sub/companies.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert [str(path.relative_to(tmp_path)) for path in deck_files(tmp_path)] == ["a.yaml", "sub/companies.yaml"]


def test_the_shipped_decks_load_without_a_problem() -> None:
    library = Library.open([shipped_decks()])
    assert [problem.say("en") for problem in library.problems] == []
    assert not any(deck.own for deck in library.decks.values())


def test_single_deck_file_is_a_folder_of_one(tmp_path: Path) -> None:
    deck = tmp_path / "mine.yaml"
    deck.write_text((Path(__file__).parent / "data" / "small.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    assert list(Library.open([deck]).decks) == ["small"]
    deck.write_bytes(b"\xae\xff")
    assert Library.open([deck]).problems
