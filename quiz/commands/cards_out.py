"""`quiz export` of cards: a table, study sheets, an Anki package."""

from __future__ import annotations

from pathlib import Path

from quiz.card import Card
from quiz.desk import Desk
from quiz.exchange.drawn import Outgoing
from quiz.terminal import print_json, safe

Names = list[str] | None
ENDINGS = (".csv", ".md", ".apkg")


def export(desk: Desk, target: Path, deck: Names, company: Names, tag: Names, json: bool) -> int:
    """Write the chosen cards by the ending of `target`; exit status 1 where some were left out."""
    from quiz.commands.data import whole, write_whole

    outgoing = _chosen(desk, deck, company, tag)
    count = notes = sum(len(cards) for _, cards in outgoing.decks)
    ending = target.suffix.lower()
    if ending == ".csv":
        from quiz.exchange.table import write as write_table

        write_whole(target, write_table(outgoing))
    elif ending == ".md":
        from quiz.exchange.sheets import write as write_sheets

        write_whole(target, write_sheets(outgoing, desk.library.companies, desk.language))
    else:
        from quiz.exchange.anki_out import write as write_package

        with whole(target) as draft:
            at = desk.clock().timestamp()
            notes = write_package(outgoing, draft, desk.library.companies, desk.language, at)
    left_out = [desk.words(trouble) for trouble in outgoing.troubles]
    if json:
        cards = count - len(left_out)
        print_json(
            {
                "file": str(target),
                "cards": cards,
                "notes": notes - (ending != ".apkg") * len(left_out),
                "left_out": left_out,
            }
        )
        return 1 if left_out else 0
    print(desk.say("data.exported_cards", cards=count - len(left_out), path=target))
    if ending == ".apkg":
        print(desk.say("data.exported_notes", notes=notes))
    for line in left_out:
        print(desk.say("data.left_out", what=safe(line)))
    return 1 if left_out else 0


def _chosen(desk: Desk, deck: Names, company: Names, tag: Names) -> Outgoing:
    by_deck: dict[str, list[Card]] = {}
    for one in desk.library.select(tuple(deck or ()), tuple(company or ()), tuple(tag or ())):
        by_deck.setdefault(one.deck, []).append(desk.library.card(one.id))
    return Outgoing([(desk.library.decks[name], cards) for name, cards in by_deck.items()])
