"""How much of communication a step hides, and what is left of it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Input, Output, Slip, Values, number
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.slips import again, changed
from quiz.language import Text
from quiz.reference import Reference


def exposed_communication(*, compute: Number, communication: Number, overlap: Number) -> dict[str, Any]:
    """Time of a step that computes for c and communicates for m, a share o of the latter hidden behind compute.

        exposed = m − min(o·m, c)      time = c + exposed, c + m·(1 − o) where compute is long enough to hide it
        efficiency = c/time            speedup = (c + m)/time over no overlap      ceiling = (c + m)/max(c, m)

    Times in s; compute is taken not to slow down while communication runs beside it.

    Source: derived; Korthikanti et al. 2022, §6.3, measures a step with nothing hidden, https://arxiv.org/abs/2205.05198
    """
    c, m = Fraction(compute), Fraction(communication)
    hidden = min(decimal(overlap) * m, c)
    time = c + m - hidden
    return {
        "exposed": plain(m - hidden),
        "time": plain(time),
        "efficiency": plain(c / time),
        "speedup": plain((c + m) / time),
        "ceiling": plain((c + m) / max(c, m)),
    }


IN_FULL = Text("all communication is added, nothing hidden", "通信时间全部加上了，没有隐藏")
PERFECT = Text("all communication is taken to be hidden", "以为通信全部被隐藏")
LONGER = Text("the longer of the two is taken, as with perfect overlap", "只取了两者中较长的，相当于完全重叠")
HIDDEN_FOR_EXPOSED = Text("the hidden share is added, not the exposed one", "加上的是被隐藏的部分，而不是暴露的部分")


def _inverse(i: Values) -> dict[str, Any]:
    return {"overlap": 1 - i.overlap}


EXPOSED_SLIPS = (
    *(
        changed(exposed_communication, output, "in_full", IN_FULL, lambda i: {"overlap": 0} if i.overlap else None)
        for output in ("exposed", "time", "efficiency")
    ),
    *(
        changed(exposed_communication, output, "hidden_for_exposed", HIDDEN_FOR_EXPOSED, _inverse)
        for output in ("exposed", "time", "efficiency", "speedup")
    ),
    Slip("all_hidden", "time", PERFECT, lambda i: i.compute),
    Slip("longer_of_both", "time", LONGER, lambda i: max(i.compute, i.communication)),
    Slip("longer_of_both", "speedup", LONGER, lambda i: again(exposed_communication, "ceiling", i)),
)


def seconds_input(name: str, en: str, zh: str) -> Input:
    """A time in seconds that may be 0."""
    return number(name, Text(en, zh), unit="s", high=1e6)


def _exposed_worked(i: Values, o: Values) -> str:
    hidden = f"min({figures.number(i.overlap)}·{figures.seconds(i.communication)}, {figures.seconds(i.compute)})"
    return f"{figures.seconds(i.communication)} − {hidden} = {figures.seconds(o.exposed)}"


def _ratio(top: str, below: str, value: str) -> Callable[[Values, Values], str]:
    def worked(i: Values, o: Values) -> str:
        both = {
            "c": i.compute,
            "c + m": i.compute + i.communication,
            "t": o.time,
            "max": max(i.compute, i.communication),
        }
        shown = f"{figures.seconds(both[top])}/{figures.seconds(both[below])}"
        return f"{shown} = {figures.number(getattr(o, value))}"

    return worked


EXPOSED_COMMUNICATION = Calculator(
    name="exposed_communication",
    title=Text("Step time with overlap", "重叠后的步时间"),
    inputs=(
        seconds_input("compute", "time of compute c", "计算时间 c"),
        seconds_input("communication", "time of communication m", "通信时间 m"),
        number("overlap", Text("share of communication that is hidden o", "被隐藏的通信比例 o"), high=1),
    ),
    outputs=(
        Output(
            "exposed",
            Text("communication that is not hidden", "没有隐藏的通信时间"),
            "s",
            "m − min(o·m, c)",
            _exposed_worked,
        ),
        Output(
            "time",
            Text("time of the step", "步时间"),
            "s",
            "c + m·(1 − o)",
            lambda i, o: f"{figures.seconds(i.compute)} + {figures.seconds(o.exposed)} = {figures.seconds(o.time)}",
        ),
        Output(
            "efficiency",
            Text("share of the step that computes", "计算占步时间的比例"),
            "",
            "c/time",
            _ratio("c", "t", "efficiency"),
        ),
        Output(
            "speedup",
            Text("against no overlap", "相比不重叠的加速"),
            "",
            "(c + m)/time",
            _ratio("c + m", "t", "speedup"),
        ),
        Output(
            "ceiling",
            Text("most that overlap can give", "重叠的加速上限"),
            "",
            "(c + m)/max(c, m), at most 2",
            _ratio("c + m", "max", "ceiling"),
        ),
    ),
    compute=exposed_communication,
    slips=tuple(when_distinct(exposed_communication, slip) for slip in EXPOSED_SLIPS),
    sources=(
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation, §6.3", "https://arxiv.org/abs/2205.05198"
        ),
    ),
)

CALCULATORS = (EXPOSED_COMMUNICATION,)
