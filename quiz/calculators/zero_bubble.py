"""Pipelines whose backward pass is split in two: zero-bubble schedules and DualPipe against 1F1B."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer, number, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.slips import changed
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference

SCHEDULES = ("1f1b", "zb-h1", "zb-h2", "dualpipe")


def split_backward_bubble(
    *,
    stages: int,
    microbatches: int,
    schedule: str,
    forward: Number,
    backward_input: Number,
    backward_weight: Number,
    overlapped: Number | None,
) -> dict[str, Any]:
    """Idle time of a stage when the backward pass is split into input gradients B and weight gradients W.

    With p stages, m micro-batches and F, B, W the times of a stage's forward, backward-input and backward-weight pass:

        1f1b      (p−1)·(F + B + W)      holds p micro-batches' activations
        zb-h1     (p−1)·(F + B − W)      p        (DeepSeek's ZB1P: with their B the whole backward, F + B − 2·W)
        zb-h2     (p−1)·(F + B − 2·W)    2·p − 1
        dualpipe  (p/2−1)·(F&B + (B + W) − 3·W)   p + 1, and two copies of the parameters; F&B = `overlapped` is the
                  time of a forward and a backward chunk of two directions run at once, F + B + W if not given

    bubble is that time, never below 0; step_time = m·(F + B + W) + bubble, for DualPipe m·F&B + bubble; the fractions
    are of step_time and of step_time − bubble; bubble_ratio is the bubble over 1F1B's. These are the hand-made orders
    at times near F = B = W, with enough micro-batches; searched ones (ZB-1p, ZB-2p) idle no more. Communication is not
    counted, and ZB-H2 needs an optimizer step without synchronization. Times in s.
    BadInput for a DualPipe of an odd number of stages or micro-batches, or for `overlapped` elsewhere.

    Sources: Qi et al. 2023, Zero Bubble Pipeline Parallelism, Table 2, https://arxiv.org/abs/2401.10241; DeepSeek-V3, Table 2,
    https://arxiv.org/abs/2412.19437
    """
    if overlapped is not None and schedule != "dualpipe":
        raise BadInput(Text("overlapped belongs to dualpipe; drop it", "overlapped 只用于 dualpipe，请去掉"))
    if schedule == "dualpipe" and (stages % 2 or microbatches % 2):
        raise BadInput(
            Text(
                "DualPipe needs an even number of stages and of micro-batches",
                "DualPipe 要求流水线级数和 micro-batch 数都是偶数",
            )
        )
    f, b, w = (decimal(time) for time in (forward, backward_input, backward_weight))
    both = f + b + w if overlapped is None else decimal(overlapped)
    bubble, held = {
        "1f1b": ((stages - 1) * (f + b + w), stages),
        "zb-h1": ((stages - 1) * (f + b - w), stages),
        "zb-h2": ((stages - 1) * (f + b - 2 * w), 2 * stages - 1),
        "dualpipe": ((Fraction(stages, 2) - 1) * (both + b - 2 * w), stages + 1),
    }[schedule]
    bubble, ideal = max(Fraction(0), bubble), microbatches * both
    plain_bubble = (stages - 1) * (f + b + w)
    return {
        "bubble": plain(bubble),
        "step_time": plain(ideal + bubble),
        "fraction_of_total": plain(bubble / (ideal + bubble)),
        "fraction_of_ideal": plain(bubble / ideal),
        "bubble_ratio": plain(bubble / plain_bubble) if plain_bubble else None,
        "activations": min(held, microbatches),
        "parameter_copies": 2 if schedule == "dualpipe" else 1,
    }


def _as_1f1b(i: Values) -> dict[str, Any] | None:
    return {"schedule": "1f1b", "overlapped": None} if i.schedule != "1f1b" else None


def _idle(i: Values, each: Fraction) -> Number:
    return plain(max(Fraction(0), (i.stages - 1) * each))


def _times(i: Values) -> tuple[Fraction, Fraction, Fraction]:
    return decimal(i.forward), decimal(i.backward_input), decimal(i.backward_weight)


def _whole_backward(i: Values) -> Number | None:
    f, b, w = _times(i)
    return {"zb-h1": _idle(i, f + b), "zb-h2": _idle(i, f + b - w)}.get(i.schedule)


def _input_backward(i: Values) -> Number | None:
    f, b, w = _times(i)
    if i.schedule == "dualpipe":
        both = f + b + w if i.overlapped is None else decimal(i.overlapped)
        return plain(max(Fraction(0), (Fraction(i.stages, 2) - 1) * (both + b - 3 * w)))
    return _idle(i, f + b - 2 * w) if i.schedule == "zb-h1" else None


def _all_stages(i: Values) -> Number | None:
    if i.schedule != "dualpipe":
        return None
    half = Fraction(i.stages, 2) - 1
    bubble = Fraction(split_backward_bubble(**vars(i))["bubble"])
    return plain(bubble * (i.stages - 1) / half) if half else None


def _stages_for_less_one(i: Values) -> Number | None:
    if i.stages == 1 or i.schedule == "dualpipe":
        return None
    return plain(Fraction(split_backward_bubble(**vars(i))["bubble"]) * i.stages / (i.stages - 1))


AS_1F1B = Text("the backward pass is not split, as in 1F1B", "没有拆分反向，按 1F1B 算了")
WHOLE_BACKWARD = Text(
    "B is taken for the whole backward pass, but the formula's B is the input gradient alone",
    "把 B 当成整个反向，而这个公式里的 B 只是输入梯度那部分",
)
INPUT_BACKWARD = Text(
    "B is taken for the input gradient alone, but this formula's B is the whole backward pass",
    "把 B 当成只算输入梯度的部分，而这个公式里的 B 是整个反向",
)
ALL_STAGES = Text(
    "p−1 is taken; both ends feed a DualPipe, so that p/2−1 counts", "用了 p−1，而 DualPipe 两端同时进料，是 p/2−1"
)
STAGES = Text("p idle slots are counted instead of p−1", "把空等的时隙数成了 p 个，而不是 p−1 个")
OF_IDEAL = Text(
    "the share of the ideal time is taken for the share of the whole step", "把占理想时间的比例当成占整步时间的比例"
)
OF_TOTAL = Text(
    "the share of the whole step is taken for the share of the ideal time", "把占整步时间的比例当成占理想时间的比例"
)
AS_PLAIN = Text("p micro-batches are held, as in 1F1B", "按 1F1B 只保留 p 个 micro-batch")
ONE_COPY = Text(
    "one copy of the parameters is counted; a DualPipe device runs two stages",
    "只算了一份参数，而 DualPipe 每卡要放两级",
)


def _other(output: str) -> Callable[[Values], Any]:
    return lambda i: split_backward_bubble(**vars(i))[output]


SLIPS = (
    *(
        changed(split_backward_bubble, output, "as_1f1b", AS_1F1B, _as_1f1b)
        for output in ("bubble", "step_time", "fraction_of_total", "fraction_of_ideal", "bubble_ratio")
    ),
    Slip("whole_backward", "bubble", WHOLE_BACKWARD, _whole_backward),
    Slip("input_backward", "bubble", INPUT_BACKWARD, _input_backward),
    Slip("all_stages", "bubble", ALL_STAGES, _all_stages),
    Slip("stages_for_stages_minus_one", "bubble", STAGES, _stages_for_less_one),
    Slip("of_ideal_time", "fraction_of_total", OF_IDEAL, _other("fraction_of_ideal")),
    Slip("of_total_time", "fraction_of_ideal", OF_TOTAL, _other("fraction_of_total")),
    Slip("as_1f1b", "activations", AS_PLAIN, lambda i: min(i.stages, i.microbatches)),
    Slip("one_copy", "parameter_copies", ONE_COPY, lambda _: 1),
)


def _bubble_worked(i: Values, o: Values) -> str:
    f, b, w = (figures.number(time) for time in (i.forward, i.backward_input, i.backward_weight))
    bubble = figures.seconds(o.bubble)
    if i.schedule == "dualpipe":
        both = f"({f} + {b} + {w})" if i.overlapped is None else figures.number(i.overlapped)
        return f"({i.stages}/2−1)·({both} + ({b} + {w}) − 3·{w}) = {bubble}"
    last = {"1f1b": f"+ {w}", "zb-h1": f"− {w}", "zb-h2": f"− 2·{w}"}[i.schedule]
    return f"({i.stages}−1)·({f} + {b} {last}) = {bubble}"


def _step_worked(i: Values, o: Values) -> str:
    f, b, w = (figures.number(time) for time in (i.forward, i.backward_input, i.backward_weight))
    each = f"({f} + {b} + {w})" if i.overlapped is None else figures.number(i.overlapped)
    return f"{i.microbatches}·{each} + {figures.number(o.bubble)} = {figures.seconds(o.step_time)}"


def _share_worked(output: str) -> Callable[[Values, Values], str]:
    def worked(_: Values, o: Values) -> str:
        whole = o.step_time if output == "fraction_of_total" else o.step_time - o.bubble
        return f"{figures.number(o.bubble)}/{figures.number(whole)} = {figures.percent(getattr(o, output))}"

    return worked


def _time(name: str, about: Text, default: float = 1) -> Any:
    return number(name, about, unit="s", high=1e6, default=default)


SPLIT_BACKWARD_BUBBLE = Calculator(
    name="split_backward_bubble",
    title=Text("Pipeline bubble, backward pass split", "拆分反向的流水线气泡"),
    inputs=(
        integer("stages", Text("pipeline stages p", "流水线级数 p"), high=1024),
        integer("microbatches", Text("micro-batches a step m", "每步 micro-batch 数 m"), high=1_000_000),
        choice("schedule", Text("schedule", "调度方式"), SCHEDULES),
        _time("forward", Text("forward pass of a stage F", "每级前向时间 F")),
        _time("backward_input", Text("input gradients of a stage B", "每级输入梯度时间 B")),
        _time("backward_weight", Text("weight gradients of a stage W", "每级权重梯度时间 W")),
        optional(
            number(
                "overlapped",
                Text("DualPipe: a forward and a backward chunk at once", "DualPipe：一对重叠的前向与反向的时间"),
                unit="s",
                high=1e6,
            )
        ),
    ),
    outputs=(
        Output(
            "bubble",
            Text("idle time of a stage", "每级空闲时间"),
            "s",
            "1F1B (p−1)(F+B+W); ZB-H1 (p−1)(F+B−W); ZB-H2 (p−1)(F+B−2W); DualPipe (p/2−1)(F&B+(B+W)−3W)",
            _bubble_worked,
        ),
        Output("step_time", Text("time of a step", "一步的时间"), "s", "m·(F+B+W) + bubble", _step_worked),
        Output(
            "fraction_of_total",
            Text("idle share of the whole step", "空闲占整步时间的比例"),
            "",
            "bubble/step_time",
            _share_worked("fraction_of_total"),
        ),
        Output(
            "fraction_of_ideal",
            Text("idle time over ideal time", "空闲时间与理想时间之比"),
            "",
            "bubble/(m·(F+B+W))",
            _share_worked("fraction_of_ideal"),
        ),
        Output(
            "bubble_ratio",
            Text("bubble over 1F1B's", "与 1F1B 气泡之比"),
            "",
            "bubble/((p−1)·(F+B+W))",
            lambda _, o: figures.number(o.bubble_ratio) if o.bubble_ratio is not None else "",
        ),
        Output(
            "activations",
            Text("micro-batches whose activations are held at most", "最多同时保留激活的 micro-batch 数"),
            "",
            "1F1B, ZB-H1 p; ZB-H2 2p−1; DualPipe p+1; m at most",
            lambda i, o: (
                f"min({i.microbatches}, …) = {o.activations}" if o.activations == i.microbatches else f"{o.activations}"
            ),
        ),
        Output(
            "parameter_copies",
            Text("copies of the parameters", "参数份数"),
            "",
            "DualPipe 2, the others 1",
            lambda _, o: f"{o.parameter_copies}",
        ),
    ),
    compute=split_backward_bubble,
    convention=Text(
        "B is the input gradient alone, as in Zero Bubble; DeepSeek-V3's table writes B for the whole backward pass, B + W here",
        "B 只指输入梯度（Zero Bubble 论文的记法）；DeepSeek-V3 表中的 B 是整个反向，即这里的 B + W",
    ),
    slips=tuple(when_distinct(split_backward_bubble, slip) for slip in SLIPS),
    sources=(
        Reference("Qi et al. 2023, Zero Bubble Pipeline Parallelism, Table 2", "https://arxiv.org/abs/2401.10241"),
        Reference("DeepSeek-V3 Technical Report, Table 2", "https://arxiv.org/abs/2412.19437"),
        Reference("DualPipe, README.md", "https://github.com/deepseek-ai/DualPipe"),
    ),
)

CALCULATORS = (SPLIT_BACKWARD_BUBBLE,)
