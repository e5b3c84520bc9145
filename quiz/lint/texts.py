"""What is wrong with a card's wording: a language missing, LaTeX, terms that its own answer does not meet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quiz.canonical import canonical
from quiz.card import Card
from quiz.language import LANGUAGES, Text, say
from quiz.lint.notes import Notes
from quiz.problem import WARNING
from quiz.terms import Glossary, find, prepare, unmet

FEWEST_POINTS, MOST_POINTS = 3, 7
# Words that stand in an answer to nearly any question: a group of nothing else tells no answer from another.
COMMON = frozenset(
    [
        "use",
        "used",
        "using",
        "need",
        "needed",
        "have",
        "make",
        "good",
        "bad",
        "better",
        "best",
        "fast",
        "slow",
        "high",
        "low",
        "large",
        "small",
        "big",
        "many",
        "more",
        "less",
        "data",
        "model",
        "gpu",
        "token",
        "time",
        "system",
        "request",
        "server",
        "number",
        "size",
        "result",
        "work",
        "run",
        "way",
        "thing",
        "使用",
        "需要",
        "可以",
        "能",
        "会",
        "有",
        "模型",
        "数据",
        "时间",
        "系统",
        "请求",
        "大",
        "小",
        "多",
        "少",
        "快",
        "慢",
        "高",
        "低",
        "好",
        "用",
        "更",
    ]
)

_CODE = re.compile(r"```.*?(?:```|\Z)|(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LATEX = re.compile(
    r"""
    \\[()\[\]]                                          # \( … \)
    | \$\$
    | \$[^\s$][^$\n]*?[\\^_{][^$\n]*\$                  # $x_1$, but not the price of $2 against $3
    | \$[A-Za-z]\w?\$
    | [\^_]\{[^{}\n]*\}
    | \\(?:[dt]?frac|times|cdot|text\w*|sqrt|sum|prod|int|math\w+|left|right|l?e?q?|[lg]eq?|n?eq|approx|sim|infty
         |alpha|beta|gamma|delta|epsilon|lambda|mu|pi|rho|sigma|tau|theta|omega|Theta|Omega|Delta
         |begin|end|log|exp|max|min|ln|lceil|rceil|lfloor|rfloor|to|rightarrow|pm|div|ll|gg|quad|ldots|dots)(?![A-Za-z])
    """,
    re.VERBOSE,
)
_PLACEHOLDER_POWER = re.compile(r"[\^_]\{[A-Za-z_]\w*\}")

_NUMBER = r"\d[\d,.]*(?:\s?[·×]\s?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
_UNIT = (
    r"%|[kKMGTP]i?B(?:/s|ps)?|B/s|[kMGTPE]?FLOPS?(?:/s)?|FLOP/byte|[nµm]?s|[GM]Hz|[kM]?W|tokens?(?:/s)?|"
    r"bytes?|bits?|seconds?|minutes?|hours?|days?|字节|秒|毫秒|微秒|分钟|小时|天|倍|×"
)
_FIGURE = re.compile(rf"(?<![\w.,]){_NUMBER}\s?(?:{_UNIT})(?![A-Za-z0-9])")


def check(notes: Notes, glossary: Glossary, languages: tuple[str, ...], *, strict: bool, every_figure: bool) -> None:
    """All checks of wording. `languages` are those that the card has to be in; `strict` holds for shipped cards."""
    _languages(notes, languages)
    for where, text in texts(notes.card):
        for language in LANGUAGES:
            _latex(notes, f"{where}.{language}", text.pick(language) if getattr(text, language) else "")
    _key_points(notes, glossary, strict=strict)
    if strict and notes.card.kind != "experience" and not notes.card.references and notes.card.kind:
        notes.note("references", say("lint.no_reference"), severity=WARNING)
    if notes.card.kind != "numeric" and (every_figure or not notes.card.references):
        _uncovered(notes)


def texts(card: Card) -> Iterator[tuple[str, Text]]:
    """(path, text) of everything that a card says in two languages."""
    yield "question", card.question
    yield "answer", card.answer
    if card.pitfall:
        yield "pitfall", card.pitfall
    for number, point in enumerate(card.key_points):
        yield f"key_points[{number}]", point.text
    for number, figure in enumerate(card.figures):
        yield f"figures[{number}].says", figure.says


def _languages(notes: Notes, languages: tuple[str, ...]) -> None:
    for where, text in texts(notes.card):
        for language in languages:
            path = f"{where}.{language}"
            if notes.has(where) and any(text) and not getattr(text, language) and not notes.has(path):
                notes.note(path, say("lint.missing_language", name=language))


def _latex(notes: Notes, where: str, text: str) -> None:
    prose = _CODE.sub(lambda code: " " * len(code[0]), text)
    drawn = notes.card.numeric is not None and where.startswith("question")
    for match in _LATEX.finditer(prose):
        if not (drawn and _PLACEHOLDER_POWER.fullmatch(match[0])):
            notes.note(where, say("lint.latex", found=match[0]), words=match[0])
            return


def _key_points(notes: Notes, glossary: Glossary, *, strict: bool) -> None:
    card = notes.card
    count = len(card.key_points)
    if strict and card.kind and card.kind != "numeric" and not FEWEST_POINTS <= count <= MOST_POINTS:
        notes.note("key_points", say("lint.few_points", count=count))
    answers = {language: prepare(getattr(card.answer, language)) for language in LANGUAGES}
    for number, point in enumerate(card.key_points):
        where = f"key_points[{number}].terms"
        if strict and not point.terms and not notes.has(where):
            notes.note(where, say("lint.no_terms"))
        for group, any_of in enumerate(point.terms):
            if all(canonical(term, closed=True)[0] in COMMON for term in any_of):
                text = say("lint.common_words", terms=", ".join(any_of))
                notes.note(f"{where}[{group}]", text, severity=WARNING)
        for language in LANGUAGES:
            if getattr(card.answer, language):
                for group in unmet(point.terms, answers[language], glossary):
                    terms = ", ".join(point.terms[group])
                    notes.note(f"{where}[{group}]", say("lint.unmet", language=language, terms=terms))


def _uncovered(notes: Notes) -> None:
    """Figures with a unit for which nothing stands."""
    card = notes.card
    for language in LANGUAGES:
        answer = getattr(card.answer, language)
        given = prepare(" ; ".join([getattr(card.question, language), *(f.says.pick(language) for f in card.figures)]))
        for figure in dict.fromkeys(match[0] for match in _FIGURE.finditer(answer)):
            if find(figure, given) is None:
                text = say("lint.uncovered", figure=figure)
                notes.note(f"answer.{language}", text, words=figure, severity=WARNING)
