"""The home screen: what today holds, how far one is, and one key for each thing to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from quiz.cells import cells
from quiz.overview import Overview, overview
from quiz.tui import keys as key_rows
from quiz.tui.app import ReviewApp
from quiz.tui.frame import KeyRow, Rule
from quiz.tui.review import ReviewScreen
from quiz.tui.text import Page, Part, Prose, plain

if TYPE_CHECKING:
    from quiz.desk import Desk
    from quiz.stats import Standing

NARROW = 60
BAR, NARROW_BAR = 25, 10
FULL_WIDTH = {"？": "?", "\u3000": " "}


class HomeScreen(Screen[None]):
    """Where `quiz` begins and where a review ends."""

    AUTO_FOCUS = ""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self._helping = False

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        yield Rule()
        with VerticalScroll(id="page", can_focus=False):
            yield Page(id="overview")
        yield Rule()
        yield KeyRow()

    def on_mount(self) -> None:
        self.draw()

    def on_screen_resume(self) -> None:
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    def draw(self) -> None:
        seen, width = overview(self.desk), max(10, self.size.width - 2)
        say = self.desk.say
        right = f"{seen.today.isoformat()} · {say('start.streak', days=seen.streak)}"
        self.query_one("#title", Static).update(plain("quiz" + " " * max(1, width - 4 - cells(right)) + right))
        page = self.query_one("#overview", Page)
        page.show(*([Prose(say("start.help"))] if self._helping else _parts(self.desk, seen, width)))
        enter = [("enter", say("screen.enter"), say("start.review"))] if seen.left else []
        keys = [
            *enter,
            ("k", "k", say("start.calculators")),
            ("l", "l", say("screen.other_language")),
            ("q", "q", say("start.leave")),
            ("question_mark", "?", say("screen.keys")),
        ]
        self.query_one("#keys", Static).update(key_rows.row(keys, width))

    async def on_key(self, event: events.Key) -> None:
        name = FULL_WIDTH.get(event.character or "", event.key if event.key in ("enter", "escape") else event.character)
        if name and self._press(name):
            event.stop()

    async def action_press(self, key: str) -> None:
        """What a click on a key's label does: the same as the key."""
        self._press({"question_mark": "?"}.get(key, key))

    def _press(self, key: str) -> bool:
        if self._helping:
            self._helping = False
            self.draw()
            return True
        does: dict[str, Callable[[], Any]] = {
            "enter": self._review,
            "k": self._calculators,
            "l": self.switch_language,
            "q": lambda: self.app.exit(0),
            "?": self._help,
        }
        if key not in does:
            return False
        does[key]()
        return True

    def switch_language(self) -> None:
        self.desk.language = "zh" if self.desk.language == "en" else "en"
        self.draw()

    def _review(self) -> None:
        from quiz.study import Selection

        self.desk.study.begin(Selection())
        if self.desk.study.asked is not None:
            self.app.push_screen(ReviewScreen(self.desk))

    def _calculators(self) -> None:
        from quiz.tui.calculate import PickScreen

        self.app.push_screen(PickScreen(self.desk), self._calculator)

    def _calculator(self, name: str | None) -> None:
        from quiz.calculators import find
        from quiz.tui.calculate import CalculatorScreen

        if name is not None:
            self.app.push_screen(CalculatorScreen(self.desk, find(name), {}))

    def _help(self) -> None:
        self._helping = True
        self.draw()


class HomeApp(ReviewApp):
    """Home first; a review or the calculators are left for it again."""

    def get_default_screen(self) -> HomeScreen:  # type: ignore[override]
        return HomeScreen(self.desk)

    def action_switch_language(self) -> None:
        if isinstance(self.screen, (HomeScreen, ReviewScreen)):
            self.screen.switch_language()

    def action_leave(self) -> None:
        if isinstance(self.screen, HomeScreen):
            self.exit(0)
        else:
            self.pop_screen()


def _parts(desk: Desk, seen: Overview, width: int) -> list[Part]:
    say = desk.say
    parts: list[Part] = [Part()]
    if seen.fresh:
        parts += [Part(say("start.first_time")), Part()]
    if seen.left:
        load = say("start.load", due=seen.due, new=seen.new, again=seen.again)
        parts.append(Part(f"{say('start.today')}   {load}   {say('start.about', minutes=seen.minutes)}", style="bold"))
    else:
        day = seen.next_due.isoformat() if seen.next_due else ""
        parts.append(Part(say("start.nothing", day=day) if day else say("start.nothing_at_all"), style="bold"))
    parts.append(Part())
    names = {area: say(f"look.area_{area}") for area in seen.areas}
    column = max(map(cells, names.values()), default=0) + 2
    for area, one in seen.areas.items():
        name = names[area] + " " * (column - cells(names[area]))
        told = say("start.seen", seen=one.seen, total=one.total)
        told += f" · {say('start.weak', weak=one.weak)}" if one.weak else ""
        parts.append(Part(f"{name}{_bar(one, BAR if width >= NARROW else NARROW_BAR)}  {told}"))
    if seen.areas and not seen.fresh:
        parts += [Part(), Part(say("start.legend"), style="dim")]
    return parts


def _bar(one: Standing, length: int) -> str:
    """The area's cards as a bar that reads without colour: mature, young, learning, new."""
    shares, marks = (one.mature, one.young, one.learning, one.new), "█▓▒░"
    ends = [round(length * sum(shares[: n + 1]) / one.total) for n in range(4)]
    return "".join(mark * (end - start) for mark, start, end in zip(marks, [0, *ends], ends, strict=False))
