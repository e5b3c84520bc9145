"""Printable study sheets in Markdown: by deck, each question with its answer and all that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator

from quiz.card import Card
from quiz.checking import right_value
from quiz.companies import Companies
from quiz.draw import question
from quiz.exchange.drawn import Outgoing
from quiz.exchange.written import lines_as_they_are, literal, to_markdown
from quiz.language import say
from quiz.prose import parse


def write(outgoing: Outgoing, companies: Companies, language: str) -> str:
    """The sheets in `language`. A numeric card stands with one draw's numbers, worked."""
    parts = [f"# {_words('sheet_title', language)}"]
    for deck, cards in outgoing.decks:
        sheets = [sheet for card in cards if (sheet := list(_sheet(outgoing, card, companies, language)))]
        if sheets:
            parts.append(f"## {literal(deck.title.pick(language))}")
            for number, sheet in enumerate(sheets, 1):
                parts += [f"### {number}. {literal(sheet[0])}", *filter(None, sheet[1:])]
    return "\n\n".join(parts) + "\n"


def _sheet(outgoing: Outgoing, card: Card, companies: Companies, language: str) -> Iterator[str]:
    """The heading, then the paragraphs; nothing where the card's numbers cannot be drawn."""
    asked, right = card.question, []
    if card.numeric is not None:
        drawn = next(iter(outgoing.draws(card, 1)), None)
        if drawn is None:
            return
        asked = question(card, drawn)
        value = right_value(drawn, card.numeric, language)
        right = [f"**{literal(say('review.right_value', value=value).pick(language))}**"]
        right.append(lines_as_they_are(drawn.worked(card.numeric.asks)))
    head = [card.id, f"{card.difficulty}/3", *companies.names(card.companies, language)]
    if card.as_of:
        head.append(say("review.as_of", when=card.as_of).pick(language))
    yield " · ".join(head)
    yield _prose(asked.pick(language))
    yield f"**{_words('sheet_answer', language)}**"
    yield from right
    yield _prose(card.answer.pick(language))
    if card.pitfall:
        yield _prose(say("review.pitfall", text=card.pitfall.pick(language)).pick(language))
    if card.key_points:
        yield f"**{say('review.key_points').pick(language)}**"
        yield "\n".join(f"- [ ] {_inline(point.text.pick(language))}" for point in card.key_points)
    if card.references:
        yield f"**{_words('sheet_references', language)}**"
        yield "\n".join(
            f"- {literal(one.title)}" + (f" <{one.url}>" if _safe_url(one.url) else f" {literal(one.url)}".rstrip())
            for one in card.references
        )


def _prose(text: str) -> str:
    return to_markdown(parse(text))


def _inline(text: str) -> str:
    return " ".join(to_markdown(parse(" ".join(text.split()))).split("\n"))


def _safe_url(url: str) -> bool:
    return url.startswith(("https://", "http://")) and not set(url) & set("<> \t\n")


def _words(key: str, language: str) -> str:
    return say(f"data.{key}").pick(language)
