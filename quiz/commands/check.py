"""Commands that check: an answer, a calculation, deck files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quiz import calculators
from quiz.calculators.base import Calculator, run
from quiz.desk import Desk
from quiz.errors import BadInput, QuizError
from quiz.language import say
from quiz.places import user_path
from quiz.terminal import columns, print_json, safe

if TYPE_CHECKING:
    from quiz.card import Card


def answer(desk: Desk, name: str, text: str, seed: int | None, assignments: list[str], json: bool) -> int:
    from quiz import draw as drawing
    from quiz.checking import check_drawn, right_value
    from quiz.grading import Attempt, answered, propose
    from quiz.sheet import prose_lines

    card = desk.library.card(name)
    if card.numeric is None:
        return _open_answer(desk, card, text, assignments, json)
    seed = seed if seed is not None else desk.rng.getrandbits(32)
    drawn = drawing.fixed(card, parse(assignments), seed) if assignments else drawing.draw(card, seed)
    verdict = check_drawn(text, drawn, card.numeric)
    attempt = answered(Attempt(), verdict.verdict, slip_named=bool(verdict.slips))
    if json:
        print_json(
            {
                "card": card.id,
                "inputs": dict(drawn.inputs),
                "seed": drawn.seed,
                "expected": {"value": drawn.expected, "unit": drawn.unit},
                "read": {"value": verdict.read.value, "unit": verdict.read.unit} if verdict.read else None,
                "verdict": verdict.verdict,
                "reason": desk.words(verdict.reason),
                "slips": [desk.words(slip) for slip in verdict.slips],
                "grade": propose(attempt) if verdict.verdict != "unreadable" else None,
            }
        )
    else:
        for line in prose_lines(desk.words(drawing.question(card, drawn))):
            print(line)
        print(desk.words(verdict.reason))
        for slip in verdict.slips:
            print(desk.words(slip))
        if verdict.verdict == "incorrect":
            right = right_value(drawn, card.numeric, desk.language)
            print(desk.say("review.right_value", value=right))
            print(drawn.worked(card.numeric.asks))
    return 0 if verdict.verdict == "correct" else 1


def _open_answer(desk: Desk, card: Card, text: str, assignments: list[str], json: bool) -> int:
    """Which key points are found in an answer to an open question; exit status 1 unless all are."""
    from quiz.grading import propose_points
    from quiz.quotes import quotes
    from quiz.rubric import Rubric
    from quiz.sheet import found_lines
    from quiz.terms import Glossary

    if assignments:
        raise BadInput(say("cli.set_numeric_only"))
    if not card.key_points:
        raise BadInput(say("cli.no_key_points", card=card.id))
    reading = Rubric(card, Glossary(desk.library.glossary)).read(text)
    grade = propose_points(len(reading.proposed), len(card.key_points))
    if json:
        points = [
            {
                "point": desk.words(point.text),
                "outcome": finding.outcome,
                "quotes": list(quotes(text, reading, n)),
            }
            for n, (point, finding) in enumerate(zip(card.key_points, reading.findings, strict=True))
        ]
        print_json({"card": card.id, "points": points, "flags": list(reading.flags), "grade": grade})
    else:
        for line in found_lines(desk, card, text, reading):
            print(line)
    return 0 if len(reading.proposed) == len(card.key_points) else 1


def parse(assignments: list[str]) -> dict[str, str]:
    """`name=value` texts as a dict. BadInput for one without a name or an equals sign."""
    given: dict[str, str] = {}
    for text in assignments:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise BadInput(say("cli.bad_assignment", text=text))
        given[name.strip()] = value.strip()
    return given


def calc(desk: Desk, name: str, assignments: list[str], config: str | None, screen: bool, json: bool) -> int:
    if screen:
        return _on_screen(desk, name, assignments, config)
    if not name:
        return _list(desk, json)
    calculator = calculators.find(name)
    given: dict[str, Any] = _configured(calculator, config) if config is not None else {}
    given |= parse(assignments)
    if not given and any(field.required for field in calculator.inputs):
        return _describe(desk, calculator, json)
    result = run(calculator, given)
    # Constant outputs without a formula say themselves.
    formulas = [f"{o.name} = {o.formula}" for o in calculator.outputs if o.formula]
    worked = [line for o in calculator.outputs if o.name in result.outputs and (line := result.worked(o.name))]
    if json:
        print_json(
            {
                "calculator": calculator.name,
                "inputs": {k: v for k, v in result.inputs.items() if v is not None},
                "outputs": {
                    o.name: {"value": result.outputs[o.name], "unit": o.unit}
                    for o in calculator.outputs
                    if result.outputs.get(o.name) is not None
                },
                "formula": "\n".join(formulas),
                "worked": "\n".join(worked),
            }
        )
        return 0
    from quiz.number_show import show

    rows = []
    for output in calculator.outputs:
        value = result.outputs.get(output.name)
        if value is not None:
            shown = value if isinstance(value, str) else show(value, output.unit, desk.language)
            rows.append([output.name, shown, desk.words(output.about)])
    used = [f"{name}={value}" for name, value in result.inputs.items() if value is not None]
    for line in (" ".join(used), "", *columns(rows), "", *formulas, "", *worked):
        print(line)
    if calculator.convention:
        print("\n" + desk.words(calculator.convention))
    for source in calculator.sources:
        print(f"{source.title}  {source.url}")
    return 0


def _on_screen(desk: Desk, name: str, assignments: list[str], config: str | None) -> int:
    from quiz.commands.start import has_screen
    from quiz.tui import calculate

    if not has_screen(desk):
        raise BadInput(say("cli.no_screen"))
    given: dict[str, Any] = parse(assignments)
    if name:
        calculator = calculators.find(name)
        given = (_configured(calculator, config) if config is not None else {}) | given
        for each in given:
            calculator.input(each)
    return calculate(desk, name, given)


def _configured(calculator: Calculator, path: str) -> dict[str, Any]:
    """What a model's config.json fills of the calculator's inputs. BadInput if it cannot be read or counted."""
    import json

    from quiz.calculators.model_config import shape

    try:
        document = json.loads(user_path(path).read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or "JSON"
        raise BadInput(say("calculator.config_unreadable", path=path, why=why)) from error
    if not isinstance(document, dict):
        raise BadInput(say("calculator.config_unreadable", path=path, why="JSON"))
    return dict(shape(document, {field.name for field in calculator.inputs}))


def _list(desk: Desk, json: bool) -> int:
    known = [calculators.find(name) for name in calculators.names()]
    if json:
        print_json({"calculators": [_described(c) for c in known]})
        return 0
    for line in columns([[c.name, desk.words(c.title)] for c in known]):
        print(line)
    return 0


def _describe(desk: Desk, calculator: Calculator, json: bool) -> int:
    if json:
        print_json(_described(calculator))
        return 0
    print(f"{calculator.name}  {desk.words(calculator.title)}")
    rows = []
    for field in calculator.inputs:
        can_be = ", ".join(field.choices) if field.choices else f"{field.low:,}–{field.high:,} {field.unit}".strip()
        default = (
            desk.say("review.required") if field.required else "" if field.default is None else f"= {field.default}"
        )
        rows.append([f"  {field.name}", default, desk.words(field.about), can_be])
    for line in (
        *columns(rows),
        *columns([[f"  → {o.name}", o.unit, desk.words(o.about)] for o in calculator.outputs]),
    ):
        print(line)
    return 0


def _described(calculator: Calculator) -> dict[str, Any]:
    return {
        "calculator": calculator.name,
        "title": {"en": calculator.title.en, "zh": calculator.title.zh},
        "inputs": {
            f.name: {
                "kind": f.kind,
                "unit": f.unit,
                "low": f.low,
                "high": f.high,
                "choices": list(f.choices),
                "default": f.default,
                "required": f.required,
            }
            for f in calculator.inputs
        },
        "outputs": {o.name: {"unit": o.unit, "formula": o.formula} for o in calculator.outputs},
    }


def lint(desk: Desk, paths: list[str], json: bool) -> int:
    from quiz.library import shipped_decks
    from quiz.lint import lint_paths

    chosen = [user_path(path) for path in paths]
    for path in chosen:
        if not path.exists():
            raise QuizError.of("cli.no_such_path", path=path)
    problems = lint_paths(chosen or [folder for folder in (shipped_decks(), desk.places.decks) if folder.exists()])
    errors = [problem for problem in problems if problem.severity == "error"]
    if json:
        print_json(
            {
                "problems": [
                    {
                        "path": p.path,
                        "line": p.line,
                        "column": p.column,
                        "card": p.card,
                        "field": p.field,
                        "text": desk.words(p.text),
                        "severity": p.severity,
                    }
                    for p in problems
                ]
            }
        )
    else:
        for problem in problems:
            print(safe(problem.say(desk.language)))
        print(desk.say("review.lint", errors=len(errors), warnings=len(problems) - len(errors)))
    return 1 if errors else 0
