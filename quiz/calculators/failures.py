"""Failures of a large job: how often, how likely to be spared, and how often a checkpoint pays."""

from __future__ import annotations

import math
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, integer, number
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number
from quiz.calculators.slips import changed, times
from quiz.language import Text
from quiz.reference import Reference

HOUR = 3600


def failure_rate(*, units: int, mtbf: Number, duration: Number) -> dict[str, Any]:
    """A job on `units` GPUs (or nodes), any of which stops all of them; mtbf is of one unit.

        job_mtbf = mtbf/units      failures = duration/job_mtbf, expected      no_failure = exp(−failures)

    In s and pure numbers; units fail independently at a constant rate. Measured MTBFs of small jobs are shorter than
    this says (user errors, software), large ones follow it.
    Source: The Llama 3 Herd of Models, §3.3.4 (419 unexpected interruptions in 54 days on 16,384 GPUs),
    https://arxiv.org/abs/2407.21783
    """
    job = mtbf / units
    return {"job_mtbf": job, "failures": duration / job, "no_failure": math.exp(-duration / job)}


def checkpoint_interval(*, save: Number, mtbf: Number, units: int, restart: Number) -> dict[str, Any]:
    """How often to save a checkpoint that takes `save` seconds, for a job whose unit fails every `mtbf` seconds.

        job_mtbf M = mtbf/units
        interval = √(2·save·M)                                           Young's, the usual answer
        interval_daly = √(2·save·M)·(1 + √(save/(2M))/3 + save/(2M)/9) − save      Daly's, M where save ≥ 2M
        overhead = save/interval + (interval/2 + restart)/M              lost share of the time at Young's interval

    In s and a share; `units` is 1 where mtbf is already the job's. `save` is what training stands still for: with
    asynchronous saving only the copy to host memory. On average half an interval of work is lost with each failure.
    Sources: Robustness of the Young/Daly formula, https://hal.inria.fr/hal-02514107; Daly 2006 has further terms
    """
    job = mtbf / units
    young = math.sqrt(2 * save * job)
    share = save / (2 * job)
    daly = job if save >= 2 * job else young * (1 + math.sqrt(share) / 3 + share / 9) - save
    return {
        "job_mtbf": job,
        "interval": young,
        "interval_daly": daly,
        "overhead": save / young + (young / 2 + restart) / job,
    }


def _long(seconds: float) -> str:
    """A time as one says it: minutes, hours or days."""
    for name, size in (("d", 24 * HOUR), ("h", HOUR), ("min", 60)):
        if seconds >= 2 * size:
            return f"{figures.number(seconds / size)} {name}"
    return figures.seconds(seconds)


UNIT_FOR_JOB = Text("one GPU's time between failures is taken for the job's", "把单卡的 MTBF 当成了整个作业的")
TIMES_UNITS = Text("it is multiplied by the number of GPUs, not divided", "乘了卡数，应当除以卡数")
NO_TWO = Text("the 2 under the root is missing", "根号里漏了系数 2")
MEAN = Text("the time between failures itself is given", "直接取了平均故障间隔")

UNITS = integer("units", Text("GPUs or nodes", "GPU（或节点）数"), high=10**8)
MTBF = number(
    "mtbf",
    Text("mean time between failures of one of them", "单个 GPU（或节点）的平均故障间隔"),
    unit="s",
    low=1,
    high=1e15,
)

JOB_MTBF = Output(
    "job_mtbf",
    Text("mean time between failures of the job", "作业的平均故障间隔"),
    "s",
    "mtbf/units",
    lambda i, o: f"{_long(i.mtbf)}/{i.units:,} = {_long(o.job_mtbf)}",
)

FAILURE_RATE = Calculator(
    name="failure_rate",
    title=Text("Failures of a job", "作业的故障率"),
    inputs=(UNITS, MTBF, number("duration", Text("how long the job runs", "作业运行时长"), unit="s", high=1e12)),
    outputs=(
        JOB_MTBF,
        Output(
            "failures",
            Text("failures to be expected", "预期故障次数"),
            "",
            "duration·units/mtbf",
            lambda i, o: f"{_long(i.duration)} / {_long(o.job_mtbf)} = {figures.number(o.failures)}",
        ),
        Output(
            "no_failure",
            Text("chance of none", "一次都不发生的概率"),
            "",
            "exp(−failures)",
            lambda _, o: f"exp(−{figures.number(o.failures)}) = {figures.percent(o.no_failure)}",
        ),
    ),
    compute=failure_rate,
    convention=Text(
        "independent failures at a constant rate; one stops the whole job",
        "故障相互独立、速率恒定；任一故障都会停掉整个作业",
    ),
    slips=tuple(
        when_distinct(failure_rate, slip)
        for slip in (
            Slip("of_one_unit", "job_mtbf", UNIT_FOR_JOB, lambda i: i.mtbf),
            Slip("times_units", "job_mtbf", TIMES_UNITS, lambda i: i.mtbf * i.units),
            changed(
                failure_rate, "failures", "of_one_unit", UNIT_FOR_JOB, lambda i: {"units": 1} if i.units > 1 else None
            ),
            Slip(
                "one_minus",
                "no_failure",
                Text("the chance of a failure is given, not of none", "给的是发生故障的概率"),
                lambda i: 1 - failure_rate(**vars(i))["no_failure"],
            ),
            changed(
                failure_rate, "no_failure", "of_one_unit", UNIT_FOR_JOB, lambda i: {"units": 1} if i.units > 1 else None
            ),
        )
    ),
    sources=(Reference("The Llama 3 Herd of Models, §3.3.4", "https://arxiv.org/abs/2407.21783"),),
)

CHECKPOINT_INTERVAL = Calculator(
    name="checkpoint_interval",
    title=Text("How often to save a checkpoint", "checkpoint 间隔"),
    inputs=(
        number("save", Text("time that saving stops training", "保存时训练停顿的时间"), unit="s", low=1e-3, high=1e9),
        MTBF,
        integer(
            "units",
            Text("GPUs or nodes (1 if mtbf is the job's)", "GPU（或节点）数（mtbf 已是作业的则为 1）"),
            high=10**8,
            default=1,
        ),
        number("restart", Text("time to be running again", "恢复运行所需时间"), unit="s", high=1e9, default=0),
    ),
    outputs=(
        JOB_MTBF,
        Output(
            "interval",
            Text("interval by Young", "间隔（Young）"),
            "s",
            "√(2·save·M)",
            lambda i, o: f"√(2·{_long(i.save)}·{_long(o.job_mtbf)}) = {_long(o.interval)}",
        ),
        Output(
            "interval_daly",
            Text("interval by Daly", "间隔（Daly）"),
            "s",
            "√(2·save·M)·(1 + √(save/(2M))/3 + save/(2M)/9) − save",
            lambda i, o: (
                f"{_long(o.interval)}·(1 + √({figures.number(i.save / (2 * o.job_mtbf))})/3 + "
                f"{figures.number(i.save / (2 * o.job_mtbf))}/9) − {_long(i.save)} = {_long(o.interval_daly)}"
                if i.save < 2 * o.job_mtbf
                else f"M = {_long(o.interval_daly)}"
            ),
        ),
        Output(
            "overhead",
            Text("share of the time that is lost", "损失的时间占比"),
            "",
            "save/interval + (interval/2 + restart)/M",
            lambda i, o: (
                f"{_long(i.save)}/{_long(o.interval)} + ({_long(o.interval)}/2 + {_long(i.restart)})/{_long(o.job_mtbf)} = "
                f"{figures.percent(o.overhead)}"
            ),
        ),
    ),
    compute=checkpoint_interval,
    convention=Text(
        "time of training between two saves, by Young; Daly's is beside it",
        "指两次保存之间的训练时间（Young）；旁边列出 Daly 的结果",
    ),
    slips=tuple(
        when_distinct(checkpoint_interval, slip)
        for slip in (
            Slip("of_one_unit", "job_mtbf", UNIT_FOR_JOB, lambda i: i.mtbf),
            changed(
                checkpoint_interval,
                "interval",
                "of_one_unit",
                UNIT_FOR_JOB,
                lambda i: {"units": 1} if i.units > 1 else None,
            ),
            times(checkpoint_interval, "interval", "no_two", NO_TWO, lambda _: math.sqrt(0.5)),
            Slip("mean", "interval", MEAN, lambda i: i.mtbf / i.units),
            Slip(
                "saving_only",
                "overhead",
                Text(
                    "only the saving is counted, not the work lost in failures", "只算了保存的开销，漏了故障损失的计算"
                ),
                lambda i: i.save / checkpoint_interval(**vars(i))["interval"],
            ),
            changed(
                checkpoint_interval,
                "overhead",
                "of_one_unit",
                UNIT_FOR_JOB,
                lambda i: {"units": 1} if i.units > 1 else None,
            ),
        )
    ),
    sources=(
        Reference(
            "Robustness of the Young/Daly formula for stochastic iterative applications",
            "https://hal.inria.fr/hal-02514107",
        ),
    ),
)

CALCULATORS = (FAILURE_RATE, CHECKPOINT_INTERVAL)
