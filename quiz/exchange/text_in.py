"""Cards from text: CSV with named columns (any program's, or the table written here), and Anki's text export.

Rows are read one at a time; no line, record or file grows above a fixed size. The text export's header lines:
https://docs.ankiweb.net/importing/text-files.html#file-headers
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO

from quiz.card import AREAS
from quiz.exchange.anki_templates import cloze, cloze_numbers
from quiz.exchange.arrival import LARGEST, Arrival, refuse
from quiz.exchange.html_in import LONGEST_HTML, read_html
from quiz.exchange.own_deck import LONGEST, Entry, beginning, clean, in_its_language
from quiz.exchange.table import COLUMNS, harmed
from quiz.language import Text, words
from quiz.reference import Reference

LONGEST_LINE = 1_000_000
LONGEST_RECORD = 2_000_000
MOST_LINES = 20_000
MOST_COLUMNS = 1_000
MOST_ROWS = 200_000
MOST_HTML = 100_000_000
# In the order in which they are tried; spreadsheets in China write the second.
ENCODINGS = ("utf-8-sig", "gb18030")
SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "colon": ":", "space": " "}
BOLD_HTML, BOLD_TEXT = ("<b>", "</b>"), ("**", "**")
OWN = frozenset(COLUMNS)


def read(source: Path) -> Arrival:
    """The cards in the file. BadInput if it is no text, has no columns with cards, or has a line without end."""
    last = len(ENCODINGS) - 1
    for number, encoding in enumerate(_encodings(source)):
        try:
            with source.open(encoding=encoding, newline="") as stream:
                arrival = _read(stream, source)
        except UnicodeError as error:
            if number == last:
                raise refuse(source.name, "no_text") from error
        except csv.Error as error:
            raise refuse(source.name, "record", megabytes=LONGEST_RECORD // 1_000_000) from error
        else:
            arrival.encoding = encoding.removesuffix("-sig")
            return arrival
    raise refuse(source.name, "no_text")


def _encodings(source: Path) -> Sequence[str]:
    if source.stat().st_size > LARGEST:
        raise refuse(source.name, "too_large", megabytes=LARGEST // 1_000_000)
    with source.open("rb") as stream:
        start = stream.read(2)
    return ("utf-16",) if start in (b"\xff\xfe", b"\xfe\xff") else ENCODINGS


def _read(stream: IO[str], source: Path) -> Arrival:
    lines = _Lines(stream, source)
    heads: dict[str, str] = {}
    first = lines.next_line()
    while first.startswith("#") and ":" in first and source.suffix.lower() != ".csv":
        key, _, value = first[1:].partition(":")
        heads[key.strip().lower()] = value.rstrip("\r\n")
        first = lines.next_line()
    if source.suffix.lower() != ".csv" and (heads or not _named(first)):
        return _anki_text(chain([first], lines), heads, lines)
    return _table(first, chain([first], lines), lines, source)


class _Lines:
    """The lines of a file, each of them and all of one record bounded."""

    def __init__(self, stream: IO[str], source: Path) -> None:
        self._stream, self._source = stream, source
        self.count = self.length = 0

    def __iter__(self) -> Iterator[str]:
        while line := self.next_line():
            yield line

    def next_line(self) -> str:
        line = self._stream.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise refuse(self._source.name, "line", megabytes=LONGEST_LINE // 1_000_000)
        if "\0" in line:
            raise refuse(self._source.name, "no_text")
        self.count += 1
        self.length += len(line)
        if self.count > MOST_LINES or self.length > LONGEST_RECORD:
            raise refuse(self._source.name, "record", megabytes=LONGEST_RECORD // 1_000_000)
        return line

    def rows(self, lines: Iterable[str], separator: str) -> Iterator[list[str]]:
        csv.field_size_limit(LONGEST_LINE)
        for number, row in enumerate(csv.reader(lines, delimiter=separator)):
            self.count = self.length = 0
            if number > MOST_ROWS:
                raise refuse(self._source.name, "too_many_rows", count=f"{MOST_ROWS:,}")
            if any(cell.strip() for cell in row[:MOST_COLUMNS]):
                yield row[:MOST_COLUMNS]


# A table with named columns


def _named(head: str) -> str:
    """The separator with which the line names a front and a back; "" if none does."""
    for separator in (",", ";", "\t", "|"):
        columns = _columns(next(csv.reader([head], delimiter=separator), []))
        if "question" in columns and "answer" in columns:
            return separator
    return ""


def _columns(heads: Sequence[str]) -> dict[str, int]:
    """Where the front, the back, the tags and the key stand, by what the columns are called in either language."""
    plain = [re.sub(r"[\s_-]+", " ", clean(head).casefold()) for head in heads]
    found: dict[str, int] = {}
    for part in ("question", "answer", "tags", "key"):
        both = words("data")[f"columns_{part}"]
        names = [*both.en.split("|"), *both.zh.split("|")]
        at = next((n for name in names for n, head in enumerate(plain) if head == name), None)
        if at is not None:
            found.setdefault(part, at)
    if set(plain) >= {name.replace("_", " ") for name in OWN}:
        return {"own": 0, "question": 0, "answer": 0}
    return found


def _table(first: str, lines: Iterable[str], reading: _Lines, source: Path) -> Arrival:
    separator = _named(first)
    if not separator:
        raise refuse(source.name, "no_columns")
    rows = reading.rows(lines, separator)
    heads = next(rows)
    columns = _columns(heads)
    if "own" in columns:
        return _own_table([clean(head).casefold() for head in heads], rows)
    arrival = Arrival()
    for row in rows:
        front, back, tags, key = (
            row[columns[part]] if part in columns and columns[part] < len(row) else ""
            for part in ("question", "answer", "tags", "key")
        )
        _take(arrival, clean(key) or _said(front), front, back, _labels(tags))
    return arrival


def _own_table(heads: Sequence[str], rows: Iterable[list[str]]) -> Arrival:
    """The table that `quiz export` writes, with all that a card of one's own can have."""
    arrival, areas = Arrival(), set[str]()
    for row in rows:
        cells = dict(zip(heads, map(harmed, row), strict=False))

        def both(name: str, cells: dict[str, str] = cells) -> Text:
            return Text(cells.get(f"{name}_en", ""), cells.get(f"{name}_zh", ""))

        right, answer = both("right_value"), both("answer")
        if any(right):
            answer = Text(*("\n\n".join(filter(None, pair)) for pair in zip(right, answer, strict=True)))
        english, chinese = (both("key_points")[n].splitlines() for n in (0, 1))
        longest = max(len(english), len(chinese))
        points = [Text(*pair) for pair in zip(_filled(english, longest), _filled(chinese, longest), strict=True)]
        areas.add(cells.get("area", ""))
        entry = Entry(
            clean(cells.get("id", ""))[:200] or _said(both("question").pick("en")),
            both("question"),
            answer,
            tuple(cells.get("tags", "").split()),
            both("pitfall"),
            tuple(points[:20]),
            tuple(_reference(line) for line in cells.get("references", "").splitlines()[:20]),
            int(cells["difficulty"]) if cells.get("difficulty") in ("2", "3") else 1,
        )
        _keep(arrival, entry)
    arrival.area = areas.pop() if len(areas) == 1 and areas <= set(AREAS) else ""
    return arrival


def _filled(lines: list[str], size: int) -> list[str]:
    return lines + [""] * (size - len(lines))


def _reference(line: str) -> Reference:
    title, _, url = line.rpartition(" ")
    return Reference(title, url) if url.startswith(("https://", "http://")) and title else Reference(line)


# Anki's text export


def _anki_text(lines: Iterable[str], heads: dict[str, str], reading: _Lines) -> Arrival:
    named = heads.get("separator", "tab")
    separator = SEPARATORS.get(named.lower(), named[:1] or "\t")
    if separator in '"\r\n':
        separator = "\t"
    aside = {part: _column(heads.get(f"{part} column", "")) for part in ("guid", "tags", "notetype", "deck")}
    general = tuple(heads.get("tags", "").split())
    arrival, html_read = Arrival(), 0
    as_html = heads.get("html", "").strip().lower() == "true"
    for row in reading.rows(lines, separator):
        fields = [cell for number, cell in enumerate(row) if number not in aside.values()]
        guid, tags = (row[aside[part]] if aside[part] in range(len(row)) else "" for part in ("guid", "tags"))
        if not fields:
            continue
        key = clean(guid) or _said(fields[0])
        if sum(map(len, fields)) > LONGEST_HTML:
            arrival.skip(beginning(clean(fields[0])), "long")
            continue
        for suffix, front, back in _cards(fields, BOLD_HTML if as_html else BOLD_TEXT):
            # Each deletion of a cloze is a card of its own, with all of its text read again.
            html_read += len(front) + len(back)
            if html_read > MOST_HTML:
                arrival.skip(beginning(clean(fields[0])), "many")
                break
            _take_side(arrival, f"{key}:{suffix}", front, back, (*tags.split(), *general), as_html=as_html)
    return arrival


def _cards(fields: Sequence[str], bold: tuple[str, str]) -> Iterator[tuple[int, str, str]]:
    """(its number from 0, front, back): one card, or one for each cloze deletion of the first field."""
    more = [field for field in fields[1:] if field.strip()]
    numbers = cloze_numbers(fields[0])
    for number in numbers:
        front, back = (cloze(fields[0], number, back=side, bold=bold) for side in (False, True))
        yield number - 1, front, "\n".join([back, *more])
    if not numbers:
        yield 0, fields[0], "\n".join(more)


def _take_side(arrival: Arrival, key: str, front: str, back: str, tags: tuple[str, ...], *, as_html: bool) -> None:
    if not as_html:
        # A line of the export is one of the card; in a card's text an empty line parts them.
        front, back = ("\n\n".join(filter(None, map(str.strip, side.splitlines()))) for side in (front, back))
        _take(arrival, key, front, back, tags)
        return
    question, media = read_html(front)
    answer, more = read_html(back.replace("\n", "<br>"))
    arrival.media += media + more
    if media + more and not (question and answer):
        arrival.skip(beginning(question or answer or key), "only_media")
    else:
        _take(arrival, key, question, answer, tags)


def _column(text: str) -> int:
    return int(text) - 1 if re.fullmatch(r" *[1-9]\d{0,3} *", text) else -1


def _take(arrival: Arrival, key: str, front: str, back: str, tags: tuple[str, ...]) -> None:
    if len(front) + len(back) > LONGEST:
        arrival.skip(beginning(clean(front[:400])), "long")
        return
    like = front + back
    _keep(arrival, Entry(key, in_its_language(front, like=like), in_its_language(back, like=like), tags))


def _keep(arrival: Arrival, entry: Entry) -> None:
    if any(map(str.strip, entry.question)) and any(map(str.strip, entry.answer)):
        arrival.take(entry)
    else:
        arrival.skip(beginning(clean("".join(entry.question) or "".join(entry.answer) or entry.key)), "empty")


def _said(text: str) -> str:
    """A key for what has none: what it says, white space and case aside."""
    return " ".join(clean(text).casefold().split())


def _labels(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, re.split(r"[,;，；、\s]+", text))))
