"""Weight-only quantization: how small a model gets, and how much faster decoding and prefill become."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer, number
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import OPTIONAL_RATES, PARAMETERS
from quiz.calculators.slips import changed
from quiz.calculators.weights_read import EMBEDDING, MODEL
from quiz.language import Text
from quiz.reference import Reference


def weight_quantization(
    *,
    parameters: int,
    wide_parameters: int,
    embedding: int,
    bits: int,
    group: int,
    scale_bits: int,
    zero_bits: int,
    tokens: int,
    kv_read: Number,
    peak: Number | None,
    bandwidth: Number | None,
    **_: Any,
) -> dict[str, Any]:
    """A 16-bit model with most weights in `bits` bits, one scale (and zero point) for `group` of them; W4A16 and the like.

        per_weight = bits + (scale_bits + zero_bits)/group
        size = (parameters − wide_parameters)·per_weight + wide_parameters·16 bits
        compression = parameters·16 bits/size
        step time = max(2·(parameters − embedding)·tokens/peak, (bytes of weights − embedding + kv_read)/bandwidth)
        speedup = step time in 16 bits/step time quantized, with the same peak: weights are widened before multiplying
        tokens_without_gain = peak/bandwidth·(1 + kv_read/(2·(parameters − embedding)))      from there both are compute bound

    per_weight and size in byte, the others pure numbers and tokens. `wide_parameters` stay in 16 bits (embedding and
    head), `embedding` is only looked up, `kv_read` bytes of cache are read besides and do not shrink. speedup and
    tokens_without_gain are None without peak and bandwidth. It is a ceiling: unpacking costs instructions, and where
    compute binds a weight-only kernel is rather slower. Dense models. ValueError for more wide parameters than there are.
    Sources: How to Scale Your Model, rooflines (int8 weights halve the critical batch); AWQ model cards of TheBloke
    """
    if wide_parameters > parameters or embedding > wide_parameters:
        raise ValueError(f"{wide_parameters} of {parameters} parameters stay wide, {embedding} of them looked up")
    each = bits + Fraction(scale_bits + zero_bits, group)
    size = (parameters - wide_parameters) * each / 8 + 2 * wide_parameters
    known = {
        "per_weight": plain(each / 8),
        "size": plain(size),
        "compression": float(2 * parameters / size),
    }
    if peak is None or bandwidth is None:
        return known | {"speedup": None, "tokens_without_gain": None}
    computing = Fraction(2 * (parameters - embedding) * tokens) / Fraction(peak)
    before = max(computing, (2 * (parameters - embedding) + decimal(kv_read)) / Fraction(bandwidth))
    after = max(computing, (size - 2 * embedding + decimal(kv_read)) / Fraction(bandwidth))
    cache = decimal(kv_read) / (2 * (parameters - embedding))
    return known | {
        "speedup": float(before / after),
        "tokens_without_gain": float(Fraction(peak) / Fraction(bandwidth) * (1 + cache)),
    }


def _speedup_worked(i: Values, o: Values) -> str:
    if o.speedup is None:
        return ""
    computing = 2 * (i.parameters - i.embedding) * i.tokens / i.peak
    wide = (2 * (i.parameters - i.embedding) + i.kv_read) / i.bandwidth
    narrow = (o.size - 2 * i.embedding + i.kv_read) / i.bandwidth
    compute = figures.seconds(computing)
    return (
        f"max({compute}, {figures.seconds(wide)}) / max({compute}, {figures.seconds(narrow)}) = "
        f"{figures.number(o.speedup)}"
    )


def _gain_worked(i: Values, o: Values) -> str:
    if o.tokens_without_gain is None:
        return ""
    weights = figures.scaled(2 * (i.parameters - i.embedding), "B")
    cache = f"·(1 + {figures.scaled(i.kv_read, 'B')}/{weights})" if i.kv_read else ""
    rates = f"{figures.peak(i.peak)} / ({figures.scaled(i.bandwidth, 'B/s')})"
    return f"{rates}{cache} = {figures.number(o.tokens_without_gain)} token"


NO_SCALES = Text("the scales are left out", "漏了 scale 的开销")
ALL_NARROW = Text(
    "embedding and head are counted in few bits too, though they stay in 16",
    "把 embedding 和输出头也按低比特算了，它们一般留 16 位",
)
BITS_ONLY = Text("16/bits is taken as it stands", "直接用了 16/bits")
COMPUTE_TOO = Text(
    "compute is taken to get faster too, though the weights are widened to 16 bits first",
    "以为计算也跟着变快，而权重要先还原成 16 位再乘",
)
KV_TOO = Text("the KV cache is taken to shrink as the weights do", "以为 KV cache 也跟着变小，而它没有量化")
BYTE_EACH = Text("bits are taken for bytes", "把 bit 当成了字节")


def _at_bandwidth(i: Values) -> Any:
    """The ratio of the bytes where compute in fact binds."""
    if i.peak is None or i.bandwidth is None:
        return None
    size = weight_quantization(**vars(i))["size"]
    return (2 * (i.parameters - i.embedding) + i.kv_read) / (size - 2 * i.embedding + i.kv_read)


def _when_rates(value: Any) -> Any:
    return lambda i: None if i.peak is None or i.bandwidth is None else value(i)


_SLIPS = (
    changed(weight_quantization, "per_weight", "no_scales", NO_SCALES, lambda _: {"scale_bits": 0, "zero_bits": 0}),
    changed(weight_quantization, "size", "no_scales", NO_SCALES, lambda _: {"scale_bits": 0, "zero_bits": 0}),
    changed(
        weight_quantization,
        "size",
        "all_narrow",
        ALL_NARROW,
        lambda i: {"wide_parameters": 0, "embedding": 0} if i.wide_parameters else None,
    ),
    Slip("bits_for_bytes", "size", BYTE_EACH, lambda i: i.parameters * i.bits),
    Slip("bits_only", "compression", BITS_ONLY, lambda i: 16 / i.bits),
    Slip("bits_only", "speedup", BITS_ONLY, _when_rates(lambda i: 16 / i.bits)),
    Slip("compute_too", "speedup", COMPUTE_TOO, _at_bandwidth),
    changed(
        weight_quantization,
        "speedup",
        "no_cache",
        KV_TOO,
        lambda i: {"kv_read": 0} if i.kv_read and i.peak is not None else None,
    ),
    Slip(
        "quantized_limit",
        "tokens_without_gain",
        Text(
            "the batch from which on the quantized model is bound by compute is given; the 16-bit one still gains there",
            "给的是量化后开始受限于计算的 batch，这时 16 位模型仍受限于访存，量化还有收益",
        ),
        _when_rates(lambda i: i.peak / i.bandwidth * i.bits / 16),
    ),
)

WEIGHT_QUANTIZATION = Calculator(
    name="weight_quantization",
    title=Text("Weight-only quantization", "仅权重量化"),
    inputs=(
        MODEL,
        PARAMETERS,
        integer(
            "wide_parameters",
            Text("parameters that stay in 16 bits (or give model)", "保留 16 位的参数量（或给 model）"),
            unit="parameter",
            low=0,
            default=0,
        ),
        EMBEDDING,
        integer("bits", Text("bits a quantized weight", "量化权重的位数"), low=1, high=16, default=4),
        integer("group", Text("weights a scale", "多少个权重共用一个 scale"), high=10**6, default=128),
        integer("scale_bits", Text("bits a scale", "每个 scale 的位数"), low=0, high=64, default=16),
        integer("zero_bits", Text("bits a zero point", "每个零点的位数"), low=0, high=64, default=0),
        integer("tokens", Text("tokens a step", "每步的 token 数"), unit="token", high=10**9, default=1),
        number("kv_read", Text("KV cache read a step", "每步读的 KV cache"), unit="byte", high=1e15, default=0),
        *OPTIONAL_RATES,
    ),
    outputs=(
        Output(
            "per_weight",
            Text("a quantized weight with its share of the scales", "每个量化权重（含分摊的 scale）"),
            "byte",
            "bits + (scale_bits + zero_bits)/group",
            lambda i, o: (
                f"{i.bits} + ({i.scale_bits} + {i.zero_bits})/{i.group} = {figures.number(8 * o.per_weight, 6)} bit"
            ),
        ),
        Output(
            "size",
            Text("the model", "模型大小"),
            "byte",
            "(parameters − wide)·per_weight + wide·2",
            lambda i, o: (
                f"{i.parameters - i.wide_parameters:,}·{figures.number(8 * o.per_weight, 6)}/8 + "
                f"{i.wide_parameters:,}·2 = {figures.size(o.size)}"
            ),
        ),
        Output(
            "compression",
            Text("how much smaller than in 16 bits", "相对 16 位的压缩倍数"),
            "",
            "2·parameters/size",
            lambda i, o: (
                f"{figures.scaled(2 * i.parameters, 'B')} / {figures.scaled(o.size, 'B')} = {figures.number(o.compression)}"
            ),
        ),
        Output(
            "speedup",
            Text("how much faster a step can get", "每步最多快多少倍"),
            "",
            "max(compute, bytes/bandwidth) in 16 bits over the same quantized",
            _speedup_worked,
        ),
        Output(
            "tokens_without_gain",
            Text("tokens a step from which on nothing is gained", "每步多少 token 起不再有收益"),
            "token",
            "peak/bandwidth·(1 + kv_read/(2·(parameters − embedding)))",
            _gain_worked,
        ),
    ),
    compute=weight_quantization,
    convention=Text(
        "the scales count, embedding and head stay in 16 bits; multiplied in 16 bits, dense peak",
        "scale 计入，embedding 和输出头留 16 位；仍按 16 位稠密峰值计算",
    ),
    slips=tuple(when_distinct(weight_quantization, slip) for slip in _SLIPS),
    sources=(
        Reference(
            "How to Scale Your Model, rooflines and serving LLaMA 3-70B",
            "https://jax-ml.github.io/scaling-book/applied-inference",
        ),
        Reference(
            "Synthia-70B-v1.2b-AWQ, model card (4 bit, group 128: 36.61 GB)",
            "https://huggingface.co/TheBloke/Synthia-70B-v1.2b-AWQ",
        ),
    ),
)

CALCULATORS = (WEIGHT_QUANTIZATION,)
