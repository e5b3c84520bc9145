"""What holds of every calculator's usual mistakes, for the tests of each."""

from __future__ import annotations

from typing import Any

from quiz.calculators.base import run


def check_slips(calculator: Any, rows: Any) -> None:
    """Every slip shows on one of `rows` and is apart from the right value there; every output has its worked line."""
    seen: set[tuple[str, str]] = set()
    lines: set[str] = set()
    for row in rows:
        result = run(calculator, row)
        for output, right in result.outputs.items():
            for slip, wrong in result.slips(output):
                seen.add((output, slip.name))
                assert wrong != right
                assert all(slip.about)
            if result.worked(output):
                lines.add(output)
            else:
                assert right is None or right == ""
    assert seen == {(slip.output, slip.name) for slip in calculator.slips}
    assert lines == {output.name for output in calculator.outputs}


def slips(calculator: Any, output: str, **given: Any) -> dict[str, Any]:
    """The usual mistakes in `output` for these inputs, by name."""
    return {slip.name: value for slip, value in run(calculator, given).slips(output)}
