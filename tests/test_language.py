"""The catalogue: every sentence in both languages, nothing said outside of it."""

from __future__ import annotations

import ast
import itertools
import pkgutil
import re
import string
from pathlib import Path

import pytest

import quiz.language
from quiz.language import Text, say, words

PACKAGE = Path(quiz.language.__file__).parent.parent
SECTIONS = [module.name for module in pkgutil.iter_modules(quiz.language.__path__)]
KEYS = [(section, name) for section in SECTIONS for name in words(section)]
CHINESE = re.compile(r"[\u4e00-\u9fff]")
SAME_IN_BOTH = {("screen", "counts_narrow"), ("screen", "other_language")}


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


@pytest.mark.parametrize(("section", "name"), KEYS, ids=lambda part: str(part))
def test_sentence_is_whole_in_both_languages(section: str, name: str) -> None:
    text = words(section)[name]
    assert text.en.strip()
    assert text.zh.strip()
    assert fields(text.en) == fields(text.zh)
    if (section, name) not in SAME_IN_BOTH:
        assert not CHINESE.search(re.sub("中文|[万亿]", "", text.en))
        worded = re.sub(r"[{].*?[}]", "", text.en)
        if re.search(r"[a-z]{3} [a-z]{2}", worded):
            assert CHINESE.search(text.zh), text.zh


def keys_said() -> set[str]:
    """Every key that the program names literally, as say("section.name"), self.desk.say(…) or QuizError.of(…)."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                continue
            if re.fullmatch(r"[a-z]+\.[a-z][a-z_0-9]*", node.value) and node.value.split(".")[0] in SECTIONS:
                found.add(node.value)
    return found


def test_every_key_said_is_in_the_catalogue() -> None:
    known = {f"{section}.{name}" for section, name in KEYS}
    for key in keys_said() - {"settings.json"}:
        assert key in known or (key.endswith("_") and any(name.startswith(key) for name in known)), key


def literal(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def pairs_languages(node: ast.Call | ast.Tuple, path: Path) -> bool:
    """Calculators declare inputs and slips through helpers that take the English and the Chinese words."""
    parts = node.args if isinstance(node, ast.Call) else node.elts
    words = ["".join(piece.value for piece in ast.walk(part) if literal(piece)) for part in parts]
    return path.parent.name == "calculators" and any(
        CHINESE.search(second) and not CHINESE.search(first) and re.search("[A-Za-z]", first)
        for first, second in itertools.pairwise(words)
    )


def test_no_chinese_outside_of_catalogue_and_calculators() -> None:
    """A sentence in one language only can hide nowhere: Chinese literals stand in Text(en, zh) or in the catalogue."""
    reading = {"units", "quantity", "formula", "canonical", "clauses", "negation", "flags", "prose", "layout", "texts"}
    for path in PACKAGE.rglob("*.py"):
        if path.parent.name == "language" or path.stem in reading or path.stem.startswith("number_"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inside = {
            id(part)
            for node in ast.walk(tree)
            if (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Text")
            or (isinstance(node, ast.Call | ast.Tuple) and pairs_languages(node, path))
            for part in ast.walk(node)
        }
        docstrings = {
            id(node.body[0].value)
            for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and node.body
            if isinstance(node.body[0], ast.Expr)
        }
        loose = [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            if CHINESE.search(node.value) and id(node) not in inside | docstrings
        ]
        assert not loose, (path.name, loose)


def test_text_of_one_language_stands_in_for_the_other() -> None:
    assert Text("only", "").pick("zh") == "only"
    assert Text("", "只有").pick("en") == "只有"


def test_a_text_inside_a_text_takes_its_own_language() -> None:
    filled = Text("{n} of {what}", "{what}的{n}").fill(n=3, what=Text("three", "三"))
    assert filled == Text("3 of three", "三的3")


def test_unknown_key_is_an_error() -> None:
    with pytest.raises(KeyError):
        say("cli.nothing_of_the_kind")
