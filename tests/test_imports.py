"""What may import what, and what a command may load."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {"textual", "rich", "rapidfuzz", "yaml", "sqlite_utils", "numpy", "pydantic", "genanki", "zstandard"}

LOADED = """
import json, sys
from quiz.cli import main
sys.argv = ["quiz", *json.loads(sys.argv[1])]
try:
    main()
except SystemExit as stop:
    status = stop.code
print("\\x1e" + json.dumps([status, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def loaded_by(arguments: list[str], home: Path) -> tuple[int, set[str]]:
    environment = {"QUIZ_HOME": str(home), "QUIZ_LANG": "en", "PATH": ""}
    run = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(arguments)], capture_output=True, text=True, env=environment, cwd=ROOT
    )
    assert "\x1e" in run.stdout, run.stderr
    status, modules = json.loads(run.stdout.rpartition("\x1e")[2])
    return status, set(modules)


def test_contracts_hold() -> None:
    from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


@pytest.mark.parametrize(
    ("arguments", "allowed"),
    [
        (["--help"], set()),
        (["--version"], set()),
        (["due", "--json"], set()),
        (["due"], set()),
        (["decks"], set()),
        (["companies"], set()),
        (["why", "pipeline-bubble-share"], set()),
        (["log"], set()),
        (["calc", "pipeline_bubble", "stages=8", "microbatches=32"], set()),
        (["answer", "pipeline-bubble-share", "10%", "--json"], set()),
        (["export", "--help"], set()),
        (["import", "--help"], set()),
        (["nonsense"], set()),
        (["cards", "bubble"], {"rapidfuzz"}),
        (["lint"], {"yaml"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_command_loads_nothing_heavy_that_it_does_not_need(
    arguments: list[str], allowed: set[str], tmp_path: Path
) -> None:
    loaded_by(["due"], tmp_path)  # the first start makes the record and the index
    _, modules = loaded_by(arguments, tmp_path)
    assert modules & HEAVY <= allowed
