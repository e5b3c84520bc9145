"""What of a study stands on the screen: title, verdict, answer and key points as parts of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from quiz.cells import cells
from quiz.prose import Span
from quiz.sheet import MARKS, hint_of
from quiz.terminal import clip, safe
from quiz.tui.text import QUOTE, WIDEST, Hanging, Part, Prose, Spans, plain

if TYPE_CHECKING:
    from quiz.desk import Desk
    from quiz.study import Asked

VERDICT_STYLES = {"correct": "bold $text-success", "incorrect": "bold $text-error", "unreadable": "bold $text-warning"}


def title(desk: Desk, asked: Asked | None, width: int) -> Content:
    """Where the card is from and who asks it on the left, what is left on the right, in one row."""
    counts = desk.study.session.counts
    narrow = width < 60
    key = "screen.counts_narrow" if narrow else "screen.counts"
    right = desk.say(key, new=counts.new, due=counts.due, again=counts.again, done=counts.done)
    left = ""
    if asked is not None:
        level = desk.say("screen.level_narrow" if narrow else "screen.level", level=asked.card.difficulty)
        parts = [level] if narrow else [asked.card.deck, level]
        if asked.item.kind in ("drill", "cram"):
            parts.insert(0, desk.say(f"record.kind_{asked.item.kind}"))
        if asked.card.as_of:
            parts.append(desk.say("review.as_of", when=asked.card.as_of))
        askers = desk.library.companies.names(asked.card.companies, desk.language)
        left = " · ".join([*parts, *([desk.say("screen.and").join(askers)] if askers else [])])
    left = clip(safe(left), max(0, width - cells(right) - 2)) if left else ""
    return plain(left + " " * max(1, width - cells(left) - cells(right)) + right)


def below(desk: Desk, asked: Asked, *, stale: bool, width: int = WIDEST) -> list[Part]:
    """What stands below the question and the answer line. `stale`: the line was changed since the last verdict."""
    parts: list[Part] = typed(asked) if asked.revealed and asked.typed else []
    parts += after_check(desk, asked, stale=stale)
    if asked.attempt.hint and not asked.revealed:
        parts.append(Part(hint_of(desk, asked.card, asked.drawn), style="italic"))
    if not asked.revealed:
        return parts + ([Part(desk.say("screen.has_note"), style="dim")] if asked.progress.note else [])
    if asked.drawn is None and asked.card.key_points:
        parts += [*([Part()] if parts else []), *points(desk, asked, min(width, WIDEST))]
    return parts + model_answer(desk, asked)


def after_check(desk: Desk, asked: Asked, *, stale: bool) -> list[Part]:
    """The verdict with its sign and word, the slips, and, when no further try is due, the worked line.

    What could not be read is no verdict on what is typed now.
    """
    parts: list[Part] = []
    verdict = asked.verdict if not (stale and asked.verdict and asked.verdict.verdict == "unreadable") else None
    if verdict is not None:
        style = VERDICT_STYLES[verdict.verdict]
        parts.append(Hanging(f"{MARKS[verdict.verdict]} ", desk.words(verdict.reason), style=style))
        parts += [Hanging("  ", desk.words(slip)) for slip in verdict.slips]
    if not asked.revealed:
        if verdict is not None and verdict.verdict == "incorrect":
            parts.append(Part(desk.say("review.second_try"), style="italic"))
        return parts
    if asked.drawn is not None and asked.card.numeric is not None:
        from quiz.checking import right_value

        if verdict is None or verdict.verdict != "correct":
            right = right_value(asked.drawn, asked.card.numeric, desk.language)
            parts.append(Part(desk.say("review.right_value", value=right), style="bold"))
        parts += [Hanging("  ", line) for line in asked.drawn.worked(asked.card.numeric.asks).splitlines()]
    return parts


def typed(asked: Asked) -> list[Part]:
    """What was answered; of an open answer that was read, with the words marked that points were found in."""
    if asked.reading is None:
        return [Part(f"❯ {asked.typed[-1]}", style="dim")]
    from quiz.quotes import marked

    return [Spans(marked(asked.typed[-1], asked.reading), "❯ ")]


def points(desk: Desk, asked: Asked, width: int = WIDEST) -> list[Part]:
    """The key points, numbered, with a sign on those that are ticked; a click toggles one.

    After a typed answer, under each the words that it was found in, or that may say the opposite.
    """
    reading = asked.reading
    parts: list[Part] = []
    if reading is not None:
        parts += [Hanging("! ", desk.say(f"review.flag_{flag}"), style="italic") for flag in reading.flags]
    parts.append(Part(desk.say("screen.tick_points" if reading is None else "screen.confirm_points"), style="bold"))
    for n, point in enumerate(asked.card.key_points):
        had, action = n in asked.ticked, f"screen.press('{n + 1}')"
        opposite = reading is not None and reading.findings[n].outcome == "opposite"
        sign = "✓" if had else "≠" if opposite else "·"
        style = "bold $text-success" if had else "$text-warning" if opposite else ""
        words = [Span(desk.words(point.text))]
        if reading is not None and reading.findings[n].outcome == "found":
            from quiz.quotes import quotes

            said = " … ".join(quotes(asked.typed[-1], reading, n))
            quote = Span(f"  “{said}”", QUOTE)
            # The words that it was found in stand behind it where there is room: their numbers are in the answer anyway.
            if cells(words[0].text + quote.text) + 4 <= width:
                words.append(quote)
        parts.append(Spans(words, f"{n + 1} {sign} ", style=style, action=action))
        if opposite and reading is not None and not had:
            from quiz.quotes import quotes

            said = desk.say("review.quote_gap").join(quotes(asked.typed[-1], reading, n))
            parts.append(Hanging("    ", desk.say("review.opposite", quote=said), style="italic", action=action))
    return parts


def model_answer(desk: Desk, asked: Asked) -> list[Part]:
    """The model answer, the tempting wrong one, the learner's own remarks, the references."""
    card, parts = asked.card, [Part(), Prose(desk.words(asked.card.answer))]
    if card.pitfall:
        parts += [Part(), Prose(desk.say("review.pitfall", text=desk.words(card.pitfall)))]
    parts += remarks(desk, asked)
    if asked.drawn is not None and asked.card.key_points:
        parts += [Part(), Part(desk.say("review.key_points"), style="bold")]
        parts += [Hanging("• ", desk.words(point.text)) for point in asked.card.key_points]
    if card.references:
        parts += [Part(), *(Hanging("  ", f"{r.title}  {r.url}".rstrip(), style="dim") for r in card.references)]
    return parts


def remarks(desk: Desk, asked: Asked) -> list[Part]:
    parts: list[Part] = []
    if asked.progress.note:
        parts += [Part(), Hanging("✎ ", desk.say("review.note", text=asked.progress.note))]
    if asked.progress.flag is not None:
        parts += [Part(), Hanging("⚑ ", desk.say("review.flagged", text=asked.progress.flag))]
    if asked.progress.leech:
        parts += [Part(), Part(desk.say("record.why_leech", lapses=asked.progress.lapses))]
    return parts
