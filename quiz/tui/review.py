"""The review on a screen: question, answer, verdict, grade, next card, with the keyboard alone or the mouse."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from quiz.tui import keys as key_rows
from quiz.tui import view
from quiz.tui.keys import Key
from quiz.tui.text import Page, Part, Prose, plain

if TYPE_CHECKING:
    from quiz.desk import Desk

FULL_WIDTH = {chr(ord("０") + n): str(n) for n in range(10)} | {"\u3000": " ", "？": "?"}
SCROLLING = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -100_000, "end": 100_000}
COMMANDS = "hsbxunflq? "


class ReviewScreen(Screen[None]):
    """One sitting. Its stage follows from the study: number, open, typing, points, grade, remark, done, help."""

    AUTO_FOCUS = None
    burst_s = 0.15

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.study = desk.study
        self._choosing = False
        self._helping = False
        self._message = ""
        self._remark: str | None = None
        self._line: Any = None
        self._area: Any = None
        self._typed_early: list[str] = []
        self._ready = False
        self._waiting: tuple[str, Timer] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        yield Static(classes="rule")
        with VerticalScroll(id="page", can_focus=False):
            yield Page(id="question")
            yield Static(id="gap")
            yield Horizontal(id="line")
            yield Static(id="echo")
            yield Page(id="rest")
        yield Static(classes="rule")
        keys = Static(id="keys")
        keys.auto_links = False
        yield keys

    def on_mount(self) -> None:
        self._draw_all()
        self.call_after_refresh(self._make_ready)

    def on_resize(self) -> None:
        self._draw_all()
        if self.study.asked is not None and self.study.asked.revealed:
            self.call_after_refresh(self._show_top_of_rest)

    # What stage it is

    @property
    def stage(self) -> str:
        asked = self.study.asked
        if self._helping:
            return "help"
        if self._remark is not None:
            return "remark"
        if asked is None:
            return "done"
        if not asked.revealed:
            return "number" if asked.drawn is not None else "typing" if self._area is not None else "open"
        if asked.drawn is None and asked.card.key_points and not self._choosing:
            return "points"
        return "grade"

    # Drawing

    def _draw_all(self) -> None:
        width = max(10, self.size.width - 2)
        for rule in self.query(".rule").results(Static):
            rule.update(plain("─" * width))
        self.query_one("#title", Static).update(view.title(self.desk, self.study.asked, width))
        self._draw_page()
        self._draw_keys()

    def _draw_page(self) -> None:
        question, rest = self.query_one("#question", Page), self.query_one("#rest", Page)
        asked, stage = self.study.asked, self.stage
        self.query_one("#line").display = stage in ("number", "typing", "remark")
        self.query_one("#gap").display = stage != "done"
        if stage == "help":
            question.show(Prose(self.desk.say("screen.help")))
            rest.show()
        elif asked is None:
            from quiz.today import summary_lines

            question.show(*(Part(line) for line in summary_lines(self.desk)))
            rest.show()
        else:
            question.show(Prose(self.desk.words(asked.question)))
            rest.show(*self._below())
        self._draw_echo()

    def _below(self) -> list[Part]:
        asked = self.study.asked
        assert asked is not None
        parts: list[Part] = []
        if self._message:
            parts += [Part(self._message, style="italic"), Part()]
        if asked.revealed and asked.typed:
            parts += [Part(f"❯ {asked.typed[-1]}", style="dim")]
        parts += view.after_check(self.desk, asked)
        if asked.attempt.hint and not asked.revealed:
            from quiz.sheet import hint_of

            parts += [Part(hint_of(self.desk, asked.card, asked.drawn), style="italic")]
        if not asked.revealed:
            return parts + view.remarks(self.desk, asked)
        if asked.drawn is None and asked.card.key_points:
            parts += [*([Part()] if parts else []), *view.points(self.desk, asked)]
        return parts + view.model_answer(self.desk, asked)

    def _draw_echo(self) -> None:
        echo = self.query_one("#echo", Static)
        asked = self.study.asked
        echo.display = False
        if self.stage != "number" or asked is None or asked.card.numeric is None or not self._ready:
            return
        if self._line is not None and self._line.value.strip():
            from quiz.quantity import echo as read_back

            echo.update(plain(read_back(self._line.value, asked.card.numeric.unit or None, self.desk.language)))
            echo.display = True
        elif asked.card.numeric.unit:
            echo.update(plain(self.desk.say("screen.answer_in", unit=asked.card.numeric.unit)))
            echo.display = True

    def _draw_keys(self) -> None:
        width = max(10, self.size.width - 2)
        row = self.query_one("#keys", Static)
        if self.stage == "grade":
            say, days = self.desk.say, self.study.intervals()
            words = [say(f"screen.grade_{n}") for n in range(6)]
            shown = [say("review.days", days=day) if day else "–" for day in days]
            row.update(key_rows.grades(words, shown, self.study.proposed(), width, say("screen.enter_takes")))
        else:
            row.update(key_rows.row(self._keys(), width))

    def _keys(self) -> list[Key]:
        say = self.desk.say
        enter, space = say("screen.enter"), say("screen.space")
        other = say("screen.other_language")
        always = [("u", "u", say("screen.undo")), ("l", "l", other), ("question_mark", "?", say("screen.keys"))]
        aside = [("s", "s", say("screen.skip")), ("b", "b", say("screen.bury"))]
        stage = self.stage
        if stage == "number":
            first = [("enter", enter, say("screen.check")), ("space", space, say("screen.reveal"))]
            return [*first, ("h", "h", say("screen.hint")), *aside, *always]
        if stage == "open":
            first = [("space", space, say("screen.reveal")), ("enter", enter, say("screen.type"))]
            return [*first, ("h", "h", say("screen.hint")), *aside, *always]
        if stage == "typing":
            return [
                ("enter", enter, say("screen.compare")),
                ("ctrl+j", "Ctrl+J", say("screen.new_line")),
                ("escape", "Esc", say("screen.back")),
            ]
        if stage == "points":
            had, of = len(self.study.asked.ticked), len(self.study.asked.card.key_points)  # type: ignore[union-attr]
            key = "screen.accept" if self.size.width >= 60 else "screen.accept_narrow"
            accept = say(key, had=had, of=of, grade=self.study.proposed())
            return [
                ("enter", enter, accept),
                ("", f"1–{of}", say("screen.toggle")),
                ("0", "0", say("screen.choose")),
                *always,
            ]
        if stage == "remark":
            return [("enter", enter, say(f"screen.save_{self._remark}")), ("escape", "Esc", say("screen.back"))]
        if stage == "help":
            return [("escape", "Esc", say("screen.back"))]
        return [("u", "u", say("screen.undo")), ("l", "l", other), ("enter", enter, say("screen.leave"))]

    # The line to type in

    async def _make_ready(self) -> None:
        """What the first frame does not need: the answer line, and the reader behind it."""
        self._ready = True
        await self._fit_line()
        early, self._typed_early = self._typed_early, []
        for character in early:
            await self._type(character)

    async def _type(self, character: str) -> None:
        if self._line is not None and self.stage == "number" and (self._line.value or character not in COMMANDS):
            self._line.insert_text_at_cursor(character)
        else:
            await self.action_press(character)

    async def _fit_line(self, value: str = "") -> None:
        """Put the widget that the stage types into in place, and the focus on it."""
        holder, stage = self.query_one("#line"), self.stage
        wanted = stage in ("number", "remark", "typing")
        if not wanted or not self._ready:
            self.set_focus(None)
            await holder.remove_children()
            self._line = None
            return
        if stage == "typing":
            await holder.remove_children()
            self._line = None
            await holder.mount(self._area)
            self._area.focus()
            return
        from quiz.tui.answer_line import AnswerLine

        await holder.remove_children()
        self._line = AnswerLine(value, is_command=self._is_command if stage == "number" else None)
        await holder.mount(Static(plain("❯ "), id="prompt"), self._line)
        self._line.focus()

    def _is_command(self, character: str) -> bool:
        return FULL_WIDTH.get(character, character) in COMMANDS

    def on_input_changed(self) -> None:
        self._message = ""
        self._draw_echo()

    async def on_input_submitted(self, event: Any) -> None:
        event.stop()
        await self._enter()

    # Keys

    async def on_key(self, event: events.Key) -> None:
        name = FULL_WIDTH.get(event.character or "", event.character or "") or event.key
        if event.key in SCROLLING and self.stage not in ("typing",):
            self.query_one("#page", VerticalScroll).scroll_relative(y=SCROLLING[event.key], animate=False)
            event.stop()
            return
        if not self._ready and self.stage == "number" and event.character is not None and event.is_printable:
            self._typed_early.append(name)
            event.stop()
            return
        if self.stage == "open" and event.character is not None and event.is_printable and name not in " ?":
            event.stop()
            await self._letter(event.character, name)
            return
        await self._settle()
        if await self._press("enter" if event.key == "enter" else "escape" if event.key == "escape" else name):
            event.stop()
            event.prevent_default()

    async def _letter(self, character: str, name: str) -> None:
        """A letter on an open question: a key if it stays alone for a moment, the beginning of an answer if not.

        A learner in a hurry types "because …" without asking for the answer area first; b must not put the card off.
        """
        waiting = self._waiting
        self._waiting = None
        if waiting is not None and waiting[0] != name:
            waiting[1].stop()
            await self._start_typing(waiting[0] + character)
        elif name not in COMMANDS:
            # Also an input method's words: the learner is answering.
            await self._start_typing(character)
        elif self.burst_s == 0 or waiting is not None:
            if waiting is not None:
                waiting[1].stop()
                await self._press(name)
            await self._press(name)
        else:
            self._waiting = (name, self.set_timer(self.burst_s, self._settle))

    async def _settle(self) -> None:
        """The letter that waited for company stayed alone: it was a key."""
        if self._waiting is not None:
            name, timer = self._waiting
            self._waiting = None
            timer.stop()
            await self._press(name)

    async def action_press(self, key: str) -> None:
        """What a click on a key's label does: the same as the key."""
        await self._press({"space": " ", "question_mark": "?"}.get(key, key))

    async def _press(self, key: str) -> bool:
        """Do what `key` means in this stage; False if it means nothing."""
        stage = self.stage
        if stage == "help":
            self._helping = False
            return self._redraw()
        if key == "escape":
            return await self._escape()
        if stage in ("remark", "typing"):
            if key == "enter":
                await self._enter()
                return True
            return False
        if stage == "grade" and len(key) == 1 and key in "012345":
            return await self._grade(int(key))
        if stage == "points" and key.isdigit() and len(key) == 1:
            return self._point(int(key))
        common: dict[str, Callable[[], Any]] = {
            "enter": self._enter,
            "u": self._undo,
            "l": self._switch_language,
            "?": self._help,
            "q": self._quit,
        }
        if stage == "grade" and self.study.asked is not None and self.study.asked.drawn is not None:
            common["k"] = self._what_if
        if self.study.asked is not None:
            common |= {"n": lambda: self._start_remark("note"), "f": lambda: self._start_remark("flag")}
            common |= {"x": lambda: self._aside(self.study.suspend), "b": lambda: self._aside(self.study.bury)}
            if stage in ("number", "open"):
                common |= {" ": self._reveal, "h": self._hint, "s": lambda: self._aside(self.study.skip)}
            else:
                common[" "] = self._page_down
        if key not in common:
            return False
        done = common[key]()
        if done is not None:
            await done
        return True

    async def _enter(self) -> None:
        stage = self.stage
        if stage == "number":
            text = self._line.value if self._line is not None else ""
            if text.strip():
                await self._check(text)
            else:
                await self._reveal()
        elif stage == "open":
            await self._start_typing("")
        elif stage == "typing":
            text, self._area = self._area.text, None
            self.study.reveal(text)
            await self._after_reveal()
        elif stage == "remark":
            await self._save_remark()
        elif stage in ("points", "grade"):
            await self._grade(self.study.proposed())
        elif stage == "done":
            self._quit()

    async def _escape(self) -> bool:
        if self.stage == "typing":
            self._area = None
            await self.query_one("#line").remove_children()
        elif self.stage == "remark":
            self._remark = None
        elif self._choosing:
            self._choosing = False
        elif self.stage == "number" and self._line is not None:
            self._line.value = ""
            return True
        else:
            return False
        await self._fit_line()
        return self._redraw()

    # What the keys do

    async def _check(self, text: str) -> None:
        self._message = ""
        self.study.check(text)
        if self.study.asked is not None and self.study.asked.revealed:
            await self._after_reveal()
        else:
            self._redraw()

    async def _reveal(self) -> None:
        self.study.reveal(self._line.value if self.stage == "number" and self._line is not None else "")
        await self._after_reveal()

    async def _after_reveal(self) -> None:
        self._message = ""
        await self._fit_line()
        self._redraw()
        self.refresh(layout=True)
        self.call_after_refresh(self._show_top_of_rest)

    def _show_top_of_rest(self) -> None:
        """A question longer than half of the page makes way for the points or the verdict."""
        page, question = self.query_one("#page", VerticalScroll), self.query_one("#question", Page)
        above = question.height_at(self.size.width - 3) + 1
        if above > page.size.height // 2:
            page.scroll_to(y=above, animate=False)

    async def _grade(self, grade: int) -> bool:
        self.study.grade(grade, language=self.desk.language)
        await self._next()
        return True

    def _point(self, digit: int) -> bool:
        if digit == 0:
            self._choosing = True
        else:
            self.study.tick(digit - 1)
        return self._redraw()

    def _hint(self) -> None:
        self.study.hint()
        self._redraw()

    async def _aside(self, action: Callable[[], None]) -> None:
        action()
        await self._next()

    async def _undo(self) -> None:
        undone = self.study.undo()
        if undone is None:
            self._message = self.desk.say("record.nothing_to_undo")
            self._redraw()
            return
        what = self.desk.say(f"record.kind_{undone.kind}")
        await self._next(self.desk.say("review.undone", what=what, card=undone.card))

    async def _start_typing(self, text: str) -> None:
        from quiz.tui.answer_area import AnswerArea

        self._area = AnswerArea(text)
        await self._fit_line()
        self._redraw()

    async def _start_remark(self, kind: str) -> None:
        asked = self.study.asked
        assert asked is not None
        self._remark = kind
        kept = asked.progress.note if kind == "note" else asked.progress.flag or ""
        await self._fit_line(kept)
        self._redraw()

    async def _save_remark(self) -> None:
        asked, kind, text = self.study.asked, self._remark, self._line.value
        assert asked is not None
        self._remark = None
        if kind == "note":
            self.study.note(asked.card.id, text)
        elif text.strip() or asked.progress.flag is None:
            self.study.flag(asked.card.id, text)
        else:
            self.study.unflag(asked.card.id)
        await self._fit_line()
        self._redraw()

    def _switch_language(self) -> None:
        self.desk.language = "zh" if self.desk.language == "en" else "en"
        self._message = ""
        self._redraw()

    async def _what_if(self) -> None:
        """The card's calculator with the numbers just drawn, to change them."""
        drawn = self.study.asked.drawn if self.study.asked else None
        if drawn is not None:
            from quiz.tui.calculate import CalculatorScreen

            await self.app.push_screen(CalculatorScreen(self.desk, drawn.result.calculator, drawn.inputs))

    def _help(self) -> None:
        self._helping = True
        self._redraw()

    def _quit(self) -> None:
        self.app.action_leave()  # type: ignore[attr-defined]

    def _page_down(self) -> None:
        self.query_one("#page", VerticalScroll).scroll_page_down(animate=False)

    async def _next(self, message: str = "") -> None:
        self._choosing = False
        self._area = None
        self._message = message
        await self._fit_line()
        self._redraw()
        self.query_one("#page", VerticalScroll).scroll_home(animate=False)

    def _redraw(self) -> bool:
        self._draw_all()
        return True
