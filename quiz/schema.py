"""Reading typed values out of strict YAML nodes; every fault is noted with its place and reading goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from quiz.calculators.base import nearest
from quiz.card import Value
from quiz.language import Text, say
from quiz.problem import Problem
from quiz.strict_yaml import Broken, Document, Mapping, Node, Scalar, Span
from quiz.strict_yaml import Sequence as ListNode

_NUMBER = re.compile(r"[+-]?(\d+)(\.\d+)?([eE][+-]?\d{1,3})?")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
LONGEST_ID = 80
LONGEST_NUMBER = 40

Read = TypeVar("Read")


@dataclass(slots=True)
class Reader:
    """Reads one file. `card` and `places` belong to the card (or the deck's head) that is being read."""

    path: str
    document: Document
    problems: list[Problem] = field(default_factory=list)
    card: str = ""
    places: dict[str, Span] = field(default_factory=dict)

    def note(self, span: Span, where: str, text: Text) -> None:
        self.problems.append(Problem(self.path, span.line, span.column, self.card, where, text))

    def fields(self, node: Node, where: str, known: Sequence[str], required: Sequence[str] = ()) -> dict[str, Node]:
        """The values of a mapping by key; unknown and missing keys are faults."""
        if not isinstance(node, Mapping):
            if not isinstance(node, Broken):
                self.note(node.span, where, say("deck.not_mapping"))
            return {}
        self.places[where] = node.span
        values: dict[str, Node] = {}
        for key, value in node.entries:
            path = f"{where}.{key.text}" if where else key.text
            if key.text in known:
                values[key.text] = value
                self.places[path] = value.span
            elif isinstance(value, Scalar) and value.plain and not value.text:
                # {en: fast, and cheap}: the comma ended the text, the rest reads as a key without a value.
                self.note(key.span, path, say("deck.comma_in_text", name=key.text))
            else:
                near = nearest(key.text, tuple(known), count=1)
                self.note(key.span, path, say("deck.unknown_key", name=key.text, near=near))
        for key_name in required:
            if key_name not in values:
                self.note(
                    node.span, f"{where}.{key_name}" if where else key_name, say("deck.missing_key", name=key_name)
                )
        return values

    def items(self, node: Node, where: str) -> Iterator[tuple[str, Node]]:
        """(path, node) of each item of a list that is not empty."""
        if isinstance(node, ListNode):
            self.places[where] = node.span
            if not node.items:
                self.note(node.span, where, say("deck.empty_list"))
            for number, item in enumerate(node.items):
                path = f"{where}[{number}]"
                self.places[path] = item.span
                yield path, item
        elif not isinstance(node, Broken):
            self.note(node.span, where, say("deck.not_list"))

    def list_of(
        self, node: Node, where: str, read: Callable[[Node, str], Read | None], *, may_be_empty: bool = False
    ) -> tuple[Read, ...]:
        if may_be_empty and isinstance(node, ListNode) and not node.items:
            return ()
        found = (read(item, path) for path, item in self.items(node, where))
        return tuple(value for value in found if value is not None)

    def distinct(self, node: Node, where: str, read: Callable[[Node, str], str | None]) -> tuple[str, ...]:
        """A list, which may be empty, of texts none of which stands there twice."""
        seen: dict[str, None] = {}

        def once(item: Node, path: str) -> str | None:
            value = read(item, path)
            if value is not None and value in seen:
                self.note(item.span, path, say("deck.twice", value=value))
                return None
            if value is not None:
                seen[value] = None
            return value

        return self.list_of(node, where, once, may_be_empty=True)

    def text(self, node: Node, where: str) -> str | None:
        """Text that is not blank, without white space around it."""
        if isinstance(node, Scalar):
            if node.text.strip():
                return node.text.strip()
            self.note(node.span, where, say("deck.no_text"))
        elif not isinstance(node, Broken):
            self.note(node.span, where, say("deck.not_text"))
        return None

    def text_by_language(self, node: Node, where: str, beside: Sequence[str] = ()) -> Text | None:
        """{en: …, zh: …}, one of which may be left out; `beside` are keys of the same mapping read elsewhere."""
        if isinstance(node, Scalar):
            self.note(node.span, where, say("deck.plain_string"))
            return None
        values = self.fields(node, where, ("en", "zh", *beside))
        if not isinstance(node, Mapping):
            return None
        words = {key: self.text(values[key], f"{where}.{key}") for key in ("en", "zh") if key in values}
        if not words:
            self.note(node.span, where, say("deck.no_language"))
        return Text(words.get("en") or "", words.get("zh") or "") if any(words.values()) else None

    def identifier(self, node: Node, where: str) -> str | None:
        value = self.text(node, where)
        if value is not None and (len(value) > LONGEST_ID or not _ID.fullmatch(value)):
            self.note(node.span, where, say("deck.bad_id", value=value))
            return None
        return value

    def matching(self, node: Node, where: str, pattern: re.Pattern[str], key: str) -> str | None:
        """Text that is all of `pattern`; `key` is the sentence for one that is not."""
        value = self.text(node, where)
        if value is not None and not pattern.fullmatch(value):
            self.note(node.span, where, say(key, value=value))
            return None
        return value

    def choice(self, node: Node, where: str, known: Sequence[str]) -> str | None:
        value = self.text(node, where)
        if value is not None and value not in known:
            near = nearest(value, tuple(known), count=1)
            self.note(node.span, where, say("deck.bad_choice", value=value, known=", ".join(known), near=near))
            return None
        return value

    def integer(self, node: Node, where: str, low: int, high: int) -> int | None:
        value = self.text(node, where)
        if value is None:
            return None
        if not re.fullmatch(r"0|[1-9]\d{0,9}", value) or not low <= int(value) <= high:
            self.note(node.span, where, say("deck.bad_integer", value=value, low=low, high=high))
            return None
        return int(value)

    def number(self, node: Node, where: str, low: float, high: float) -> float | None:
        value = self.value(node, where)
        if value is None:
            return None
        if isinstance(value, str) or not low <= value <= high:
            self.note(node.span, where, say("deck.bad_number", value=value, low=low, high=high))
            return None
        return float(value)

    def value(self, node: Node, where: str) -> Value | None:
        """A calculator's input: a number where it is written as one without quotes, else text (``3.35 TB/s``)."""
        text = self.text(node, where)
        if text is None or not isinstance(node, Scalar):
            return None
        match = _NUMBER.fullmatch(text)
        if not match or not node.plain:
            return text
        if len(text) > LONGEST_NUMBER:
            self.note(node.span, where, say("deck.too_long_number"))
            return None
        if len(match[1]) > 1 and match[1][0] == "0":
            plain = text.replace(match[1], match[1].lstrip("0") or "0", 1)
            self.note(node.span, where, say("deck.leading_zero", value=text, plain=plain))
            return None
        exact = Fraction(text)
        if exact.denominator == 1 and abs(exact) < 10**18:
            return int(exact)
        try:
            return float(exact)
        except OverflowError:
            self.note(node.span, where, say("deck.bad_number", value=text, low="-1e308", high="1e308"))
            return None
