"""Dimensions: what a unit measures, as base units with exponents, and when two of them answer the same question.

Hard ones (bytes, operations, seconds, money, energy) have to match. What is counted (tokens, parameters, GPUs, …) is
softer: a "per token" on one side only is left out.
"""

from __future__ import annotations

from quiz.number_vocabulary import NOUNS

Dims = tuple[tuple[str, int], ...]

HARD = ("FLOP", "byte", "USD", "CNY", "J", "s")
TOGETHER = frozenset({"GPU", "node"})


def times(a: Dims, b: Dims, power: int = 1) -> Dims:
    """The dimensions of a·bᵖ, in canonical order."""
    total = dict(a)
    for name, exponent in b:
        total[name] = total.get(name, 0) + power * exponent
    return tuple(sorted(((n, e) for n, e in total.items() if e), key=_order))


def hard(dims: Dims) -> Dims:
    """What is left of `dims` without counted things (tokens, parameters, GPUs, …)."""
    return tuple((name, exponent) for name, exponent in dims if name in HARD)


def canonical(dims: Dims) -> str:
    """`byte/token`, `token/s/GPU`, `GPU·s`, `1/s`, "" for a pure number."""
    above = [name if e == 1 else f"{name}^{e}" for name, e in dims if e > 0]
    below = [name if e == -1 else f"{name}^{-e}" for name, e in dims if e < 0]
    return "/".join(["·".join(above) or "1", *below]) if dims else ""


def from_canonical(unit: str) -> Dims | None:
    """The dimensions of a unit in its canonical form (`byte/token`); None for any that needs reading."""
    above, *below = unit.split("/") if unit else ("1",)
    names = [*(() if above == "1" else above.split("·")), *below]
    if not all(name in HARD or name in NOUNS for name in names):
        return None
    dims: Dims = ()
    for name in names:
        dims = times(dims, ((name, 1),), -1 if name in below else 1)
    return dims if canonical(dims) == unit else None


def relation(typed: Dims, asked: Dims) -> str:
    """How `typed` answers a question for `asked`: "same", "inverse", or "" for another dimension.

    A "per token" that only one side has is left out, and so is what was counted on the way (`70B params × 2 bytes`);
    GPU-days are not days, and two different counted things are not the same.
    """
    if _same(typed, asked):
        return "same"
    wanted = dict(asked)
    turned = any(wanted.get(name) == -e for name, e in typed)
    return "inverse" if turned and _same(times((), typed, -1), asked) else ""


def without_counts(dims: Dims) -> Dims:
    """`dims` without the counted things that were multiplied in on the way to a size, a time or an operation count."""
    if not any(e > 0 for _, e in hard(dims)):
        return dims
    time = _is_time(dims)
    return tuple((n, e) for n, e in dims if n in HARD or e < 0 or (time and n in TOGETHER))


def _same(typed: Dims, asked: Dims) -> bool:
    t, a = dict(typed), dict(asked)
    if hard(typed) != hard(asked):
        counted = [name for name, e in typed if e > 0]
        return asked == (("FLOP", 1),) and not hard(typed) and len(counted) > 1
    extra, missing = set(), set()
    for name in {*t, *a} - set(HARD):
        one, other = t.get(name, 0), a.get(name, 0)
        if one * other < 0:
            return False
        if one != other and one >= 0 and other >= 0:
            if one > other:
                extra.add(name)
            else:
                missing.add(name)
    if extra and missing:
        return False
    return not (_is_time(asked) and (extra | missing) & TOGETHER)


def _is_time(dims: Dims) -> bool:
    return hard(dims) == (("s", 1),)


def _order(item: tuple[str, int]) -> tuple[bool, int, str]:
    # Time comes last among what is multiplied (GPU·s) and first of what is counted (token/s/GPU) below the line.
    name, exponent = item
    if name == "s":
        return (exponent < 0, 50, name)
    return (exponent < 0, HARD.index(name) if name in HARD else 40 if exponent > 0 else 60, name)
