"""The command line: what can be typed, and how what goes wrong is said.

Bodies live in `quiz.commands` and are imported when their command runs, so that no command pays for another.
Typer evaluates annotations, and those here name local variables: so they are not postponed in this module.
"""

import contextlib
import functools
import io
import itertools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar, cast

import typer
from typer import Argument, Option

from quiz.desk import Desk
from quiz.errors import QuizError
from quiz.language import LANGUAGES, say
from quiz.terminal import safe

JSON = "--json"
Names = list[str] | None
Body = TypeVar("Body", bound=Callable[..., int])


def main(arguments: Sequence[str] | None = None, *, desk: Desk | None = None) -> None:
    """Run one command and exit with its status: 0 fine, 1 a fault was found, 2 unusable input, 130 interrupted."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    _make_streams_safe()
    sys.exit(run(arguments, desk or Desk.of_process()))


def run(arguments: list[str], desk: Desk) -> int:
    """Run one command; returns its exit status and never raises for bad input."""
    try:
        desk.language = spoken(desk.environment, desk.language_setting())
        arguments = [readable(text, before) for before, text in itertools.pairwise(["", *arguments])]
        arguments, asked = without_language(arguments)
        desk.language = asked or desk.language
        status = build(desk)(args=arguments, prog_name="quiz", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except QuizError as error:
        return _complain(error.text.pick(desk.language), error.exit_status)
    except typer._click.exceptions.ClickException as error:
        return _complain(_usage(error, desk.language), 2)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except (BrokenPipeError, _PipeClosed):
        _drop_output()
        return 0
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        return _complain(say("cli.system", why=f"{error.strerror or error}{where}").pick(desk.language), 2)
    except SystemExit as stop:
        # Typer leaves with 1 when nobody reads its help on.
        return 0 if type(sys.stdout).__name__ == "PacifyFlushWrapper" else int(stop.code or 0)


def readable(argument: str, before: str = "") -> str:
    """An argument as text: bytes that are no UTF-8 replaced, and a negative number's sign as the sign of a number.

    A seed (`before` is the argument before this one) may be negative and is no answer: it stays as it is.
    """
    text = argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "−" + text[1:] if text[:1] == "-" and text[1:2].isdecimal() and before != "--seed" else text


def _make_streams_safe() -> None:
    """A closed stream is an empty one, and a character that the terminal cannot show is replaced."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _drop_output() -> None:
    """What is still buffered has no reader any more; without this Python complains about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def without_language(arguments: Sequence[str]) -> tuple[list[str], str | None]:
    """The arguments without `--lang`, wherever it stands before a `--`, and its value. QuizError for an unknown one."""
    left: list[str] = []
    asked: str | None = None
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--":
            left += [argument, *waiting]
        elif argument == "--lang" or argument.startswith("--lang="):
            asked = argument.partition("=")[2] if "=" in argument else next(waiting, "")
            if asked not in LANGUAGES:
                raise QuizError.of("cli.unknown_language", language=asked)
        else:
            left.append(argument)
    return left, asked


def spoken(environment: Mapping[str, str], setting: str) -> str:
    """The language by QUIZ_LANG, then the setting, then the locale; English where none says."""
    for wish in (environment.get("QUIZ_LANG", ""), setting):
        if wish in LANGUAGES:
            return wish
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            return "zh" if environment[name].lower().startswith("zh") else "en"
    return "en"


def build(desk: Desk) -> Any:
    """The command tree, in the desk's language."""

    def words(key: str) -> str:
        return say(f"cli.{key}").pick(desk.language)

    app = typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    def command(name: str) -> Callable[[Body], Body]:
        register = app.command(name, help=words(f"help_{name}"))
        return lambda body: register(_piped(body))

    as_json = Annotated[bool, Option(JSON, help=words("json"))]
    deck_option = Annotated[Names, Option("--deck", "-d", help=words("deck"))]
    company_option = Annotated[Names, Option("--company", "-c", help=words("company"))]
    tag_option = Annotated[Names, Option("--tag", "-t", help=words("tag"))]
    folder_option = Annotated[Names, Option("--decks", help=words("decks"))]
    seed_option = Annotated[int | None, Option("--seed", help=words("seed"))]
    card_argument = Annotated[str, Argument(metavar="CARD", help=words("card"))]

    @app.callback(invoke_without_command=True, help=words("help"))
    def root(
        context: typer.Context,
        version: Annotated[bool, Option("--version", help=words("version"))] = False,
        lang: Annotated[str, Option("--lang", help=words("lang"), metavar="en|zh")] = "",  # noqa: ARG001 - see `run`
    ) -> int:
        if not version and context.invoked_subcommand is not None:
            return 0
        from quiz.commands import start

        return start.version() if version else start.bare(desk)

    @command("review")
    def review(
        deck: deck_option = None,
        company: company_option = None,
        tag: tag_option = None,
        kind: Annotated[Names, Option("--kind", "-k", help=words("kind"))] = None,
        new: Annotated[int | None, Option("--new", min=0, help=words("new"))] = None,
        limit: Annotated[int | None, Option("--limit", min=1, help=words("limit"))] = None,
        cram: Annotated[bool, Option("--cram", help=words("cram"))] = False,
        plain: Annotated[bool, Option("--plain", help=words("plain"))] = False,
        seed: seed_option = None,
        decks: folder_option = None,
    ) -> int:
        from quiz.commands import start

        desk.more_decks(decks)
        return start.review(
            desk, deck, company, tag, kind=kind, new=new, limit=limit, cram=cram, plain=plain, seed=seed
        )

    @command("due")
    def due(
        deck: deck_option = None,
        company: company_option = None,
        tag: tag_option = None,
        decks: folder_option = None,
        json: as_json = False,
    ) -> int:
        from quiz.commands import look

        desk.more_decks(decks)
        return look.due(desk, deck, company, tag, json)

    @command("decks")
    def decks_(decks: folder_option = None, json: as_json = False) -> int:
        from quiz.commands import look

        desk.more_decks(decks)
        return look.decks(desk, json)

    @command("companies")
    def companies(json: as_json = False) -> int:
        from quiz.commands import look

        return look.companies(desk, json)

    @command("cards")
    def cards(
        query: Annotated[str, Argument(metavar="[QUERY]", help=words("query"))] = "",
        deck: deck_option = None,
        company: company_option = None,
        tag: tag_option = None,
        kind: Annotated[str | None, Option("--kind", help=words("kind"))] = None,
        flagged: Annotated[bool, Option("--flagged", help=words("flagged"))] = False,
        decks: folder_option = None,
        json: as_json = False,
    ) -> int:
        from quiz.commands import look

        desk.more_decks(decks)
        return look.cards(desk, query, deck, company, tag, kind, flagged, json)

    @command("show")
    def show(card: card_argument, seed: seed_option = None, decks: folder_option = None, json: as_json = False) -> int:
        from quiz.commands import look

        desk.more_decks(decks)
        return look.show(desk, card, seed, json)

    @command("answer")
    def answer(
        card: card_argument,
        text: Annotated[str, Argument(metavar="TEXT", help=words("text"))],
        seed: seed_option = None,
        set_: Annotated[Names, Option("--set", metavar="NAME=VALUE", help=words("set"))] = None,
        decks: folder_option = None,
        json: as_json = False,
    ) -> int:
        from quiz.commands import check

        desk.more_decks(decks)
        return check.answer(desk, card, text, seed, set_ or [], json)

    @command("calc")
    def calc(
        name: Annotated[str, Argument(metavar="[NAME]", help=words("calculator"))] = "",
        inputs: Annotated[Names, Argument(metavar="[NAME=VALUE]…", help=words("inputs"))] = None,
        config: Annotated[str | None, Option("--config", metavar="FILE", help=words("config_file"))] = None,
        screen: Annotated[bool, Option("--screen", help=words("screen"))] = False,
        json: as_json = False,
    ) -> int:
        from quiz.commands import check

        return check.calc(desk, name, inputs or [], config, screen, json)

    @command("log")
    def log(card: Annotated[str | None, Option("--card", help=words("card"))] = None, json: as_json = False) -> int:
        from quiz.commands import record

        return record.log(desk, card, json)

    @command("why")
    def why(card: card_argument, decks: folder_option = None, json: as_json = False) -> int:
        from quiz.commands import record

        desk.more_decks(decks)
        return record.why(desk, card, json)

    @command("note")
    def note(
        card: card_argument,
        text: Annotated[str | None, Argument(metavar="[TEXT]", help=words("note_text"))] = None,
        decks: folder_option = None,
        json: as_json = False,
    ) -> int:
        from quiz.commands import record

        desk.more_decks(decks)
        return record.note(desk, card, text, json)

    @command("flag")
    def flag(
        card: card_argument,
        text: Annotated[str, Argument(metavar="[TEXT]", help=words("flag_text"))] = "",
        clear: Annotated[bool, Option("--clear", help=words("clear"))] = False,
        decks: folder_option = None,
    ) -> int:
        from quiz.commands import record

        desk.more_decks(decks)
        return record.flag(desk, card, text, clear)

    @command("suspend")
    def suspend(
        card: card_argument,
        clear: Annotated[bool, Option("--clear", help=words("unsuspend"))] = False,
        decks: folder_option = None,
    ) -> int:
        from quiz.commands import record

        desk.more_decks(decks)
        return record.suspend(desk, card, clear)

    @command("undo")
    def undo(decks: folder_option = None) -> int:
        from quiz.commands import record

        desk.more_decks(decks)
        return record.undo(desk)

    @command("verify")
    def verify(
        rebuild: Annotated[bool, Option("--rebuild", help=words("rebuild"))] = False, json: as_json = False
    ) -> int:
        from quiz.commands import record

        return record.verify(desk, rebuild, json)

    @command("backup")
    def backup(
        file: Annotated[str, Argument(metavar="FILE", help=words("backup_file"))],
        force: Annotated[bool, Option("--force", help=words("force"))] = False,
        json: as_json = False,
    ) -> int:
        from quiz.commands import data

        return data.backup(desk, file, force, json)

    @command("restore")
    def restore(
        file: Annotated[str, Argument(metavar="FILE", help=words("backup_file"))], json: as_json = False
    ) -> int:
        from quiz.commands import data

        return data.restore(desk, file, json)

    @command("sync")
    def sync(folder: Annotated[str, Argument(metavar="DIR", help=words("sync_folder"))], json: as_json = False) -> int:
        from quiz.commands import data

        return data.sync(desk, folder, json)

    @command("export")
    def export(
        file: Annotated[str, Argument(metavar="FILE", help=words("export_file"))],
        deck: deck_option = None,
        company: company_option = None,
        tag: tag_option = None,
        decks: folder_option = None,
        force: Annotated[bool, Option("--force", help=words("force"))] = False,
        json: as_json = False,
    ) -> int:
        from quiz.commands import data

        desk.more_decks(decks)
        return data.export(desk, file, deck, company, tag, force, json)

    @command("import")
    def import_(
        file: Annotated[str, Argument(metavar="FILE", help=words("import_file"))],
        as_: Annotated[str, Option("--as", metavar="NAME", help=words("import_as"))] = "",
        history: Annotated[bool, Option("--history", help=words("import_history"))] = False,
        yes: Annotated[bool, Option("--yes", "-y", help=words("yes"))] = False,
        json: as_json = False,
    ) -> int:
        from quiz.commands import data

        return data.import_(desk, file, as_, history, yes, json)

    @command("lint")
    def lint(
        paths: Annotated[Names, Argument(metavar="[PATH]…", help=words("paths"))] = None, json: as_json = False
    ) -> int:
        from quiz.commands import check

        return check.lint(desk, paths or [], json)

    @command("config")
    def config(
        key: Annotated[str, Argument(metavar="[KEY]", help=words("key"))] = "",
        value: Annotated[str | None, Argument(metavar="[VALUE]", help=words("value"))] = None,
        json: as_json = False,
    ) -> int:
        from quiz.commands import record

        return record.config(desk, key, value, json)

    return app


class _PipeClosed(Exception):
    """Nobody reads on. Typer turns a BrokenPipeError into status 1; this passes through it."""


def _piped(body: Body) -> Body:
    @functools.wraps(body)
    def run_body(*arguments: Any, **options: Any) -> int:
        try:
            status = body(*arguments, **options)
            sys.stdout.flush()
            return status
        except BrokenPipeError as error:
            raise _PipeClosed from error

    return cast(Body, run_body)


def _complain(sentence: str, status: int) -> int:
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.flush()
    print(f"quiz: {safe(' '.join(sentence.split()))}", file=sys.stderr)
    return status


def _usage(error: Any, language: str) -> str:
    """A mistake in the command line as one of our own sentences."""
    exceptions = typer._click.exceptions
    command = error.ctx.command_path if getattr(error, "ctx", None) else "quiz"
    if isinstance(error, exceptions.NoSuchOption):
        near = ", ".join(error.possibilities or [])
        key = "cli.no_such_option_near" if near else "cli.no_such_option"
        return say(key, option=error.option_name, near=near, command=command).pick(language)
    if isinstance(error, exceptions.MissingParameter):
        name = error.param.metavar or error.param.name if error.param else ""
        return say("cli.missing_argument", name=name, command=command).pick(language)
    if isinstance(error, exceptions.BadParameter):
        name = error.param.opts[0] if error.param and error.param.opts else ""
        lowest = getattr(getattr(error.param, "type", None), "min", None)
        key = "cli.bad_value" if lowest is None else "cli.bad_number"
        return say(key, name=name, low=lowest, why=error.message, command=command).pick(language)
    unknown = str(error.message).split("'")
    if str(error.message).startswith("No such command") and len(unknown) > 1:
        from quiz.calculators.base import nearest

        names = tuple(error.ctx.command.commands) if error.ctx else ()
        return say("cli.no_such_command", name=unknown[1], near=nearest(unknown[1], names)).pick(language)
    return say("cli.usage", why=error.message, command=command).pick(language)
