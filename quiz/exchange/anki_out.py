"""Cards as an Anki package. All ids stay the same for ever, so that a later export updates what an earlier one made."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from quiz.card import Card
from quiz.checking import right_value
from quiz.companies import Companies
from quiz.draw import Draw, question
from quiz.errors import BadHome, BadInput
from quiz.exchange.drawn import Outgoing
from quiz.exchange.written import escaped, to_html
from quiz.language import Text, say
from quiz.prose import parse

VARIANTS = 3
MODEL_NAME = "infra-quiz"
DECK_ROOT = "infra-quiz"
FIELDS = ("Question", "Answer", "Id")
FRONT = '<div class="question">{{Question}}</div>'
BACK = "{{FrontSide}}<hr id=answer>{{Answer}}"
STYLE = """.card { font: 18px/1.5 sans-serif; text-align: left; max-width: 44em; margin: 0 auto; }
table { border-collapse: collapse; } td, th { border: 1px solid #999; padding: 2px 8px; }
pre, code { font-family: monospace; } pre { overflow-x: auto; }"""


def write(outgoing: Outgoing, target: Path, companies: Companies, language: str, at: float) -> int:
    """Write the package to `target`, as made `at` seconds since 1970; returns how many notes it holds.

    A numeric card is a note for each of three draws. BadInput if genanki is not installed.
    """
    try:
        import genanki
    except ImportError as error:
        raise BadInput(say("data.no_genanki")) from error

    model = genanki.Model(
        number("model", MODEL_NAME),
        MODEL_NAME,
        fields=[{"name": name} for name in FIELDS],
        templates=[{"name": "Card 1", "qfmt": FRONT, "afmt": BACK}],
        css=STYLE,
    )
    decks, count = [], 0
    for deck, cards in outgoing.decks:
        made = genanki.Deck(number("deck", deck.id), f"{DECK_ROOT}::{deck.area}::{deck.id}")
        for card in cards:
            # A deck whose numbers cannot be drawn leaves its card out, and it has been told.
            variants: list[Draw | None] = [*outgoing.draws(card, VARIANTS)] if card.numeric else [None]
            for variant, drawn in enumerate(variants):
                fields = [
                    _front(card, drawn, companies, language),
                    _back(card, drawn, language),
                    escaped(f"{card.id}/{variant}" if drawn else card.id),
                ]
                made.add_note(
                    genanki.Note(model, fields, guid=guid(card.id, variant), tags=tags(card), sort_field=fields[2])
                )
                count += 1
        decks.append(made)
    _write(genanki.Package(decks), target, at)
    return count


def _write(package: Any, target: Path, at: float) -> None:
    """genanki leaves its database behind in the folder for temporary files: it gets one that goes with it."""
    import tempfile

    usual = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="quiz-") as folder:
        tempfile.tempdir = folder
        try:
            package.write_to_file(str(target), timestamp=at)
        except Exception as error:
            # A full disk comes as an error of SQLite's, which only the record's own module knows by name.
            if type(error).__module__ == "sqlite3":
                raise BadHome(say("home.unwritable", path=target, why=error)) from error
            raise
        finally:
            tempfile.tempdir = usual


def number(kind: str, name: str) -> int:
    """Anki's id for a model or a deck: between 2³⁰ and 2³¹, by its name alone."""
    digest = hashlib.blake2b(f"infra-quiz {kind} {name}".encode(), digest_size=4).digest()
    return (1 << 30) + int.from_bytes(digest, "big") % (1 << 30)


def guid(card: str, variant: int) -> str:
    """The note's id over all collections, by the card and the how manieth of its draws."""
    return hashlib.blake2b(f"infra-quiz note {card}/{variant}".encode(), digest_size=10).hexdigest()


def tags(card: Card) -> list[str]:
    """What Anki can look for: who asks, area, kind, deck, difficulty and the card's own tags."""
    named = [
        *(f"company::{company}" for company in card.companies),
        f"area::{card.area}",
        f"kind::{card.kind}",
        f"deck::{card.deck}",
        f"difficulty::{card.difficulty}",
        *card.tags,
    ]
    return list(dict.fromkeys("-".join(tag.split()) for tag in named))


def _front(card: Card, drawn: Draw | None, companies: Companies, language: str) -> str:
    asked = question(card, drawn) if drawn else card.question
    who = companies.names(card.companies, language)
    if card.as_of:
        who.append(say("review.as_of", when=card.as_of).pick(language))
    return _prose(asked, language) + (f"<p><small>{escaped(' · '.join(who))}</small></p>" if who else "")


def _back(card: Card, drawn: Draw | None, language: str) -> str:
    parts = []
    if drawn is not None and card.numeric is not None:
        value = right_value(drawn, card.numeric, language)
        parts.append(f"<p><b>{escaped(say('review.right_value', value=value).pick(language))}</b></p>")
        parts.append(f"<pre>{escaped(drawn.worked(card.numeric.asks).strip())}</pre>")
    parts.append(_prose(card.answer, language))
    if card.pitfall:
        pitfall = say("review.pitfall", text=card.pitfall.pick(language))
        parts.append(_prose(pitfall, language))
    if card.key_points:
        points = "".join(f"<li>{_prose(point.text, language)}</li>" for point in card.key_points)
        parts.append(f"<p><b>{escaped(say('review.key_points').pick(language))}</b></p><ul>{points}</ul>")
    if card.references:
        links = "".join(f"<li>{_link(one.title, one.url)}</li>" for one in card.references)
        parts.append(f"<p><b>{escaped(say('data.sheet_references').pick(language))}</b></p><ul>{links}</ul>")
    return "".join(parts)


def _link(title: str, url: str) -> str:
    return (
        f'<a href="{escaped(url)}">{escaped(title)}</a>' if url.startswith(("https://", "http://")) else escaped(title)
    )


def _prose(text: Text, language: str) -> str:
    return to_html(parse(text.pick(language)))
