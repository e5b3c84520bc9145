"""What comes in from another program as deck files of the learner's own. Nothing is overwritten, what is left out is told."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from quiz.language import Text
from quiz.reference import Reference
from quiz.strict_yaml import UNSAFE

LONGEST = 20_000
MOST = 50_000
NOTHING = Text("", "")
# A deck file may have four million bytes; a card's own bytes stay far below the difference.
FILE_BYTES = 3_500_000
TOTAL_BYTES = 40_000_000
MOST_TAGS = 20
_URL = re.compile(r"https?://\S{1,2000}")


@dataclass(frozen=True, slots=True)
class Entry:
    """A question and its answer as they came; a language that is not there is empty.

    `key` names it for ever: the same one coming again is the same card.
    """

    key: str
    question: Text
    answer: Text
    tags: tuple[str, ...] = ()
    pitfall: Text = NOTHING
    key_points: tuple[Text, ...] = ()
    references: tuple[Reference, ...] = ()
    difficulty: int = 1


@dataclass(slots=True)
class Made:
    """The deck files as (deck id, text), each card's id by its key, and what was left out: (how it begins, why).

    `fresh` are the cards in the files, in order; `cards` holds those that were here already as well.
    """

    files: list[tuple[str, str]] = field(default_factory=list)
    fresh: list[Entry] = field(default_factory=list)
    cards: dict[str, str] = field(default_factory=dict)
    known: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)


def make(
    name: str, title: str, area: str, entries: Iterable[Entry], taken: Iterable[str], names: Iterable[str]
) -> Made:
    """Deck files of `entries`, each under the next of `names` (endless); `name` is what their cards are called after.

    Cards whose id is in `taken` are known and left out, as are those without words. Why something is left out is
    "empty", "long", "many" or "twice".
    """
    have, made, waiting, size, total = frozenset(taken), Made(), list[str](), 0, 0
    decks = iter(names)

    def close() -> None:
        nonlocal waiting, size
        if waiting:
            deck = next(decks)
            head = [f"deck: {deck}", f"area: {area}", f"title: {_quoted(in_its_language(clean(title) or name))}"]
            made.files.append((deck, "\n".join([*head, "cards:", *waiting]) + "\n"))
        waiting, size = [], 0

    for entry in entries:
        question, answer = _clean_text(entry.question), _clean_text(entry.answer)
        card = entry.key if entry.key in have else card_id(name, entry.key)
        if not any(question) or not any(answer):
            made.skipped.append((beginning("".join(question) or "".join(answer) or clean(entry.key)), "empty"))
        elif entry.key in made.cards:
            made.skipped.append((beginning(question.pick("en")), "twice"))
        elif card in have:
            made.known += 1
            made.cards[entry.key] = card
        else:
            lines = _lines(card, entry, question, answer)
            length = len(lines.encode())
            if _length(entry) > LONGEST:
                made.skipped.append((beginning(question.pick("en")), "long"))
            elif len(made.fresh) >= MOST or total + length > TOTAL_BYTES:
                made.skipped.append((beginning(question.pick("en")), "many"))
            else:
                if size + length > FILE_BYTES:
                    close()
                waiting.append(lines)
                size, total = size + length, total + length
                made.cards[entry.key] = card
                made.fresh.append(entry)
    close()
    return made


def card_id(deck: str, key: str) -> str:
    """The id of the card that `key` names: the same for ever, and no other deck's."""
    return f"{slug(deck)}-{hashlib.blake2b(key.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"


def slug(text: str) -> str:
    """`text` as an id: lower-case letters and digits with hyphens between; a name without any by its hash."""
    plain = unicodedata.normalize("NFKD", text[:200]).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-")
    return name or f"deck-{hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=3).hexdigest()}"


def clean(text: str) -> str:
    """`text` without what a deck must not hold: control characters, marks that turn text round, blank edges."""
    plain = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return UNSAFE.sub("", plain).strip()


def in_its_language(text: str, *, like: str = "") -> Text:
    """`text` under the language that it is in; the other one is empty, as decks of one's own may have it."""
    sample = like or text
    chinese = sum(0x4E00 <= ord(character) <= 0x9FFF for character in sample)
    return Text("", text) if 5 * chinese > len(sample) else Text(text, "")


def beginning(text: str) -> str:
    """How `text` begins, on one line."""
    line = " ".join(text[:400].split())
    return line if len(line) <= 40 else line[:39] + "…"


def _lines(card: str, entry: Entry, question: Text, answer: Text) -> str:
    tags = [tag for tag in dict.fromkeys(map(_tag, entry.tags[: 2 * MOST_TAGS])) if tag][:MOST_TAGS]
    lines = [f"  - id: {card}", "    kind: concept"]
    if tags:
        lines.append(f"    tags: {json.dumps(tags, ensure_ascii=False)}")
    if entry.difficulty in (2, 3):
        lines.append(f"    difficulty: {entry.difficulty}")
    lines += [f"    question: {_quoted(question)}", f"    answer: {_quoted(answer)}"]
    pitfall = _clean_text(entry.pitfall)
    if any(pitfall):
        lines.append(f"    pitfall: {_quoted(pitfall)}")
    points = [point for point in map(_clean_text, entry.key_points) if any(point)]
    if points:
        lines += ["    key_points:", *(f"      - {_quoted(point)}" for point in points)]
    sources = [(clean(one.title), one.url) for one in entry.references]
    if any(title for title, _ in sources):
        lines.append("    references:")
        for title, url in sources:
            if title:
                more = f", url: {json.dumps(url)}" if url.isascii() and _URL.fullmatch(url) else ""
                lines.append(f"      - {{title: {json.dumps(title, ensure_ascii=False)}{more}}}")
    return "\n".join(lines)


def _length(entry: Entry) -> int:
    texts = [entry.question, entry.answer, entry.pitfall, *entry.key_points]
    return sum(len(text.en) + len(text.zh) for text in texts) + sum(len(r.title) + len(r.url) for r in entry.references)


def _clean_text(text: Text) -> Text:
    return Text(clean(text.en), clean(text.zh))


def _quoted(text: Text) -> str:
    words = [
        f"{key}: {json.dumps(said, ensure_ascii=False)}" for key, said in zip(("en", "zh"), text, strict=True) if said
    ]
    return f"{{{', '.join(words)}}}"


def _tag(text: str) -> str:
    return re.sub(r"\s+", "-", clean(text[:200]))[:60]
