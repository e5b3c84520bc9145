"""The calculators on a screen: pick one, change its inputs, and see the outputs follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from quiz import calculators
from quiz.calculators.base import Calculator, Input, run
from quiz.errors import QuizError
from quiz.quantity import show
from quiz.shown import shown
from quiz.tui import keys as key_rows
from quiz.tui.answer_line import AnswerLine
from quiz.tui.frame import KeyRow, Rule
from quiz.tui.text import Hanging, Page, Part, plain

if TYPE_CHECKING:
    from quiz.desk import Desk

LABEL = 22


class PickScreen(Screen[str | None]):
    """A list of calculators that narrows as one types; gives the name chosen, or None."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self._all = [calculators.find(name) for name in calculators.names()]
        self._at = 0

    def compose(self) -> ComposeResult:
        yield Static(plain(self.desk.say("calculate.pick")), id="title")
        yield Rule()
        with Horizontal(id="line"):
            yield Static(plain("❯ "), id="prompt")
            yield AnswerLine()
        with VerticalScroll(id="page", can_focus=False):
            yield Page(id="list")
        yield Rule()
        yield KeyRow()

    def on_mount(self) -> None:
        self.query_one(AnswerLine).focus()
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _found(self) -> list[Calculator]:
        wanted = self.query_one(AnswerLine).value.casefold().split()
        return [
            c for c in self._all if all(word in f"{c.name} {c.title.en} {c.title.zh}".casefold() for word in wanted)
        ]

    def _draw(self) -> None:
        found = self._found()
        self._at = max(0, min(self._at, len(found) - 1))
        width = max(10, self.size.width - 2)
        rows: list[Part] = [
            Hanging(
                "▸ " if n == self._at else "  ",
                f"{self.desk.words(c.title)}  ({c.name})",
                style="bold" if n == self._at else "",
                action=f"screen.press({c.name!r})",
            )
            for n, c in enumerate(found)
        ]
        self.query_one("#list", Page).show(*(rows or [Part(self.desk.say("calculate.none"))]))
        say = self.desk.say
        keys = [("enter", say("screen.enter"), say("calculate.open")), ("", "↑↓", say("calculate.move"))]
        keys.append(("escape", "Esc", say("screen.back")))
        self.query_one("#keys", Static).update(key_rows.row(keys, width))

    def on_input_changed(self) -> None:
        self._at = 0
        self._draw()

    def on_input_submitted(self) -> None:
        found = self._found()
        if found:
            self.dismiss(found[self._at].name)

    def on_key(self, event: events.Key) -> None:
        if event.key in ("up", "down"):
            self._at += 1 if event.key == "down" else -1
            self._draw()
            page = self.query_one("#page", VerticalScroll)
            page.scroll_to(y=self._at - page.size.height // 2, animate=False)
            event.stop()
        elif event.key == "escape":
            self.dismiss(None)

    def action_press(self, key: str) -> None:
        """A click: on a calculator's name, or on a key's label."""
        if key == "enter":
            self.on_input_submitted()
        else:
            self.dismiss(None if key == "escape" else key)


class CalculatorScreen(Screen[None]):
    """One calculator: a line an input, and below (or beside) them what comes out, at each key."""

    def __init__(self, desk: Desk, calculator: Calculator, given: Mapping[str, Any]) -> None:
        super().__init__()
        self.desk = desk
        self.calculator = calculator
        self._given = {name: _typed(value) for name, value in given.items()}

    def compose(self) -> ComposeResult:
        title = f"{self.desk.words(self.calculator.title)} · {self.calculator.name}"
        yield Static(plain(title), id="title")
        yield Rule()
        with VerticalScroll(id="page", can_focus=False):
            for field in self.calculator.inputs:
                with Horizontal(classes="field"):
                    yield Static(plain(field.name), classes="label")
                    line = AnswerLine(self._given.get(field.name, ""))
                    line.name_of_input = field.name
                    yield line
                    yield Static(plain(self._allowed(field), "dim"), classes="allowed")
            yield Static(id="gap")
            yield Page(id="outputs")
        yield Rule()
        yield KeyRow()

    def on_mount(self) -> None:
        self.query(AnswerLine).first().focus()
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def on_input_changed(self) -> None:
        self._draw()

    def on_input_submitted(self) -> None:
        self.focus_next(AnswerLine)

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            self.dismiss(None)
        elif event.key in ("up", "down"):
            (self.focus_next if event.key == "down" else self.focus_previous)(AnswerLine)
            event.stop()
        elif event.key in ("pageup", "pagedown"):
            page = self.query_one("#page", VerticalScroll)
            page.scroll_relative(y=10 if event.key == "pagedown" else -10, animate=False)
            event.stop()

    def action_press(self, key: str) -> None:
        if key == "escape":
            self.dismiss(None)

    def typed(self) -> dict[str, str]:
        """The inputs that are filled in, by name."""
        lines = self.query(AnswerLine)
        return {line.name_of_input: line.value.strip() for line in lines if line.value.strip()}

    def _draw(self) -> None:
        width = max(10, self.size.width - 2)
        for allowed in self.query(".allowed"):
            allowed.display = width >= 60
        self.query_one("#outputs", Page).show(*self._outputs())
        say = self.desk.say
        keys = [("", "↑↓", say("calculate.next")), ("", "PgDn", say("calculate.scroll"))]
        keys.append(("escape", "Esc", say("screen.back")))
        self.query_one("#keys", Static).update(key_rows.row(keys, width))

    def _outputs(self) -> list[Part]:
        try:
            result = run(self.calculator, self.typed())
        except QuizError as error:
            return [Hanging("? ", self.desk.words(error.text), style="$text-warning")]
        parts: list[Part] = []
        for output in self.calculator.outputs:
            value = result.outputs.get(output.name)
            if value is None:
                continue
            text = value if isinstance(value, str) else show(value, output.unit, self.desk.language)
            parts.append(Hanging("", f"{output.name}  {text}", style="bold"))
            parts.append(Hanging("  ", self.desk.words(output.about), style="dim"))
            parts += [Hanging("  ", line) for line in result.worked(output.name).splitlines()]
        if self.calculator.convention:
            parts += [Part(), Part(self.desk.words(self.calculator.convention))]
        return parts

    def _allowed(self, field: Input) -> str:
        if field.choices:
            return ", ".join(field.choices)[:60]
        default = "" if field.default is None else f" = {shown(field, field.default).pick(self.desk.language)}"
        return f"{self.desk.words(field.about)}{default}"


def _typed(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
