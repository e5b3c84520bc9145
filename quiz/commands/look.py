"""Commands that look and change nothing: due, decks, companies, cards, show."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from typing import Any

from quiz.card import KINDS, Card, Summary
from quiz.day import to_date
from quiz.desk import Desk
from quiz.errors import UnknownName
from quiz.language import Text, say
from quiz.queue import answered_on
from quiz.study import Selection
from quiz.terminal import clip, columns, print_json, safe
from quiz.today import due_lines, problem_lines

Names = list[str] | None


def selection(deck: Names, company: Names, tag: Names, **more: Any) -> Selection:
    return Selection(tuple(deck or ()), tuple(company or ()), tuple(tag or ()), **more)


def known_kind(kind: str) -> str:
    """`kind` itself. UnknownName, with all there are, if cards are of no such kind."""
    if kind not in KINDS:
        raise UnknownName(say("cli.unknown_kind", kind=kind, near=", ".join(KINDS)))
    return kind


def due(desk: Desk, deck: Names, company: Names, tag: Names, json: bool) -> int:
    queue = desk.study.todays_queue(selection(deck, company, tag))
    today = desk.study.today()
    new_done, due_done = answered_on(today, desk.store.progress())
    if json:
        print_json(
            {
                "day": to_date(today).isoformat(),
                "due": queue.due,
                "new": queue.new,
                "again": len(queue.drills),
                "done": {"new": new_done, "due": due_done},
                "held_back": {
                    "new": queue.held_back.new,
                    "due": queue.held_back.due,
                    "buried": queue.held_back.buried,
                    "suspended": queue.held_back.suspended,
                },
                "next_due": to_date(queue.next_due).isoformat() if queue.next_due else None,
            }
        )
        return 0
    for line in due_lines(desk, queue):
        print(line)
    return 0


def decks(desk: Desk, json: bool) -> int:
    progress, today = desk.store.progress(), desk.study.today()
    cards = list(desk.library.summaries.values())
    rows = []
    for deck in desk.library.decks.values():
        states = [progress.get(card.id) for card in cards if card.deck == deck.id]
        seen = [state for state in states if state is not None and state.due is not None]
        rows.append((deck, len(states), len(seen), sum(state.due is not None and state.due <= today for state in seen)))
    if json:
        print_json(
            {
                "decks": [
                    {
                        "id": deck.id,
                        "area": deck.area,
                        "title": {"en": deck.title.en, "zh": deck.title.zh},
                        "own": deck.own,
                        "cards": count,
                        "seen": seen,
                        "due": now,
                    }
                    for deck, count, seen, now in rows
                ]
            }
        )
        return 0
    heads = [desk.say(f"look.{name}") for name in ("deck", "area", "cards", "seen", "due_head", "title")]
    table = [
        [deck.id, desk.say(f"look.area_{deck.area}"), str(count), str(seen), str(now), safe(desk.words(deck.title))]
        for deck, count, seen, now in rows
    ]
    print("\n".join(columns([heads, *table])))
    for line in problem_lines(desk):
        print(line)
    return 0


def companies(desk: Desk, json: bool) -> int:
    asked: Counter[str] = Counter()
    for card in desk.library.summaries.values():
        for company in desk.library.companies.with_parents(card.companies):
            asked[company] += 1
    known = list(desk.library.companies.by_id.values())
    if json:
        print_json(
            {
                "companies": [
                    {"id": c.id, "zh": c.name.zh, "en": c.name.en, "parent": c.parent or None, "cards": asked[c.id]}
                    for c in known
                ]
            }
        )
        return 0
    heads = [desk.say(f"look.{name}") for name in ("company", "name", "cards", "part_of")]
    print("\n".join(columns([heads, *([c.id, desk.words(c.name), str(asked[c.id]), c.parent or ""] for c in known)])))
    return 0


def cards(
    desk: Desk, query: str, deck: Names, company: Names, tag: Names, kind: str | None, flagged: bool, json: bool
) -> int:
    if kind is not None:
        known_kind(kind)
    found = desk.library.select(tuple(deck or ()), tuple(company or ()), tuple(tag or ()))
    if kind:
        found = [card for card in found if card.kind == kind]
    progress = desk.store.progress()
    if flagged:
        found = [card for card in found if card.id in progress and progress[card.id].flag is not None]
    if query.strip():
        from quiz.search import search

        titles = {deck.id: deck.title for deck in desk.library.decks.values()}
        found = search(query, found, titles, desk.library.glossary.synonyms)
    if json:
        print_json({"cards": [_listed(card, progress) for card in found]})
        return 0
    if not found:
        print(desk.say("look.no_cards"))
    rest = shutil.get_terminal_size((100, 24)).columns - max((len(card.id) for card in found), default=0) - 3
    for line in columns([[card.id, clip(safe(asked(desk.words(card.question))), max(40, rest))] for card in found]):
        print(line)
    return 0


def asked(question: str) -> str:
    """A question as one plain line: without marks, its drawn numbers as ‹names›."""
    from quiz.prose import inline, plain

    words = " ".join(plain(inline(line)) for line in question.splitlines())
    return re.sub(r"\{([A-Za-z_]+)\}", r"‹\1›", words)


def _listed(card: Summary, progress: Any) -> dict[str, Any]:
    state = progress.get(card.id)
    return {
        "id": card.id,
        "deck": card.deck,
        "area": card.area,
        "kind": card.kind,
        "difficulty": card.difficulty,
        "companies": card.companies,
        "tags": list(card.tags),
        "question": {"en": card.question.en, "zh": card.question.zh},
        "due": to_date(state.due).isoformat() if state and state.due else None,
        "flag": state.flag if state else None,
    }


def show(desk: Desk, name: str, seed: int | None, json: bool) -> int:
    card = desk.library.card(name)
    from quiz.draw import draw, question

    drawn = draw(card, seed if seed is not None else desk.rng.getrandbits(32)) if card.numeric else None
    asking = question(card, drawn) if drawn else card.question
    state = desk.store.progress_of(card.id)
    if json:
        print_json(_shown(card, asking, drawn, state))
        return 0
    from quiz.sheet import answer_lines, question_lines

    if drawn is not None:
        print(desk.say("look.seed", seed=drawn.seed))
    for line in (*question_lines(desk, card, asking), "", *answer_lines(desk, card, drawn, state)):
        print(line)
    return 0


def _in_both(text: Text | None) -> dict[str, str] | None:
    return {"en": text.en, "zh": text.zh} if text else None


def _shown(card: Card, asking: Any, drawn: Any, state: Any) -> dict[str, Any]:
    document: dict[str, Any] = {
        "id": card.id,
        "deck": card.deck,
        "area": card.area,
        "kind": card.kind,
        "difficulty": card.difficulty,
        "companies": card.companies,
        "roles": list(card.roles),
        "tags": list(card.tags),
        "sources": list(card.sources),
        "as_of": card.as_of or None,
        "question": _in_both(asking),
        "answer": _in_both(card.answer),
        "pitfall": _in_both(card.pitfall),
        "key_points": [_in_both(point.text) for point in card.key_points],
        "follow_ups": list(card.follow_ups),
        "references": [{"title": r.title, "url": r.url} for r in card.references],
        "note": state.note,
        "flag": state.flag,
    }
    if drawn is not None and card.numeric is not None:
        document |= {
            "calculator": card.numeric.calculator,
            "asks": card.numeric.asks,
            "unit": card.numeric.unit,
            "seed": drawn.seed,
            "inputs": drawn.inputs,
            "expected": {"value": drawn.expected, "unit": drawn.unit},
            "formula": drawn.result.formula(card.numeric.asks),
            "worked": drawn.worked(card.numeric.asks),
        }
    return document
