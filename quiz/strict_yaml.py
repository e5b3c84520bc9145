"""The only door to PyYAML: a strict subset of YAML, read into nodes that know their place.

Nothing is typed here. YAML 1.1 turns ``no`` into false, ``010`` into 8 and ``1:30`` into 90; with no implicit
resolvers every scalar stays the text that was written, and the schema of what is read decides what it means.
Refused are duplicate keys, anchors, aliases, tags, directives, a second document, keys that are no text, and
control and bidirectional characters, written out or escaped. The tree is built from the parser's events, since
composing resolves aliases without a word and stops at the first fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from quiz.language import Text, say

LARGEST_FILE = 4_000_000
DEEPEST = 20
MOST_UNSAFE = 200

# C0 but tab and line ends, DEL, C1, line and paragraph separators, bidi marks, embeddings, overrides and isolates,
# zero-width no-break space inside a text, non-characters.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_UNSAFE_OR_BARE_RETURN = re.compile("\r(?!\n)|(?!\r)" + UNSAFE.pattern)
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.|\n)", re.DOTALL)
_ESCAPED_CONTROLS = frozenset("0abvfreNLP")


@dataclass(frozen=True, slots=True)
class Fault:
    line: int
    column: int
    text: Text


@dataclass(frozen=True, slots=True)
class Span:
    """From (line, column) up to but without (end_line, end_column), all from 1."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text as written; `plain` if it stood without quotes or a block indicator."""

    text: str
    plain: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple[Node, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys are unique: of duplicates the first one is kept and each other one is a fault."""

    entries: tuple[tuple[Scalar, Node], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Broken:
    """A node already reported as a fault: a schema need not complain about it again."""

    span: Span


Node = Scalar | Sequence | Mapping | Broken


@dataclass(frozen=True, slots=True)
class Document:
    """`root` is None where there is nothing to read. Faults are in the order of the file."""

    root: Node | None
    faults: tuple[Fault, ...]
    lines: tuple[str, ...] = ()

    def locate(self, span: Span, words: str) -> tuple[int, int]:
        """(line, column) of `words` inside `span`; the start of the span where they do not stand there as they are."""
        for number in range(span.line, min(span.end_line, len(self.lines)) + 1):
            line = self.lines[number - 1]
            start = span.column - 1 if number == span.line else 0
            end = span.end_column - 1 if number == span.end_line else len(line)
            found = line.find(words, start, end)
            if found >= 0:
                return number, found + 1
        return span.line, span.column


def read(data: bytes) -> Document:
    """The document in `data` (UTF-8) and everything that is wrong with it."""
    if len(data) > LARGEST_FILE:
        return Document(None, (Fault(1, 1, say("deck.too_large", megabytes=LARGEST_FILE // 1_000_000)),))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return Document(None, (Fault(line, column, say("deck.not_utf8", byte=f"{data[error.start]:02X}")),))
    return _Reader(text.removeprefix("\ufeff")).document()


@dataclass(slots=True)
class _Open:
    """A sequence or mapping whose end has not come yet."""

    event: Any
    children: list[Node] = field(default_factory=list)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = tuple(line.removesuffix("\r") for line in text.split("\n"))
        self.faults: list[Fault] = []

    def document(self) -> Document:
        import yaml

        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        root: Node | None = None
        try:
            root = self._build(yaml.parse(self._without_unsafe(), Loader=loader))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            self.faults.append(Fault(line, column, _syntax(str(error.problem), str(error.context or ""))))
        except yaml.YAMLError as error:
            self.faults.append(Fault(1, 1, say("deck.not_yaml", why=str(error).partition("\n")[0])))
        self.faults.sort(key=lambda fault: (fault.line, fault.column))
        return Document(root, tuple(self.faults), self.lines)

    def _without_unsafe(self) -> str:
        """The text with each unsafe character reported and replaced, so that all places stay what they are."""
        found = 0
        for number, line in enumerate(self.lines, start=1):
            for match in UNSAFE.finditer(line):
                found += 1
                if found <= MOST_UNSAFE:
                    self._unsafe(number, match.start() + 1, match[0])
        if found > MOST_UNSAFE:
            self.faults.append(Fault(len(self.lines), 1, say("deck.more_unsafe", count=found - MOST_UNSAFE)))
        return _UNSAFE_OR_BARE_RETURN.sub("\ufffd", self.text) if found else self.text

    def _unsafe(self, line: int, column: int, character: str) -> None:
        self.faults.append(Fault(line, column, say("deck.unsafe", code=f"U+{ord(character):04X}")))

    def _fault(self, mark: Any, key: str, **values: Any) -> None:
        self.faults.append(Fault(mark.line + 1, mark.column + 1, say(key, **values)))

    def _build(self, events: Iterator[Any]) -> Node | None:
        import yaml

        stack: list[_Open] = []
        root: Node | None = None
        documents = 0
        for event in events:
            node: Node | None = None
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._fault(event.start_mark, "deck.second_document")
                    return root
                if event.version or event.tags:
                    self._fault(event.start_mark, "deck.directive")
            elif isinstance(event, yaml.AliasEvent):
                self._fault(event.start_mark, "deck.alias", name=event.anchor)
                node = Broken(_span(event, event))
            elif isinstance(event, yaml.ScalarEvent):
                self._refuse_properties(event)
                node = self._scalar(event)
            elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                self._refuse_properties(event)
                if len(stack) >= DEEPEST:
                    self._fault(event.start_mark, "deck.too_deep", deepest=DEEPEST)
                    return None
                stack.append(_Open(event))
            elif isinstance(event, yaml.SequenceEndEvent):
                done = stack.pop()
                node = Sequence(tuple(done.children), _span(done.event, event))
            elif isinstance(event, yaml.MappingEndEvent):
                done = stack.pop()
                node = Mapping(self._entries(done.children), _span(done.event, event))
            if node is None:
                continue
            if stack:
                stack[-1].children.append(node)
            else:
                root = node
        return root

    def _refuse_properties(self, event: Any) -> None:
        if event.anchor is not None:
            self._fault(event.start_mark, "deck.anchor", name=event.anchor)
        if event.tag is not None:
            self._fault(event.start_mark, "deck.tag", name=event.tag)

    def _scalar(self, event: Any) -> Node:
        span = _span(event, event)
        if UNSAFE.search(event.value):
            for line, column, character in self._escapes(span):
                self._unsafe(line, column, character)
            return Broken(span)
        return Scalar(event.value, event.implicit[0], span)

    def _escapes(self, span: Span) -> Iterator[tuple[int, int, str]]:
        """Where an escape inside `span` stands for an unsafe character."""
        for number in range(span.line, span.end_line + 1):
            line = self.lines[number - 1]
            start = span.column - 1 if number == span.line else 0
            end = span.end_column - 1 if number == span.end_line else len(line)
            for match in _ESCAPE.finditer(line, start, end):
                letter, digits = match[0][1], match[0][2:]
                if letter in "xuU" and digits:
                    code = int(digits, 16)
                    character = chr(code) if code < 0x110000 else "\ufffd"
                elif letter in _ESCAPED_CONTROLS:
                    character = {"0": "\0", "e": "\x1b", "N": "\x85", "L": "\u2028", "P": "\u2029"}.get(letter) or (
                        "\a\b\v\f\r"["abvfr".index(letter)]
                    )
                else:
                    continue
                if UNSAFE.match(character):
                    yield number, match.start() + 1, character

    def _entries(self, children: list[Node]) -> tuple[tuple[Scalar, Node], ...]:
        entries: dict[str, tuple[Scalar, Node]] = {}
        for key, value in zip(children[::2], children[1::2], strict=True):
            if not isinstance(key, Scalar):
                if not isinstance(key, Broken):
                    self.faults.append(Fault(key.span.line, key.span.column, say("deck.key_not_text")))
            elif key.text in entries:
                first = entries[key.text][0].span.line
                self.faults.append(
                    Fault(key.span.line, key.span.column, say("deck.duplicate_key", name=key.text, line=first))
                )
            else:
                entries[key.text] = (key, value)
        return tuple(entries.values())


def _span(start: Any, end: Any) -> Span:
    first, last = start.start_mark, end.end_mark
    return Span(first.line + 1, first.column + 1, last.line + 1, last.column + 1)


def _syntax(problem: str, context: str) -> Text:
    """What libyaml found, as advice where the mistake is a usual one."""
    if "exceeded maximum nesting depth" in problem:
        return say("deck.too_deep", deepest=DEEPEST)
    usual = {
        "mapping values are not allowed": "deck.colon_in_text",
        "cannot start any token": "deck.bad_start",
        "found unexpected end of stream": "deck.unclosed_quote",
        "did not find expected ',' or": "deck.unclosed_bracket",
        "did not find expected '-'": "deck.bad_indent",
        "did not find expected key": "deck.bad_indent",
    }
    for words, key in usual.items():
        if words in problem:
            return say(key)
    return say("deck.not_yaml", why=f"{problem} {context}".strip())
