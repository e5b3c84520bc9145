"""Which key points an open answer makes, for the learner to confirm: a proposal, never a grade.

A point is an AND of ORs of terms (`quiz.terms`). It is found where words for all of its groups stand near each other,
not denied, and no rival (prefill for decode, ZeRO-2 for ZeRO-1) between them; it may have been said the opposite way
where they are denied, or where one of them is replaced by its contrary. What is denied in the card's own answer as
well is not held against anyone. Nothing here knows how right an answer is: there is no percentage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from quiz import formula
from quiz.card import Card, KeyPoint
from quiz.clauses import Clauses, clauses
from quiz.flags import CONTRARY, KEYWORDS, flags
from quiz.negation import Denial, denials, denied, only_compared
from quiz.spelling import Respelled, respell
from quiz.terms import Glossary, Prepared, prepare, spans_of

FOUND, MISSING, OPPOSITE = "found", "missing", "opposite"

# How far apart the words of one point may stand: in clauses, and in sentences.
CLAUSES_APART = 12
SENTENCES_APART = 2
# A point that is found alone among so many has its words close together, or is taken for chance.
MANY_POINTS = 3
ALONE_APART = 2
LONGEST = 20_000
MOST_MATCHES = 12

Span = tuple[int, int]
_Roles = dict[int, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome for one key point, and the words of the answer that it rests on, as (start, end)."""

    outcome: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A finding a key point, in the card's order, and what is odd about the answer as a whole (`quiz.flags`)."""

    findings: tuple[Finding, ...]
    flags: tuple[str, ...] = ()

    @property
    def proposed(self) -> frozenset[int]:
        return frozenset(n for n, finding in enumerate(self.findings) if finding.outcome == FOUND)


@dataclass(frozen=True, slots=True)
class _Text:
    """An answer made ready: respelled, in clauses, with what it denies and where names that exclude each other stand."""

    respelled: Respelled
    prepared: Prepared
    parts: Clauses
    denials: tuple[Denial, ...]
    rivals: tuple[tuple[tuple[Span, ...], ...], ...]
    formulas: tuple[formula.Formula, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    variants: tuple[str, ...]
    contraries: tuple[str, ...]
    formulas: tuple[formula.Formula, ...]


@dataclass(frozen=True, slots=True)
class _Match:
    """Words for each group of a point: how far apart they are and whether they are denied."""

    spans: tuple[Span, ...]
    sentences: int
    clauses: int
    denied: bool


class Rubric:
    """A card's key points made ready; keep it while the card is in front."""

    def __init__(self, card: Card, glossary: Glossary) -> None:
        self._card = card
        self._points = [_groups(point, glossary) for point in card.key_points]
        self._answers = [text for text in card.answer if text]
        texts = [*self._answers, *card.question, *(t for point in card.key_points for t in point.text)]
        terms = [term for point in card.key_points for group in point.terms for term in group]
        self._words = frozenset(glossary.words | _words(" ".join([*texts, *terms])))
        named = prepare(" ; ".join(terms))
        self._rivals = [names for names in glossary.rivals if any(spans_of(forms, named) for forms in names)]
        self._roles = [self._roles_of(point) for point in card.key_points]
        self._has_formulas = any(group.formulas for groups in self._points for group in groups)
        self._denied = [self._polarity(number) for number in range(len(self._points))]

    def read(self, answer: str) -> Reading:
        """What `answer` says of each key point. Any text is read; what follows the first 20,000 characters is not."""
        answer = answer[:LONGEST]
        text = self._ready(answer)
        odd = flags(answer, self._answers)
        findings = [
            _outcome(groups, self._roles[number], text, self._denied[number])
            for number, groups in enumerate(self._points)
        ]
        if any(finding.outcome == OPPOSITE for finding in findings):
            odd = (*odd, CONTRARY)
        if KEYWORDS in odd or CONTRARY in odd:
            # Of what else is found in such an answer more than half was not said in fact.
            return Reading(tuple(f if f.outcome == OPPOSITE else Finding(MISSING) for f in findings), odd)
        alone = sum(finding.outcome == FOUND for finding in findings) == 1 and len(findings) >= MANY_POINTS
        if alone:
            findings = [f if f.outcome != FOUND or self._near(f, text) else Finding(MISSING) for f in findings]
        return Reading(tuple(findings), odd)

    def _near(self, finding: Finding, text: _Text) -> bool:
        """Whether the words of a point that stands alone in an answer are at most two clauses apart."""
        clauses_of = [text.parts.at(text.respelled.places.index(start)) for start, _ in finding.spans]
        return max(clauses_of) - min(clauses_of) <= ALONE_APART

    def _roles_of(self, point: KeyPoint) -> _Roles:
        """Which of the names that exclude each other the point speaks of, for each set of them that it names one of."""
        said = prepare(" ; ".join([*point.text, *(term for group in point.terms for term in group)]))
        named = ({n for n, forms in enumerate(names) if spans_of(forms, said)} for names in self._rivals)
        return {number: frozenset(mine) for number, mine in enumerate(named) if mine}

    def _ready(self, answer: str) -> _Text:
        respelled = respell(answer, self._words)
        prepared, parts = prepare(respelled.text), clauses(respelled.text)
        rivals = tuple(tuple(tuple(spans_of(forms, prepared)) for forms in names) for names in self._rivals)
        found = tuple(formula.formulas(respelled.text)) if self._has_formulas else ()
        return _Text(respelled, prepared, parts, denials(respelled.text, parts), rivals, found)

    def _polarity(self, number: int) -> frozenset[bool]:
        """Whether the card's own words for a point stand denied: in its answers and in the point as it is written."""
        seen = set()
        for own in [*self._answers, *self._card.key_points[number].text]:
            text = self._ready(own)
            matches = _matches([_spans(group, text) for group in self._points[number]], self._roles[number], text)
            if matches:
                seen.add(min(matches, key=_apart).denied)
        return frozenset(seen or {False})


def _groups(point: KeyPoint, glossary: Glossary) -> tuple[_Group, ...]:
    groups = []
    for any_of in point.terms:
        variants = tuple(dict.fromkeys(v for term in any_of for v in glossary.variants(term)))
        contraries = tuple(dict.fromkeys(v for term in any_of for v in glossary.contraries(term)))
        as_formulas = tuple(f for term in any_of if (f := formula.formula(term)) is not None)
        groups.append(_Group(variants, tuple(v for v in contraries if v not in variants), as_formulas))
    return tuple(groups)


def _outcome(groups: Sequence[_Group], roles: _Roles, text: _Text, expected: frozenset[bool]) -> Finding:
    said = [_spans(group, text) for group in groups]
    matches = _matches(said, roles, text)
    right = min((m for m in matches if m.denied in expected), key=_apart, default=None)
    wrong = min((m for m in matches if m.denied not in expected), key=_apart, default=None)
    for number, group in enumerate(groups):
        if group.contraries:
            # 对称 stands inside 非对称: what is part of the right words is not their contrary.
            against_it = [
                span
                for span in spans_of(group.contraries, text.prepared)
                if not any(_touch(span, right_words) for right_words in said[number])
            ]
            turned = [*said[:number], against_it, *said[number + 1 :]]
            against = [m for m in _matches(turned, roles, text) if m.denied in expected]
            wrong = min((m for m in [*against, wrong] if m is not None), key=_apart, default=None)
    if right is not None and (wrong is None or _apart(right) <= _apart(wrong)):
        return _finding(FOUND, right, text)
    if wrong is not None and wrong.sentences == 0 and wrong.clauses <= 1:
        return _finding(OPPOSITE, wrong, text)
    return _finding(FOUND, right, text) if right is not None else Finding(MISSING)


def _finding(outcome: str, match: _Match, text: _Text) -> Finding:
    return Finding(outcome, tuple(sorted({text.respelled.typed(span) for span in match.spans})))


def _spans(group: _Group, text: _Text) -> list[Span]:
    found = spans_of(group.variants, text.prepared)
    for there in text.formulas:
        if any(formula.same(wanted, there) for wanted in group.formulas):
            found.append((there.start, there.end))
    return sorted(set(found))


def _matches(said: Sequence[Sequence[Span]], roles: _Roles, text: _Text) -> list[_Match]:
    """Each way to take words for all groups that stand near enough, the nearest to each other around each anchor."""
    if not all(said):
        return []
    rarest = min(range(len(said)), key=lambda n: len(said[n]))
    found: dict[tuple[Span, ...], _Match] = {}
    for anchor in said[rarest][:MOST_MATCHES]:
        home = text.parts.at(anchor[0])
        for spans in _around(said, rarest, anchor, home, text.parts):
            match = _match(spans, text)
            # Words that carry their own denial (气泡 … 不变) say it of what stands beside them.
            near = 1 if any(_holds_denial(span, text) for span in spans) else CLAUSES_APART
            if match.sentences <= SENTENCES_APART and match.clauses <= near and not _crossed(spans, roles, text):
                found[spans] = match
    return list(found.values())


def _holds_denial(span: Span, text: _Text) -> bool:
    return any(span[0] <= one.start < span[1] for one in text.denials)


def _around(
    said: Sequence[Sequence[Span]], rarest: int, anchor: Span, home: int, parts: Clauses
) -> Iterator[tuple[Span, ...]]:
    """The anchor with, for every other group, its nearest words in the same clause, before it and behind it."""
    choices: list[list[Span]] = []
    for number, spans in enumerate(said):
        if number == rarest:
            choices.append([anchor])
            continue
        near = sorted(spans, key=lambda span: (abs(parts.at(span[0]) - home), abs(span[0] - anchor[0])))
        choices.append(near[:2])
    yield from product(*choices)


def _match(spans: tuple[Span, ...], text: _Text) -> _Match:
    numbers = [text.parts.at(start) for start, _ in spans]
    sentences = [text.parts.sentences[number] for number in numbers]
    is_denied = any(denied(span, text.denials, spans) for span in spans)
    return _Match(spans, max(sentences) - min(sentences), max(numbers) - min(numbers), is_denied)


def _apart(match: _Match) -> tuple[int, int, int]:
    starts = [start for start, _ in match.spans]
    return match.sentences, match.clauses, max(starts) - min(starts)


def _crossed(spans: Sequence[Span], roles: _Roles, text: _Text) -> bool:
    """Whether one of the words belongs to a rival of what the point speaks of: the rival was named last before it.

    What is named last goes on being spoken of (prefill 一次一个 token，是 GEMV，访存受限；decode …), into the next sentence,
    but not where it is only compared with (unlike prefill, 比 prefill).
    """
    subjects = [place for number in roles for places in text.rivals[number] for place in places]
    for number, mine in roles.items():
        names = text.rivals[number]
        own = [place for n in mine for place in names[n]]
        others = [place for n, places in enumerate(names) if n not in mine for place in places]
        if not others:
            continue
        attributes = [span for span in spans if not any(_touch(place, span) for place in subjects)]
        roles_here = [span for span in spans if any(_touch(place, span) for place in own)]
        for span in attributes:
            low = min((role[0] for role in roles_here), default=span[0])
            high = max((role[0] for role in roles_here), default=span[0])
            if any(min(low, span[0]) < place[0] < max(high, span[0]) for place in others) and roles_here:
                return True
            if _named_last(span, own, others, text):
                return True
    return False


def _named_last(span: Span, own: Sequence[Span], others: Sequence[Span], text: _Text) -> bool:
    """Whether of the rivals one of `others` is the last that was named before `span`, in its sentence or the one before."""
    sentence = text.parts.sentences[text.parts.at(span[0])]
    theirs = max((p for p in others if p[0] < span[0] and not _compared(p, text)), default=None)
    if theirs is None or text.parts.sentences[text.parts.at(theirs[0])] < sentence:
        return False
    mine = max((place for place in own if place[0] < span[0]), default=None)
    if mine is not None and mine > theirs:
        return False
    # memory-bound decode: the name may follow its attribute in the clause.
    clause = text.parts.at(span[0])
    follows = any(place[0] > span[0] and text.parts.at(place[0]) == clause for place in own)
    return not (follows and text.parts.at(theirs[0]) != clause)


def _compared(place: Span, text: _Text) -> bool:
    return only_compared(text.prepared.original, place[0])


def _touch(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"[A-Za-z]{4,}", text)}
