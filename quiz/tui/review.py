"""The review on a screen: question, answer, verdict, grade, next card, with the keyboard alone or the mouse."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Static

from quiz.errors import QuizError
from quiz.tui import keys as key_rows
from quiz.tui import view
from quiz.tui.frame import KeyRow, Rule
from quiz.tui.stages import keys_of
from quiz.tui.text import Page, Part, Prose, plain

if TYPE_CHECKING:
    from quiz.desk import Desk
    from quiz.tui.answer_area import AnswerArea
    from quiz.tui.answer_line import AnswerLine

FULL_WIDTH = {chr(ord("０") + n): str(n) for n in range(10)} | {"\u3000": " ", "？": "?"}
SCROLLING = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -100_000, "end": 100_000}
COMMANDS = "hsbxunflq? "


class ReviewScreen(Screen[None]):
    """One sitting. Its stage follows from the study: number, open, typing, points, grade, remark, done, help."""

    AUTO_FOCUS = ""
    burst_s = 0.15

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.study = desk.study
        self._choosing = False
        self._helping = False
        self._typing = False
        self._stale = False
        self._message = ""
        self._remark: str | None = None
        self._line: AnswerLine | None = None
        self._area: AnswerArea | None = None
        self._typed_early: list[str] = []
        self._waiting: tuple[str, Timer] | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="title")
        yield Rule()
        with VerticalScroll(id="page", can_focus=False):
            yield Page(id="question")
            yield Static(id="gap")
            yield Horizontal(Static(plain("❯ "), id="prompt"), id="line")
            yield Horizontal(id="area")
            yield Static(id="echo")
            yield Page(id="rest")
        yield Rule()
        yield KeyRow()

    def on_mount(self) -> None:
        self._draw_all()
        self.call_after_refresh(self._make_ready)

    def on_screen_resume(self) -> None:
        self._draw_all()

    def on_resize(self) -> None:
        self._draw_all()
        self.call_after_refresh(self._keep_in_sight)

    async def _make_ready(self) -> None:
        """What the first frame does not need: the answer line, and the reader behind it."""
        from quiz.tui.answer_line import AnswerLine

        self._line = AnswerLine(is_command=self._is_command)
        await self.query_one("#line").mount(self._line)
        self._draw_all()
        early, self._typed_early = self._typed_early, []
        for character in early:
            if self.stage == "number" and (self._line.value or character not in COMMANDS):
                self._line.insert_text_at_cursor(character)
            else:
                await self._press(character)

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
            return "number" if asked.drawn is not None else "typing" if self._typing else "open"
        if asked.drawn is None and asked.card.key_points and not self._choosing:
            return "points"
        return "grade"

    # Drawing

    def _draw_all(self) -> None:
        width = max(10, self.size.width - 2)
        self.query_one("#title", Static).update(view.title(self.desk, self.study.asked, width))
        self._draw_page()
        self._draw_echo()
        self._draw_keys(width)
        self._focus_what_is_typed_into()

    def _draw_page(self) -> None:
        question, rest = self.query_one("#question", Page), self.query_one("#rest", Page)
        asked, stage = self.study.asked, self.stage
        self.query_one("#line").display = stage in ("number", "remark")
        self.query_one("#area").display = stage == "typing"
        self.query_one("#gap").display = stage != "done"
        message: list[Part] = [Part(self._message, style="italic"), Part()] if self._message else []
        below: list[Part] = []
        if stage == "help":
            question.show(Prose(self.desk.say("screen.help")))
        elif asked is None:
            from quiz.today import summary_lines

            question.show(*message, *(Part(line) for line in summary_lines(self.desk)))
        else:
            question.show(*message, Prose(self.desk.words(asked.question)))
            below = view.below(self.desk, asked, stale=self._stale, width=self.size.width - 3)
        rest.show(*below)

    def _draw_echo(self) -> None:
        echo, asked = self.query_one("#echo", Static), self.study.asked
        words = ""
        if self.stage == "number" and asked is not None and asked.card.numeric is not None:
            unit = asked.card.numeric.unit
            if self._line is not None and self._line.value.strip():
                from quiz.quantity import echo as read_back

                words = read_back(self._line.value, unit or None, self.desk.language)
            elif unit:
                words = self.desk.say("screen.answer_in", unit=unit)
        echo.update(plain(words))
        echo.display = bool(words)

    def _draw_keys(self, width: int) -> None:
        row = self.query_one("#keys", Static)
        if self.stage == "grade":
            say, days = self.desk.say, self.study.intervals()
            words = [say(f"screen.grade_{n}") for n in range(6)]
            shown = [say("review.days", days=day) if day else "–" for day in days]
            takes = say("screen.enter_takes") if any(days) else say("screen.schedule_stays")
            row.update(key_rows.grades(words, shown, self.study.proposed(), width, takes))
        else:
            row.update(key_rows.row(keys_of(self.desk, self.stage, self._remark, width), width))

    def _focus_what_is_typed_into(self) -> None:
        stage = self.stage
        wanted = self._line if stage in ("number", "remark") else self._area if stage == "typing" else None
        if self.focused is not wanted:
            self.set_focus(wanted)

    def _keep_in_sight(self) -> None:
        """Long text on a short screen: what is typed, then the verdict or the points, come to the top of the page."""
        page, stage = self.query_one("#page", VerticalScroll), self.stage
        above = self.query_one("#question", Page).height_at(self.size.width - 3) + 1
        asked = self.study.asked
        if stage == "typing" or (stage in ("number", "remark") and self._line is not None and self._line.value):
            if above + 2 > page.size.height or (asked is not None and asked.verdict is not None):
                page.scroll_to(y=above, animate=False)
        elif stage in ("points", "grade") and above > page.size.height // 2:
            page.scroll_to(y=above, animate=False)

    def _is_command(self, character: str) -> bool:
        return self.stage == "number" and (
            self._waiting is not None or FULL_WIDTH.get(character, character) in COMMANDS
        )

    def on_input_changed(self) -> None:
        if self.stage == "number":
            if not self._stale:
                # Only what could not be read goes from the page, and only once: the rest does not follow the typing.
                self._stale = True
                self._draw_page()
            self._draw_echo()
            self.call_after_refresh(self._keep_in_sight)

    async def on_input_submitted(self, event: Any) -> None:
        event.stop()
        await self._settle()
        await self._press("enter")
        self._let_type()

    # Keys

    async def on_key(self, event: events.Key) -> None:
        name = FULL_WIDTH.get(event.character or "", event.character or "") or event.key
        printable, stage = event.character is not None and event.is_printable, self.stage
        if event.key in SCROLLING and stage != "typing":
            self.query_one("#page", VerticalScroll).scroll_relative(y=SCROLLING[event.key], animate=False)
            event.stop()
        elif self._line is None and stage == "number" and printable:
            self._typed_early.append(name)
            event.stop()
        elif printable and self._type_into(stage, event.character or ""):
            event.stop()
        elif stage in ("open", "number") and printable and name not in " ?":
            event.stop()
            await self._letter(event.character or "", name)
        else:
            await self._settle()
            if await self._press(event.key if event.key in ("enter", "escape") else name):
                event.stop()
                event.prevent_default()
        self._let_type()

    def _type_into(self, stage: str, character: str) -> bool:
        """Keys that were under way while what is typed into took the focus arrive here instead: none is lost."""
        if stage == "typing" and self._area is not None:
            self._area.insert(character)
        elif stage == "remark" and self._line is not None:
            self._line.insert_text_at_cursor(character)
        else:
            return False
        return True

    async def on_paste(self, event: events.Paste) -> None:
        """A paste on an open question is an answer, and so is one that arrives before the area has the focus."""
        if self.stage == "open":
            event.stop()
            await self._start_typing(event.text)
        elif self.stage == "typing" and self._area is not None and self.focused is not self._area:
            event.stop()
            self._area.insert(event.text)

    def _let_type(self) -> None:
        """The command that the answer line passed on is done: what comes now is typed into it again."""
        if self._line is not None and self._waiting is None:
            self._line.passing = False

    async def _letter(self, character: str, name: str) -> None:
        """A letter on a question: a key if it stays alone for a moment, the beginning of an answer if not.

        A learner in a hurry types "because …" without asking for the answer area first; b must not put the card off.
        """
        waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting[0] != name:
            waiting[1].stop()
            await self._begin(waiting[0] + character)
        elif name not in COMMANDS:
            # Also an input method's words: the learner is answering.
            await self._begin(character)
        elif self.burst_s == 0 or waiting is not None:
            if waiting is not None:
                waiting[1].stop()
                await self._press(name)
            await self._press(name)
        else:
            self._waiting = (name, self.set_timer(self.burst_s, self._settle))

    async def _begin(self, text: str) -> None:
        if self.stage == "number" and self._line is not None:
            self._line.insert_text_at_cursor(text)
        elif self.stage == "open":
            await self._start_typing(text)

    async def _settle(self) -> None:
        """The letter that waited for company stayed alone: it was a key."""
        if self._waiting is not None:
            name, timer = self._waiting
            self._waiting = None
            timer.stop()
            await self._press(name)
            self._let_type()

    async def action_press(self, key: str) -> None:
        """What a click on a key's label does: the same as the key."""
        await self._press({"space": " ", "question_mark": "?"}.get(key, key))

    async def _press(self, key: str) -> bool:
        """Do what `key` means in this stage; False if it means nothing. What the record refuses is told, nothing is lost."""
        try:
            return await self._do(key)
        except QuizError as error:
            self._message = self.desk.words(error.text)
            return self._redraw()

    async def _do(self, key: str) -> bool:
        stage = self.stage
        if stage == "help":
            self._helping = False
            return self._redraw()
        if key == "escape":
            return self._escape()
        if stage in ("remark", "typing"):
            if key == "enter":
                await self._enter()
            return key == "enter"
        if stage == "grade" and len(key) == 1 and key in "012345":
            return self._grade(int(key))
        if stage == "points" and len(key) == 1 and key in "0123456789":
            return self._point(int(key))
        does = self._commands(stage).get(key)
        if does is None:
            return False
        done = does()
        if inspect.isawaitable(done):
            await done
        return True

    def _commands(self, stage: str) -> dict[str, Callable[[], Any]]:
        commands: dict[str, Callable[[], Any]] = {
            "enter": self._enter,
            "u": self._undo,
            "l": self.switch_language,
            "?": self._help,
            "q": self._quit,
        }
        asked = self.study.asked
        if asked is None:
            return commands
        commands |= {"n": lambda: self._start_remark("note"), "f": lambda: self._start_remark("flag")}
        commands |= {"x": lambda: self._aside("suspend"), "b": lambda: self._aside("bury")}
        if stage in ("number", "open"):
            return commands | {" ": self._reveal, "h": self._hint, "s": lambda: self._aside("skip")}
        if asked.drawn is not None:
            commands["k"] = self._what_if
        return commands | {" ": self._page_down}

    async def _enter(self) -> None:
        stage = self.stage
        if stage == "number":
            text = self._line.value if self._line is not None else ""
            if text.strip():
                self._check(text)
            else:
                self._say("screen.empty_line")
        elif stage == "open":
            await self._start_typing("")
        elif stage == "typing" and self._area is not None:
            self._typing = False
            self.study.reveal(self._area.text)
            self._after_reveal()
        elif stage == "remark":
            self._save_remark()
        elif stage == "points" and self.study.asked is not None and not self.study.asked.ticked:
            self._point(0)
        elif stage in ("points", "grade"):
            self._grade(self.study.proposed())
        elif stage == "done":
            self._quit()

    def _escape(self) -> bool:
        if self.stage == "typing":
            self._typing = False
        elif self._remark is not None:
            self._remark = None
            self._empty_line()
        elif self._choosing:
            self._choosing = False
        elif self.stage == "number" and self._line is not None and self._line.value:
            self._empty_line()
        else:
            return False
        return self._redraw()

    # What the keys do

    def _check(self, text: str) -> None:
        self._message = ""
        self.study.check(text)
        self._stale = False
        if self.study.asked is not None and self.study.asked.revealed:
            self._after_reveal()
        else:
            self._redraw()
            self.call_after_refresh(self._keep_in_sight)

    def _reveal(self) -> None:
        self.study.reveal()
        self._after_reveal()

    def _after_reveal(self) -> None:
        self._message = ""
        self._empty_line()
        self._redraw()
        self.call_after_refresh(self._keep_in_sight)

    def _grade(self, grade: int) -> bool:
        self.study.grade(grade, language=self.desk.language)
        self._next()
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

    def _aside(self, what: str) -> None:
        card = self.study.asked.card.id if self.study.asked else ""
        {"skip": self.study.skip, "bury": self.study.bury, "suspend": self.study.suspend}[what]()
        self._next(self.desk.say(f"screen.did_{what}", card=card))

    def _undo(self) -> None:
        undone = self.study.undo()
        if undone is None:
            self._say("record.nothing_to_undo")
            return
        what = self.desk.say(f"record.kind_{undone.kind}")
        self._next(self.desk.say("review.undone", what=what, card=undone.card))

    async def _start_typing(self, text: str) -> None:
        self._typing = True
        if self._area is None:
            from quiz.tui.answer_area import AnswerArea

            # Mounted once and only hidden afterwards: a text area that is removed while it is drawn loses its colours.
            self._area = AnswerArea()
            await self.query_one("#area").mount(self._area)
        self._area.load_text(text)
        self._area.move_cursor(self._area.document.end)
        self._area.styles.height = max(3, min(6, self.query_one("#page").size.height - 2))
        self._redraw()
        self.call_after_refresh(self._keep_in_sight)

    def _start_remark(self, kind: str) -> None:
        asked = self.study.asked
        if asked is None or self._line is None:
            return
        self._remark = kind
        self._line.value = asked.progress.note if kind == "note" else asked.progress.flag or ""
        self._line.cursor_position = len(self._line.value)
        self._redraw()
        self.call_after_refresh(self._keep_in_sight)

    def _save_remark(self) -> None:
        asked, kind = self.study.asked, self._remark
        if asked is None or self._line is None:
            return
        text, self._remark = self._line.value, None
        if kind == "note":
            self.study.note(asked.card.id, text)
        elif text.strip() or asked.progress.flag is None:
            self.study.flag(asked.card.id, text)
        else:
            self.study.unflag(asked.card.id)
        self._empty_line()
        self._say(f"screen.kept_{kind}")
        self.query_one("#page", VerticalScroll).scroll_home(animate=False)

    def switch_language(self) -> None:
        """The other language, in place; nothing typed is lost."""
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
        self.query_one("#page", VerticalScroll).scroll_home(animate=False)

    def _quit(self) -> None:
        self.app.action_leave()  # type: ignore[attr-defined]

    def _page_down(self) -> None:
        self.query_one("#page", VerticalScroll).scroll_page_down(animate=False)

    def _next(self, message: str = "") -> None:
        self._choosing = self._typing = self._stale = False
        self._message = message
        self._empty_line()
        self._redraw()
        self.query_one("#page", VerticalScroll).scroll_home(animate=False)

    def _say(self, key: str) -> None:
        self._message = self.desk.say(key)
        self._redraw()

    def _empty_line(self) -> None:
        if self._line is not None:
            self._line.value = ""

    def _redraw(self) -> bool:
        self._draw_all()
        return True
