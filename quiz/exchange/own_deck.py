"""What comes in from another program as a deck file of the learner's own. Nothing is overwritten, what is left out is told."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from quiz.cells import wide

LONGEST = 20_000
MOST = 50_000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """A question and its answer as they came. `key` names it for ever: the same one coming again is the same card."""

    key: str
    front: str
    back: str
    tags: tuple[str, ...] = ()


@dataclass(slots=True)
class Made:
    """A deck file's text with the ids of its cards, and what was left out: (how it begins, why)."""

    text: str = ""
    cards: list[str] = field(default_factory=list)
    known: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)


def make(name: str, title: str, area: str, entries: Iterable[Entry], taken: Iterable[str]) -> Made:
    """The deck `name` of `entries`; those whose id is in `taken` are known and left out, as are those without words.

    Why something is left out is "empty", "long", "many" or "twice".
    """
    have, made = set(taken), Made()
    lines = [f"deck: {name}", f"area: {area}", f"title: {_both(clean(title) or name)}", "cards:"]
    for entry in entries:
        front, back = clean(entry.front), clean(entry.back)
        card = card_id(name, entry.key)
        if not front or not back:
            made.skipped.append((_beginning(front or back or entry.key), "empty"))
        elif len(front) + len(back) > LONGEST:
            made.skipped.append((_beginning(front), "long"))
        elif len(made.cards) >= MOST:
            made.skipped.append((_beginning(front), "many"))
        elif card in made.cards:
            made.skipped.append((_beginning(front), "twice"))
        elif card in have:
            made.known += 1
        else:
            made.cards.append(card)
            tags = list(dict.fromkeys(filter(None, map(_tag, entry.tags))))[:20]
            lines += [f"  - id: {card}", "    kind: concept"]
            lines += [f"    tags: {json.dumps(tags, ensure_ascii=False)}"] if tags else []
            lines += [f"    question: {_both(front)}", f"    answer: {_both(back, like=front + back)}"]
    made.text = "\n".join(lines) + "\n" if made.cards else ""
    return made


def card_id(deck: str, key: str) -> str:
    """The id of the card that `key` names: the same for ever, and no other deck's."""
    return f"{slug(deck)}-{hashlib.blake2b(key.encode('utf-8', 'replace'), digest_size=5).hexdigest()}"


def slug(text: str) -> str:
    """`text` as an id: lower-case letters and digits with hyphens between, "imported" where nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "imported"


def clean(text: str) -> str:
    """`text` without what a deck must not hold: control characters, marks that turn text round, blank edges."""
    plain = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _CONTROL.sub("", plain).strip()


def _both(text: str, *, like: str = "") -> str:
    """`text` in the language that it is in; the other one is left out, as decks of one's own may."""
    sample = like or text
    chinese = sum(map(wide, sample))
    language = "zh" if 5 * chinese > len(sample) else "en"
    return f"{{{language}: {json.dumps(text, ensure_ascii=False)}}}"


def _tag(text: str) -> str:
    return re.sub(r"\s+", "-", clean(text))[:60]


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
