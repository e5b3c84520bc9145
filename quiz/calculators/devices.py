"""Accelerators as presets: peaks per number format, memory, one-way scale-up link; each with what it was read in.

Peaks are of the matrix units, dense and with 2:4 structured sparsity apart (``fp32`` is the vector units'), in FLOP/s;
data sheets often print the sparse figure alone. Bandwidths are in byte/s; `link` is one direction, where NVIDIA prints
both directions together (900 GB/s NVLink is 450 each way). `memory` is the size on the label in bytes (decimal GB);
`reported` what the driver reports, which is rather that many GiB.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from quiz.reference import Reference

DTYPES = ("bf16", "fp16", "fp8", "fp4", "int8", "tf32", "fp32")

TERA = 10**12
GB = 10**9
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Device:
    """`link` is None where cards meet over PCIe only, or no source was found."""

    name: str
    title: str
    dense: Mapping[str, int]
    bandwidth: int
    memory: int
    sources: tuple[Reference, ...]
    sparse: Mapping[str, int] = field(default_factory=dict)
    link: int | None = None
    reported: int | None = None


def _tera(**peaks: float) -> dict[str, int]:
    return {dtype: round(tera * 1000) * 10**9 for dtype, tera in peaks.items()}


BEKMAN = Reference(
    "Bekman, Machine Learning Engineering, accelerators: dense TFLOPS and memory tables",
    "https://github.com/stas00/ml-engineering/blob/master/compute/accelerator/README.md",
)
BEKMAN_LINKS = Reference(
    "Bekman, Machine Learning Engineering, intra-node links",
    "https://github.com/stas00/ml-engineering/blob/master/network/README.md",
)
A100_SHEET = Reference(
    "NVIDIA, A100 80GB data sheet (its table)",
    "https://www.nvidia.com/en-us/data-center/a100/",
)
LOCKWOOD_H100 = Reference(
    "Lockwood, H100: dense and sparse peaks of the architecture white paper",
    "https://glennklockwood.com/garden/processors/h100",
)
LOCKWOOD_B200 = Reference(
    "Lockwood, B200: dense and sparse peaks of HGX B200 and GB200",
    "https://glennklockwood.com/garden/processors/B200",
)
MI300X_H200 = Reference(
    "MI300X vs H200, methodology: specifications",
    "https://github.com/alpharomercoma/MI300X-vs-H200",
)

AMPERE = _tera(fp32=19.5, tf32=156, bf16=312, fp16=312, int8=624)
AMPERE_SPARSE = _tera(tf32=312, bf16=624, fp16=624, int8=1248)
HOPPER = _tera(fp32=66.9, tf32=494.7, bf16=989.4, fp16=989.4, fp8=1978.9, int8=1978.9)
HOPPER_SPARSE = _tera(tf32=989.4, bf16=1978.9, fp16=1978.9, fp8=3957.8, int8=3957.8)
B200 = _tera(fp32=80, tf32=1125, bf16=2250, fp16=2250, fp8=4500, int8=4500, fp4=9000)
B200_SPARSE = _tera(bf16=4500, fp16=4500, fp8=9000, int8=9000, fp4=18000)

_ALL = (
    Device(
        "a100-sxm-80gb",
        "A100 SXM 80GB",
        AMPERE,
        2039 * GB,
        80 * GB,
        (A100_SHEET, BEKMAN),
        AMPERE_SPARSE,
        link=300 * GB,
        reported=81_251 * MIB,
    ),
    Device(
        "a100-pcie-80gb",
        "A100 PCIe 80GB",
        AMPERE,
        1935 * GB,
        80 * GB,
        (A100_SHEET, BEKMAN),
        AMPERE_SPARSE,
    ),
    Device(
        "h100-sxm",
        "H100 SXM",
        HOPPER,
        3350 * GB,
        80 * GB,
        (LOCKWOOD_H100, BEKMAN),
        HOPPER_SPARSE,
        link=450 * GB,
        reported=81_559 * MIB,
    ),
    Device(
        "h100-pcie",
        "H100 PCIe",
        _tera(fp32=51, tf32=378, bf16=756, fp16=756, fp8=1513, int8=1513),
        2000 * GB,
        80 * GB,
        (BEKMAN,),
        _tera(tf32=756, bf16=1513, fp16=1513),
    ),
    Device(
        "h200",
        "H200",
        HOPPER,
        4800 * GB,
        141 * GB,
        (MI300X_H200, LOCKWOOD_H100, BEKMAN),
        HOPPER_SPARSE,
        link=450 * GB,
        reported=143_771 * MIB,
    ),
    Device(
        "h20",
        "H20 96GB",
        _tera(tf32=74, bf16=148, fp16=148, fp8=296, int8=296),
        4000 * GB,
        96 * GB,
        (
            Reference(
                "Ant Group and SGLang 2025, Best Practices for Serving DeepSeek-R1 on H20-96G (table)",
                "https://lmsys.org/blog/2025-09-26-sglang-ant-group",
            ),
        ),
        link=450 * GB,
    ),
    Device(
        "h800-sxm",
        "H800 SXM",
        HOPPER,
        3350 * GB,
        80 * GB,
        (
            Reference(
                "FlashMLA, a deep-dive into the new kernel: 990 TFLOPS, 3.35 TB/s",
                "https://github.com/deepseek-ai/FlashMLA/blob/main/docs/20250422-new-kernel-deep-dive.md",
            ),
            Reference("Insights into DeepSeek-V3 (ISCA 2025): NVLink 400 GB/s", "https://arxiv.org/abs/2505.09343"),
        ),
        HOPPER_SPARSE,
        link=200 * GB,
    ),
    Device(
        "b200",
        "B200 (8 TB/s)",
        B200,
        8000 * GB,
        192 * GB,
        (LOCKWOOD_B200, BEKMAN),
        B200_SPARSE,
        link=900 * GB,
    ),
    Device(
        "hgx-b200",
        "HGX B200 (7.7 TB/s)",
        B200,
        7700 * GB,
        180 * GB,
        (LOCKWOOD_B200, Reference("Blackwell data sheet, HGX B200 per GPU, as tables quote it: 180 GB, 7.7 TB/s")),
        B200_SPARSE,
        link=900 * GB,
    ),
    Device(
        "gb200",
        "GB200 (per GPU)",
        _tera(fp32=90, tf32=1250, bf16=2500, fp16=2500, fp8=5000, int8=5000, fp4=10000),
        8000 * GB,
        186 * GB,
        (LOCKWOOD_B200, BEKMAN, BEKMAN_LINKS),
        _tera(tf32=2500, bf16=5000, fp16=5000, fp8=10000, int8=10000, fp4=20000),
        link=900 * GB,
    ),
    Device(
        "l40s",
        "L40S",
        _tera(fp32=91.6, tf32=183, bf16=362, fp16=362, fp8=733, int8=733),
        864 * GB,
        48 * GB,
        (BEKMAN,),
        _tera(tf32=366, bf16=733, fp16=733),
    ),
    Device(
        "a10",
        "A10",
        _tera(tf32=62.5, bf16=125, fp16=125),
        600 * GB,
        24 * GB,
        (Reference("GPU table: A10 125 TFLOP/s, 0.6 TB/s, 24 GB", "https://gist.github.com/kimbochen"),),
        _tera(tf32=125, bf16=250, fp16=250),
    ),
    Device(
        "rtx-4090",
        "RTX 4090",
        _tera(fp32=82.6, tf32=82.6, bf16=165.2, fp16=165.2, fp8=330.3, int8=660.6),
        1008 * GB,
        24 * GB,
        (
            Reference(
                "RTX 4090, matrix and vector peaks (FP32 accumulation)",
                "https://waredb.com/processor/nvidia-geforce-rtx-4090",
            ),
        ),
        _tera(tf32=165.2, bf16=330.4, fp16=330.4, fp8=660.6, int8=1321.2),
    ),
    Device(
        "mi300x",
        "MI300X",
        _tera(fp32=163.4, tf32=653.7, bf16=1307.4, fp16=1307.4, fp8=2614.9),
        5300 * GB,
        192 * GB,
        (MI300X_H200, BEKMAN, BEKMAN_LINKS),
        link=448 * GB,
    ),
)

DEVICES = {device.name: device for device in _ALL}
