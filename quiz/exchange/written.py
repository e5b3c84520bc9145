"""Blocks of a card's text written out as HTML and as common Markdown. All that is no mark of ours comes out literal."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from quiz.prose import BOLD, BOLD_CODE, CODE, Block, Bullets, Code, Paragraph, Spans, Table

_SPECIAL = re.compile(r"([\\`*\[\]<~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=[#A-Za-z]))")
_OPENS_BLOCK = re.compile(r"^(?:(\d{1,9})(?=[.)])|(?=[-+#>=]))")

_STOPS = "。，、：；！？.,:;!?"


# HTML


def to_html(blocks: Sequence[Block]) -> str:
    """HTML without scripts, styles or media."""
    return "".join(map(_html_block, blocks))


def escaped(text: str) -> str:
    """Text that HTML shows as it is, and in which Anki finds neither a sound nor a picture of a formula."""
    return html.escape(text, quote=True).replace("[", "&#91;").replace("{{", "{&#123;")


def _html_block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"<p>{_html_spans(block.spans)}</p>"
    if isinstance(block, Bullets):
        return _html_bullets(block)
    if isinstance(block, Table):
        return _html_table(block)
    return f"<pre><code>{escaped(chr(10).join(block.lines))}</code></pre>"


def _html_bullets(block: Bullets) -> str:
    """Lists inside of lists where the level changes; a list is numbered as its first item is."""
    parts: list[str] = []
    open_lists: list[str] = []
    for item in block.items:
        tag = "ul" if item.marker == "-" else "ol"
        depth = min(item.level, len(open_lists)) + 1
        while len(open_lists) > depth or (len(open_lists) == depth and open_lists[-1] != tag):
            parts.append(f"</li></{open_lists.pop()}>")
        if len(open_lists) == depth:
            parts.append("</li>")
        while len(open_lists) < depth:
            start = item.marker.rstrip(".")
            first = f' start="{int(start)}"' if tag == "ol" and start != "1" else ""
            parts.append(f"<{tag}{first}>")
            open_lists.append(tag)
        parts.append(f"<li>{_html_spans(item.spans)}")
    return "".join([*parts, *(f"</li></{tag}>" for tag in reversed(open_lists))])


def _html_table(table: Table) -> str:
    def row(cells: Sequence[Spans], tag: str) -> str:
        right = [' align="right"' if one else "" for one in table.right]
        return "<tr>" + "".join(f"<{tag}{right[n]}>{_html_spans(c)}</{tag}>" for n, c in enumerate(cells)) + "</tr>"

    return f"<table>{row(table.header, 'th')}{''.join(row(cells, 'td') for cells in table.rows)}</table>"


def _html_spans(spans: Spans) -> str:
    marks = {BOLD: "<b>{}</b>", CODE: "<code>{}</code>", BOLD_CODE: "<b><code>{}</code></b>"}
    return "".join(marks.get(span.style, "{}").replace("{}", escaped(span.text)) for span in spans)


# Markdown


def to_markdown(blocks: Sequence[Block]) -> str:
    """Markdown for any program: what would be a mark there and is none here stands behind a backslash."""
    return "\n\n".join("\n".join(_markdown_block(block)) for block in blocks)


def literal(text: str) -> str:
    """`text` on one line such that Markdown shows it as it is."""
    return _at_start(_SPECIAL.sub(r"\\\1", " ".join(text.split())))


def lines_as_they_are(text: str) -> str:
    """Lines of plain text (a worked calculation), each on a line of its own."""
    fence = _fence(text.splitlines())
    return f"{fence}text\n{text.strip()}\n{fence}" if text.strip() else ""


def _markdown_block(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield _at_start(_markdown_spans(block.spans))
    elif isinstance(block, Bullets):
        yield from _markdown_bullets(block)
    elif isinstance(block, Table):
        yield _row([_markdown_spans(cell, cell=True) for cell in block.header])
        yield _row(["---:" if right else "---" for right in block.right])
        for row in block.rows:
            yield _row([_markdown_spans(cell, cell=True) for cell in row])
    else:
        yield from _markdown_code(block)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_bullets(block: Bullets) -> Iterator[str]:
    indent = 2
    for item in block.items:
        if item.level == 0:
            indent = len(item.marker) + 1
        yield f"{' ' * (indent if item.level else 0)}{item.marker} {_at_start(_markdown_spans(item.spans))}"


def _markdown_code(block: Code) -> Iterator[str]:
    fence = _fence(block.lines)
    yield fence + block.language
    yield from block.lines
    yield fence


def _fence(lines: Sequence[str]) -> str:
    """A fence longer than any that stands inside."""
    return "`" * max(3, 1 + max((len(run) for line in lines for run in re.findall("`+", line)), default=0))


def _markdown_spans(spans: Spans, *, cell: bool = False) -> str:
    parts = []
    for number, span in enumerate(spans):
        code, bold = span.style in (CODE, BOLD_CODE), span.style in (BOLD, BOLD_CODE)
        inner = _code_span(span.text, cell=cell) if code else _SPECIAL.sub(r"\\\1", span.text)
        if cell and not code:
            inner = inner.replace("|", "\\|")
        if bold and inner.strip():
            before = spans[number - 1].text[-1:] if number else ""
            after = spans[number + 1].text[:1] if number + 1 < len(spans) else ""
            inner = _bold(inner, before, after)
        parts.append(inner)
    return "".join(parts)


def _bold(inner: str, before: str, after: str) -> str:
    """Stars where every reader of Markdown takes them for bold; beside punctuation, as in Chinese, some do not."""
    words = inner.strip()
    core = words.rstrip(_STOPS)
    if after.strip() and core and core[-1].isalnum():
        words = core
    opens = words[0].isalnum() or not before.strip()
    closes = words[-1].isalnum() or not after.strip()
    marked = f"**{words}**" if opens and closes else f"<b>{words}</b>"
    return inner.replace(words, marked, 1)


def _code_span(text: str, *, cell: bool) -> str:
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    inner = text.replace("|", "\\|") if cell else text
    return f"{ticks} {inner} {ticks}" if "`" in text or (text[:1] == " " == text[-1:]) else f"{ticks}{inner}{ticks}"


def _at_start(text: str) -> str:
    """`text` at the start of a line, where a dash or a number with its dot would open a list, a # a heading."""
    return _OPENS_BLOCK.sub(r"\1\\", text)
