"""Inputs that many calculators share: a device with its peak and bandwidth, a model with its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quiz.calculators import models
from quiz.calculators.base import Input, Values, choice, flag, integer, number, optional, preset
from quiz.calculators.devices import DEVICES, DTYPES
from quiz.calculators.models import MODELS
from quiz.errors import BadInput
from quiz.language import Text

LONGEST = 10**12


def display(name: str) -> str:
    """What people call a preset: ``h100-sxm`` is H100 SXM, ``llama-3-70b`` is Llama 3 70B; other names stay."""
    known = DEVICES.get(name) or MODELS.get(name)
    return known.title if known else name


def _fill_device(name: str, bound: Mapping[str, Any]) -> Mapping[str, Any]:
    device, dtype = DEVICES[name], bound.get("dtype") or DTYPES[0]
    filled = {"bandwidth": device.bandwidth}
    if bound.get("peak") is None:
        peaks = device.sparse if bound.get("sparse") else device.dense
        if dtype not in peaks:
            raise BadInput(_no_peak(device.title, dtype, tuple(peaks), bool(bound.get("sparse"))))
        filled["peak"] = peaks[dtype]
    return filled


def _no_peak(title: str, dtype: str, known: tuple[str, ...], sparse: bool) -> Text:
    kind = Text("sparse", "稀疏") if sparse else Text("dense", "稠密")
    if not known:
        return Text(
            "no {kind} peak of {title} is known here; take sparse=false or give peak",
            "这里没有 {title} 的{kind}峰值；请用 sparse=false 或直接给 peak",
        ).fill(kind=kind, title=title)
    return Text(
        "no {kind} {dtype} peak of {title} is known here; known: {known}, or give peak",
        "这里没有 {title} 的 {dtype} {kind}峰值，已有 {known}；也可直接给 peak",
    ).fill(kind=kind, title=title, dtype=dtype, known=", ".join(known))


DEVICE = preset("device", Text("accelerator", "加速卡型号"), tuple(DEVICES), _fill_device)
DTYPE = choice("dtype", Text("number format of the matrix units", "矩阵单元的数据格式"), DTYPES, default="bf16")
SPARSE = flag("sparse", Text("2:4 structured sparsity", "是否用 2:4 结构化稀疏"))
PEAK = number("peak", Text("peak rate (or give device)", "峰值算力（或给 device）"), unit="FLOP/s", low=1, high=1e21)
BANDWIDTH = number(
    "bandwidth", Text("memory bandwidth (or give device)", "显存带宽（或给 device）"), unit="byte/s", low=1, high=1e18
)
RATES = (DEVICE, DTYPE, SPARSE, PEAK, BANDWIDTH)
OPTIONAL_RATES = (DEVICE, DTYPE, SPARSE, optional(PEAK), optional(BANDWIDTH))

MODEL = preset("model", Text("model", "模型"), tuple(MODELS), lambda name, _: models.inputs(MODELS[name]))
PARAMETERS = integer("parameters", Text("parameters (or give model)", "参数量（或给 model）"), unit="parameter")
LAYERS = integer("layers", Text("layers L (or give model)", "层数 L（或给 model）"), high=10_000)
TP = integer("tp", Text("tensor-parallel GPUs", "张量并行的 GPU 数"), high=65_536, default=1)


def element_bytes(name: str, about: Text, default: float | None = 2) -> Input:
    """Bytes an element or a parameter takes: 2 for BF16, 1 for FP8, 0.5 for 4 bits."""
    return number(name, about, unit="byte", low=0.0625, high=16, default=default)


def bytes_each(name: str, about: Text, default: float) -> Input:
    """Bytes a parameter takes that may also be none."""
    return number(name, about, unit="byte", low=0, high=64, default=default)


def sparse_peak(i: Values) -> float | None:
    """The peak that the data sheet prints with 2:4 sparsity where the dense one was asked; None if there is none."""
    if i.sparse or i.peak is None:
        return None
    device = DEVICES.get(i.device or "")
    if device is None or i.peak != device.dense.get(i.dtype):
        return 2 * float(i.peak)
    return device.sparse.get(i.dtype)


def link_both_ways(i: Values) -> int | None:
    """The device's scale-up link as vendors print it, both directions together."""
    device = DEVICES.get(i.device or "")
    return 2 * device.link if device and device.link else None


def model_of(i: Values) -> models.Model | None:
    """The preset whose parameters are the ones in use."""
    model = MODELS.get(i.model or "")
    return model if model and i.parameters == models.parameters(model) else None


def hidden_of(i: Values) -> int | None:
    """The hidden size of the preset, where it was given."""
    model = MODELS.get(i.model or "")
    return model.hidden if model else None
