"""Peak rates from the clock: a CPU's by cores and vector lanes, a GPU's by SMs and multiply-adds a clock."""

from __future__ import annotations

from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, flag, integer, number, preset
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.memory_bound import GPU_BACKGROUND
from quiz.calculators.slips import changed, times
from quiz.calculators.sm_limits import GPUS
from quiz.language import Text
from quiz.reference import Reference


def cpu_peak(
    *, sockets: int, cores: int, clock: Number, instructions_per_cycle: Number, lanes: int, fma: bool
) -> dict[str, Any]:
    """Floating-point peak of a CPU.

        per_cycle = instructions_per_cycle·lanes·(2 if fma else 1)        FLOP a cycle of one core
        peak = sockets·cores·clock·per_cycle

    In FLOP/cycle and FLOP/s. `instructions_per_cycle` counts floating-point instructions that a core starts each cycle
    (its vector units), `lanes` numbers an instruction works on (8 for FP32 in 256 bits), and a fused multiply-add is two
    operations. The clock is the one that holds under such load; vector-heavy code often runs below the nominal one.
    Source: Bekman, Machine Learning Engineering, How To Calculate Theoretical TFLOPS (clock × FLOP a clock × units)
    """
    per_cycle = decimal(instructions_per_cycle) * lanes * (2 if fma else 1)
    return {"per_cycle": plain(per_cycle), "peak": plain(sockets * cores * decimal(clock) * per_cycle)}


def gpu_peak(*, sms: int, clock: Number, fma_per_cycle: int, sparse: bool, **_: Any) -> dict[str, Any]:
    """Peak of a GPU: peak = sms·fma_per_cycle·2·clock, twice that with 2:4 sparsity. In FLOP/s.

    `fma_per_cycle` is what one SM multiplies and adds each clock in the format asked about, dense: 1,024 for FP16 on
    A100, 2,048 on H100, 64 and 128 for FP32 outside the matrix units. Each is two operations. The clock is the boost
    clock that the data sheet's peak is computed with.
    Sources: NVIDIA, GPU Performance Background User's Guide, table 1 (A100: 108 SMs, 1.41 GHz, 312 TFLOPS); Bekman
    """
    return {"peak": plain(sms * fma_per_cycle * 2 * decimal(clock) * (2 if sparse else 1))}


ONE_PER_FMA = Text("a multiply-add is counted as one operation, not two", "一次乘加只算 1 次运算，应算 2 次")
NO_FMA = Text("fused multiply-add is counted, though there is none", "按 FMA 乘了 2，而这里没有 FMA")
ONE_LANE = Text("vector lanes are left out", "漏了 SIMD 的通道数")
ONE_CORE = Text("one core is counted, not all", "只算了一个核")
SMT = Text("hardware threads are counted for cores", "把超线程数当成了核数")

CLOCK = number("clock", Text("clock", "主频"), unit="Hz", low=1, high=1e13)

CPU_PEAK = Calculator(
    name="cpu_peak",
    title=Text("Peak of a CPU", "CPU 峰值算力"),
    inputs=(
        integer("sockets", Text("processors", "处理器（路）数"), high=10**7, default=1),
        integer("cores", Text("cores a processor", "每处理器核数"), high=10**5),
        CLOCK,
        number(
            "instructions_per_cycle",
            Text("floating-point instructions a core and cycle", "每核每周期的浮点指令数"),
            low=0.01,
            high=1024,
        ),
        integer(
            "lanes", Text("numbers an instruction works on", "每条指令处理的数个数（SIMD 宽度）"), high=4096, default=1
        ),
        flag("fma", Text("the instructions are fused multiply-adds", "指令是乘加（FMA）")),
    ),
    outputs=(
        Output(
            "per_cycle",
            Text("operations a core and cycle", "每核每周期运算次数"),
            "FLOP/cycle",
            "instructions·lanes·(2 with FMA)",
            lambda i, o: (
                f"{figures.number(i.instructions_per_cycle)}·{i.lanes}{'·2' if i.fma else ''} = "
                f"{figures.number(o.per_cycle)} FLOP/cycle"
            ),
        ),
        Output(
            "peak",
            Text("peak", "峰值算力"),
            "FLOP/s",
            "sockets·cores·clock·per_cycle",
            lambda i, o: (
                f"{f'{i.sockets:,}·' if i.sockets > 1 else ''}{i.cores}·{figures.scaled(i.clock, 'Hz')}·"
                f"{figures.number(o.per_cycle)} = {figures.scaled(o.peak, 'FLOP/s')}"
            ),
        ),
    ),
    compute=cpu_peak,
    convention=Text(
        "an instruction is one operation unless lanes and fma say more; cores, not hardware threads",
        "一条指令默认算 1 次运算，SIMD 和 FMA 要另给；按物理核，不按超线程",
    ),
    slips=(
        changed(cpu_peak, "per_cycle", "one_per_fma", ONE_PER_FMA, lambda i: {"fma": False} if i.fma else None),
        changed(cpu_peak, "per_cycle", "one_lane", ONE_LANE, lambda i: {"lanes": 1} if i.lanes > 1 else None),
        changed(cpu_peak, "peak", "one_per_fma", ONE_PER_FMA, lambda i: {"fma": False} if i.fma else None),
        changed(cpu_peak, "peak", "as_fma", NO_FMA, lambda i: None if i.fma else {"fma": True}),
        changed(cpu_peak, "peak", "one_lane", ONE_LANE, lambda i: {"lanes": 1} if i.lanes > 1 else None),
        changed(cpu_peak, "peak", "one_core", ONE_CORE, lambda i: {"cores": 1} if i.cores > 1 else None),
        times(cpu_peak, "peak", "threads_for_cores", SMT, lambda i: 2 if i.fma else None),
    ),
    sources=(
        Reference(
            "Bekman, Machine Learning Engineering, How To Calculate Theoretical TFLOPS",
            "https://github.com/stas00/ml-engineering/blob/master/compute/accelerator/README.md",
        ),
    ),
)


GPU_PEAK = Calculator(
    name="gpu_peak",
    title=Text("Peak of a GPU from its clock", "由频率算 GPU 峰值"),
    inputs=(
        preset("device", Text("GPU", "GPU 型号"), tuple(GPUS), lambda name, _: {"sms": GPUS[name][1]}),
        integer("sms", Text("SMs (or give device)", "SM 数（或给 device）"), high=100_000),
        CLOCK,
        integer(
            "fma_per_cycle", Text("multiply-adds an SM and clock, dense", "每 SM 每周期的乘加次数（稠密）"), high=10**6
        ),
        flag("sparse", Text("2:4 structured sparsity", "是否用 2:4 结构化稀疏")),
    ),
    outputs=(
        Output(
            "peak",
            Text("peak", "峰值算力"),
            "FLOP/s",
            "sms·fma_per_cycle·2·clock",
            lambda i, o: (
                f"{i.sms}·{i.fma_per_cycle:,}·2·{figures.scaled(i.clock, 'Hz')}{'·2' if i.sparse else ''} = "
                f"{figures.peak(o.peak)}"
            ),
        ),
    ),
    compute=gpu_peak,
    convention=Text(
        "dense unless sparse is given; a multiply-add is two FLOP", "不给 sparse 就是稠密；一次乘加算 2 FLOP"
    ),
    slips=(
        times(gpu_peak, "peak", "one_per_fma", ONE_PER_FMA, lambda _: 0.5),
        Slip(
            "one_sm",
            "peak",
            Text("one SM is counted, not the whole GPU", "只算了一个 SM"),
            lambda i: gpu_peak(**{**vars(i), "sms": 1})["peak"],
        ),
        changed(
            gpu_peak,
            "peak",
            "sparse",
            Text("the peak with 2:4 sparsity is given for the dense one", "给的是 2:4 稀疏峰值，不是稠密峰值"),
            lambda i: None if i.sparse else {"sparse": True},
        ),
    ),
    sources=(
        GPU_BACKGROUND,
        Reference(
            "Bekman, Machine Learning Engineering, How To Calculate Theoretical TFLOPS",
            "https://github.com/stas00/ml-engineering/blob/master/compute/accelerator/README.md",
        ),
    ),
)

CALCULATORS = (CPU_PEAK, GPU_PEAK)
