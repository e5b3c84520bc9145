"""Model and hardware FLOPs utilization of a training run: MFU and HFU."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.amounts import count
from quiz.calculators.attention_flops import (
    ACTIVE,
    CAUSAL,
    CAUSAL_HALF,
    CONVENTION,
    FORWARD_ONLY,
    FULL_SQUARE,
    NO_ATTENTION,
    RECOMPUTATION,
    SEQUENCE,
    SHAPE,
    TOTAL_FOR_ACTIVE,
    scores_per_token,
    total_for_active,
    used,
)
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number, optional
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.inputs import DEVICE, DTYPE, MODEL, PARAMETERS, PEAK, SPARSE, sparse_peak
from quiz.calculators.slips import again, changed, times
from quiz.language import Text
from quiz.reference import Reference


def model_flops_utilization(**given: Any) -> dict[str, Any]:
    """MFU and HFU of a run that trains `tokens_per_second` tokens a second on n = `gpus` GPUs of `peak` FLOP/s.

        flops_per_token = 6·N + 12·L·n_heads·d·s      (causal: 6·L·n_heads·d·s; without a sequence 6·N)
        achieved = tokens_per_second·flops_per_token/n, FLOP/s of one GPU
        mfu = achieved/peak       mfu_without_attention with 6·N alone
        hfu = mfu with what is recomputed: full ×8/6; selective + 4·L·n_heads·d·s a token

    N is what a token passes. The share of time that nvidia-smi shows a GPU busy is not a utilization of its FLOPs.
    BadInput for a sequence without a shape, or more active parameters than parameters.

    Source: Chowdhery et al. 2022, PaLM, §4.1 and Appendix B, https://arxiv.org/abs/2204.02311; Korthikanti et al. 2022, §6.3
    and Appendix A, https://arxiv.org/abs/2205.05198
    """
    passed = used(given["parameters"], given["active_parameters"])
    forward = scores_per_token(**given)
    per_token = 6 * passed + 3 * forward
    again_ = {"none": Fraction(0), "selective": forward, "full": per_token / 3}[given["recompute"]]
    each = Fraction(given["tokens_per_second"]) / given["gpus"]
    peak = Fraction(given["peak"])
    return {
        "flops_per_token": plain(per_token),
        "achieved": plain(each * per_token),
        "mfu": float(each * per_token / peak),
        "mfu_without_attention": float(each * 6 * passed / peak),
        "hfu": float(each * (per_token + again_) / peak),
    }


def _per_token(i: Values, o: Values) -> str:
    passed = used(i.parameters, i.active_parameters)
    attention = o.flops_per_token - 6 * passed
    return f"6·{count(passed)}" + (f" + {figures.scaled(attention, 'FLOP')}" if attention else "")


def _mfu_worked(i: Values, o: Values) -> str:
    return (
        f"{count(i.tokens_per_second)}·{figures.scaled(o.flops_per_token, 'FLOP')}/"
        f"({i.gpus:,}·{figures.peak(i.peak)}) = {figures.percent(o.mfu)}"
    )


def _bare_worked(i: Values, o: Values) -> str:
    passed = count(used(i.parameters, i.active_parameters))
    rate = f"{count(i.tokens_per_second)}·6·{passed}/({i.gpus:,}·{figures.peak(i.peak)})"
    return f"{rate} = {figures.percent(o.mfu_without_attention)}"


def _hfu_worked(i: Values, o: Values) -> str:
    mfu, hfu = figures.percent(o.mfu), figures.percent(o.hfu)
    if i.recompute == "none":
        return hfu
    factor = "8/6" if i.recompute == "full" else figures.number(o.hfu / o.mfu)
    return f"{mfu}·{factor} = {hfu}"


def _sparse(i: Values) -> dict[str, Any] | None:
    peak = sparse_peak(i)
    return {"peak": peak} if peak else None


def _mask(i: Values, causal: bool) -> dict[str, Any] | None:
    return {"causal": not causal} if i.sequence is not None and i.causal == causal else None


BUSY = Text(
    "the share of time a GPU is busy, as nvidia-smi shows it, is given for MFU",
    "把 nvidia-smi 的 GPU 利用率（忙碌时间占比）当成 MFU",
)
HFU_FOR_MFU = Text("what is recomputed is counted: that is HFU", "把重算也计入了，那是 HFU")
MFU_FOR_HFU = Text("what is recomputed is left out: that is MFU", "漏了重算的部分，那是 MFU")
SPARSE_PEAK = Text("it is set against the peak with 2:4 sparsity", "除以了带 2:4 稀疏的峰值")
ONE_GPU = Text("the tokens of the whole job are set against one GPU", "用整个任务的吞吐除以了单卡峰值")


def _slips(output: str) -> tuple[Slip, ...]:
    return (
        times(model_flops_utilization, output, "forward_only", FORWARD_ONLY, lambda _: 1 / 3),
        changed(model_flops_utilization, output, "total_for_active", TOTAL_FOR_ACTIVE, total_for_active),
        changed(
            model_flops_utilization,
            output,
            "no_attention",
            NO_ATTENTION,
            lambda i: None if i.sequence is None else {"sequence": None},
        ),
        changed(model_flops_utilization, output, "causal_half", CAUSAL_HALF, lambda i: _mask(i, False)),
        changed(model_flops_utilization, output, "full_square", FULL_SQUARE, lambda i: _mask(i, True)),
    )


def _rates(output: str) -> tuple[Slip, ...]:
    return (
        changed(model_flops_utilization, output, "sparse_peak", SPARSE_PEAK, _sparse),
        changed(model_flops_utilization, output, "one_gpu", ONE_GPU, lambda i: {"gpus": 1} if i.gpus > 1 else None),
        Slip("busy_time", output, BUSY, lambda i: i.gpu_busy),
    )


SLIPS = (
    *(slip for output in ("flops_per_token", "achieved", "mfu", "hfu") for slip in _slips(output)),
    *(slip for output in ("mfu", "mfu_without_attention", "hfu") for slip in _rates(output)),
    times(model_flops_utilization, "mfu_without_attention", "forward_only", FORWARD_ONLY, lambda _: 1 / 3),
    changed(model_flops_utilization, "mfu_without_attention", "total_for_active", TOTAL_FOR_ACTIVE, total_for_active),
    Slip("hfu_for_mfu", "mfu", HFU_FOR_MFU, lambda i: again(model_flops_utilization, "hfu", i)),
    times(
        model_flops_utilization,
        "mfu_without_attention",
        "hfu_for_mfu",
        HFU_FOR_MFU,
        lambda i: 4 / 3 if i.recompute == "full" else None,
    ),
    Slip("mfu_for_hfu", "hfu", MFU_FOR_HFU, lambda i: again(model_flops_utilization, "mfu", i)),
    changed(model_flops_utilization, "achieved", "one_gpu", ONE_GPU, lambda i: {"gpus": 1} if i.gpus > 1 else None),
)

MODEL_FLOPS_UTILIZATION = Calculator(
    name="model_flops_utilization",
    title=Text("MFU and HFU", "MFU 与 HFU"),
    inputs=(
        number(
            "tokens_per_second",
            Text("tokens trained a second, all GPUs", "每秒训练的 token 数（所有 GPU）"),
            unit="token/s",
            low=1e-3,
            high=1e12,
        ),
        integer("gpus", Text("GPUs", "GPU 数"), high=10**7, default=1),
        MODEL,
        PARAMETERS,
        ACTIVE,
        optional(SEQUENCE),
        *SHAPE,
        CAUSAL,
        RECOMPUTATION,
        DEVICE,
        DTYPE,
        SPARSE,
        PEAK,
        optional(
            number(
                "gpu_busy",
                Text("GPU utilization of nvidia-smi (does not enter)", "nvidia-smi 显示的 GPU 利用率（不影响结果）"),
                high=1,
            )
        ),
    ),
    outputs=(
        Output(
            "flops_per_token",
            Text("model FLOPs a token", "每 token 的模型计算量"),
            "FLOP",
            "6·N + 12·L·n·d·s",
            lambda i, o: f"{_per_token(i, o)} = {figures.scaled(o.flops_per_token, 'FLOP')}",
        ),
        Output(
            "achieved",
            Text("model FLOPs a second, one GPU", "每卡每秒的模型计算量"),
            "FLOP/s",
            "tokens a second·flops_per_token/GPUs",
            lambda i, o: (
                f"{count(i.tokens_per_second)}·{figures.scaled(o.flops_per_token, 'FLOP')}/{i.gpus:,} = "
                f"{figures.scaled(o.achieved, 'FLOP/s')}"
            ),
        ),
        Output("mfu", Text("MFU, attention included", "MFU（含注意力）"), "", "achieved/peak", _mfu_worked),
        Output(
            "mfu_without_attention",
            Text("MFU by 6·N alone", "MFU（只按 6·N）"),
            "",
            "tokens a second·6·N/(GPUs·peak)",
            _bare_worked,
        ),
        Output(
            "hfu",
            Text("HFU, what is recomputed included", "HFU（计入重算）"),
            "",
            "full recomputation: MFU·8/6",
            _hfu_worked,
        ),
    ),
    compute=model_flops_utilization,
    convention=CONVENTION,
    slips=tuple(when_distinct(model_flops_utilization, slip) for slip in SLIPS),
    sources=(
        Reference("Chowdhery et al. 2022, PaLM, §4.1", "https://arxiv.org/abs/2204.02311"),
        Reference(
            "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models, §6.3",
            "https://arxiv.org/abs/2205.05198",
        ),
    ),
)

CALCULATORS = (MODEL_FLOPS_UTILIZATION,)
