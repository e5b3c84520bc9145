"""HTML, as Anki's fields hold it, read into the small Markdown of cards: text only.

Scripts, styles, attributes and comments are left out, pictures and sounds are left out and counted. The reading goes
over the text once, whatever its nesting, and never calls itself, so that neither depth nor brokenness costs more.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

LONGEST_HTML = 200_000
SILENT = frozenset({"script", "style", "head", "title", "template", "iframe", "object", "svg", "audio", "video"})
MEDIA = frozenset({"img", "audio", "video", "object", "embed", "svg", "iframe"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
BREAKS = HEADINGS | {
    "br", "p", "div", "section", "article", "header", "footer", "blockquote", "hr", "ul", "ol", "dl", "dt", "dd",
    "center", "details", "summary",
}  # fmt: skip
BOLD = frozenset({"b", "strong"})
CODE = frozenset({"code", "tt", "kbd", "samp"})

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,39})|<[!?]")
_IN_TAG = re.compile(r"[\"'>]")
_SOUND = re.compile(r"\[(?:sound|anki):[^\]\n]{0,300}\]")
# Python reads at most a few thousand digits as a number, and no character needs more than seven.
_LONG_NUMBER = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")
_WORD = re.compile(r"[A-Za-z0-9()\[\]*−-]")


def read_html(text: str) -> tuple[str, int]:
    """(the text as small Markdown, how many pictures and sounds were left out)."""
    reader = _Reader()
    for kind, value in _tokens(text):
        if kind == "text":
            reader.text(value)
        elif kind == "open":
            reader.open(value)
        elif kind == "close":
            reader.close(value)
    return reader.result(), reader.media


def _tokens(source: str) -> Iterator[tuple[str, str]]:
    """("text", words), ("open", tag) and ("close", tag), in one pass."""
    at, size = 0, len(source)
    unclosed: set[str] = set()
    while at < size:
        start = source.find("<", at)
        if start < 0:
            start = size
        if start > at:
            yield "text", source[at:start]
        if start == size:
            return
        match = _TAG.match(source, start)
        if source.startswith("<!--", start):
            end = source.find("-->", start + 4)
            at = size if end < 0 else end + 3
            continue
        if match is None:
            yield "text", "<"
            at = start + 1
            continue
        end = _end_of_tag(source, match.end(), unclosed)
        if end < 0:
            yield "text", source[start:]
            return
        at = end + 1
        if not match[2]:
            continue
        name = match[2].lower()
        if match[1]:
            yield "close", name
            continue
        yield "open", name
        if name in SILENT and source[end - 1] != "/":
            shut = re.compile(f"</{name}", re.IGNORECASE).search(source, at)
            at = shut.start() if shut else size


def _end_of_tag(source: str, at: int, unclosed: set[str]) -> int:
    """Where the `>` of a tag stands, quoted ones aside; -1 if there is none. A quote that never ends quotes nothing."""
    while found := _IN_TAG.search(source, at):
        if found[0] == ">":
            return found.start()
        end = -1 if found[0] in unclosed else source.find(found[0], found.end())
        if end < 0:
            unclosed.add(found[0])
        at = found.end() if end < 0 else end + 1
    return -1


@dataclass(slots=True)
class _Reader:
    media: int = 0
    blocks: list[str] = field(default_factory=list)
    # Pieces of the line that is being read: (text, bold, code).
    pieces: list[tuple[str, bool, bool]] = field(default_factory=list)
    bold: int = 0
    code: int = 0
    pre: int = 0
    lists: list[int] = field(default_factory=list)
    marker: str = ""
    rows: list[list[str]] | None = None
    in_cell: bool = False

    def text(self, words: str) -> None:
        plain = html.unescape(_LONG_NUMBER.sub("", words)).replace("\xa0", " ")
        plain, sounds = _SOUND.subn("", plain)
        self.media += sounds
        if not self.pre:
            plain = re.sub(r"\s+", " ", plain)
        if plain and (self.rows is None or self.in_cell):
            self.pieces.append((plain, self.bold > 0, self.code > 0))

    def open(self, name: str) -> None:
        if name in MEDIA:
            self.media += 1
        if name in BOLD:
            self.bold += 1
        elif name in CODE:
            self.code += 1
        elif name == "pre":
            self._end()
            self.pre += 1
        elif self.pre and name in BREAKS:
            self.pieces.append(("\n", False, False))
        elif name == "table":
            self._end()
            self.rows = self.rows if self.rows is not None else []
        elif name == "tr" and self.rows is not None:
            self._end()
            self.rows.append([])
        elif name in ("td", "th") and self.rows is not None:
            self._end()
            self.in_cell = True
        elif name == "li":
            self._end()
            self.marker = self._marker()
        elif name in BREAKS:
            self._end()
            if name in ("ul", "ol"):
                self.lists.append(0 if name == "ol" else -1)
            self.bold += name in HEADINGS

    def close(self, name: str) -> None:
        if name in BOLD:
            self.bold = max(0, self.bold - 1)
        elif name in CODE:
            self.code = max(0, self.code - 1)
        elif name == "pre":
            self._end()
            self.pre = max(0, self.pre - 1)
        elif self.pre and name in BREAKS:
            return
        elif name == "table":
            self._end()
            self._table()
        elif name in ("td", "th", "tr", "li"):
            self._end()
        elif name in BREAKS:
            self._end()
            if name in ("ul", "ol") and self.lists:
                self.lists.pop()
            if name in HEADINGS:
                self.bold = max(0, self.bold - 1)

    def result(self) -> str:
        self._end()
        self._table()
        parts: list[str] = []
        for before, block in zip(["", *self.blocks], self.blocks, strict=False):
            parts += ["\n" if _is_item(before) and _is_item(block) else "\n\n" if before else "", block]
        return "".join(parts)

    def _marker(self) -> str:
        if not self.lists:
            return "- "
        level = "  " if len(self.lists) > 1 else ""
        if self.lists[-1] < 0:
            return f"{level}- "
        self.lists[-1] += 1
        return f"{level}{min(self.lists[-1], 999)}. "

    def _end(self) -> None:
        """The line that was being read is over."""
        pieces, self.pieces = self.pieces, []
        if self.pre and self.rows is None:
            lines = "".join(text for text, _, _ in pieces).strip("\n").split("\n")
            if any(line.strip() for line in lines):
                self.blocks.append(
                    "\n".join(["```", *("~~~" if line.strip() == "```" else line for line in lines), "```"])
                )
            return
        line = " ".join(_styled(pieces).split()) if self.rows is not None else _styled(pieces).strip()
        if self.rows is not None:
            if self.in_cell:
                if not self.rows:
                    self.rows.append([])
                self.rows[-1].append(line.replace("|", "\\|"))
            self.in_cell = False
            return
        if line:
            self.blocks.append(self.marker + line)
            self.marker = ""

    def _table(self) -> None:
        rows, self.rows = [row for row in self.rows or [] if any(row)], None
        self.in_cell = False
        if not rows:
            return
        width = max(map(len, rows))
        if width == 1 or width * len(rows) > 5000:
            self.blocks += [" · ".join(filter(None, row)) for row in rows]
            return
        lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
        self.blocks.append("\n".join([lines[0], "|" + "---|" * width, *lines[1:]]))


def _is_item(block: str) -> bool:
    return bool(re.match(r" *(?:-|\d{1,3}\.) ", block))


def _styled(pieces: list[tuple[str, bool, bool]]) -> str:
    """Pieces of a line with their marks; where a mark could not be told from a power or a word it is left out."""
    merged: list[tuple[list[str], bool, bool]] = []
    for text, bold, code in pieces:
        if merged and merged[-1][1:] == (bold, code):
            merged[-1][0].append(text)
        else:
            merged.append(([text], bold, code))
    line: list[str] = []
    for number, (texts, bold, code) in enumerate(merged):
        text = "".join(texts)
        inner = text.strip()
        if not inner or not (bold or code):
            line.append(text)
            continue
        before = line[-1][-1:] if line else ""
        after = merged[number + 1][0][0][:1] if number + 1 < len(merged) else ""
        if code:
            ticks = "`" * (1 + max((len(run) for run in re.findall("`+", inner)), default=0))
            inner = f"{ticks} {inner} {ticks}" if "`" in inner else f"`{inner}`"
        touching = (before and text[:1] == inner[:1] and _WORD.match(before)) or (after and _WORD.match(after))
        if bold and "**" not in inner and not touching:
            inner = f"**{inner}**"
        parts = (text[: len(text) - len(text.lstrip())], inner, text[len(text.rstrip()) :])
        line += [part for part in parts if part]
    return "".join(line)
