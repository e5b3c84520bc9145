"""Occupancy: against cuda_occupancy.h itself, the guides' printed cases, and blocks placed one by one."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.sm_limits import CAPABILITIES

OCCUPANCY = find("occupancy")
LIMITS = ((1, "warps"), (2, "registers"), (4, "shared_memory"), (8, "blocks"))
TABLE = (Path(__file__).parent / "data" / "occupancy.tsv").read_text()
ROWS = list(csv.DictReader(TABLE.splitlines(), delimiter="\t"))


def occupancy(**given: Any) -> Any:
    return run(OCCUPANCY, given).outputs


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_nvidias_own_calculator_agrees(capability: Any) -> None:
    """cudaOccMaxActiveBlocksPerMultiprocessor of CUDA 13.0, 20 kernels for each compute capability."""
    rows = [row for row in ROWS if row["capability"] == capability]
    assert len(rows) == 20
    for row in rows:
        found = occupancy(
            capability=capability, threads=row["threads"], registers=row["registers"], shared=row["shared"]
        )
        for name in ("blocks", "by_warps", "by_registers", "by_shared"):
            expected = None if row[name] == "-1" else int(row[name])
            assert found[name] == expected, (row, name)
        limiters = int(row["limiters"])
        assert found["limiter"] == ", ".join(name for bit, name in LIMITS if limiters & bit), row


@pytest.mark.parametrize(("threads", "blocks", "per_cent"), [(128, 12, 75), (320, 4, 62.5)])
def test_37_registers_on_volta(threads: Any, blocks: Any, per_cent: Any) -> None:
    """Best Practices Guide, 10.1.1: 128-thread blocks with 37 registers reach 75 % with 12 blocks, 320-thread blocks 63 %
    (62.5) with four."""
    found = occupancy(capability="7.0", threads=threads, registers=37)
    assert (found["blocks"], found["occupancy"] * 100) == (blocks, per_cent)


@pytest.mark.parametrize(
    ("capability", "warps", "blocks", "kib"),
    [
        ("7.5", 32, 16, 64),
        ("8.0", 64, 32, 164),
        ("8.6", 48, 16, 100),
        ("8.9", 48, 24, 100),
        ("9.0", 64, 32, 228),
        ("10.0", 64, 32, 228),
        ("12.0", 48, 24, 100),
    ],
)
def test_the_table_of_technical_specifications(capability: Any, warps: Any, blocks: Any, kib: Any) -> None:
    """CUDA C++ Programming Guide, table 27: resident warps and blocks, shared memory of an SM."""
    sm = CAPABILITIES[capability]
    assert (sm.warps, sm.blocks, sm.shared) == (warps, blocks, kib * 1024)
    assert occupancy(capability=capability, threads=32, registers=16)["blocks"] == min(warps, blocks)


def test_the_kibibyte_that_the_system_takes() -> None:
    """12 KiB a block on Hopper: 17 blocks, not 19."""
    given = {"device": "h100-sxm", "threads": 64, "registers": 32, "shared": "12 KiB"}
    assert occupancy(**given)["by_shared"] == 17
    assert slips(OCCUPANCY, "by_shared", **given)["no_reserve"] == 19


def test_the_33rd_register_costs_seven_more() -> None:
    """33 registers take 40: 12 blocks of 128 threads, though 65,536/(33·128) is 15."""
    given = {"capability": "9.0", "threads": 128, "registers": 33}
    assert occupancy(**given)["by_registers"] == occupancy(**given | {"registers": 40})["by_registers"] == 12
    assert slips(OCCUPANCY, "by_registers", **given)["no_rounding"] == 15


def place(threads: int, registers: int) -> int:
    """Blocks that find room for all of their warps, each warp in whichever of the four partitions has registers left."""
    warps, each = -(-threads // 32), -(-32 * registers // 256) * 256
    if each * (-(-warps // 4) * 4) > 65_536:
        return 0
    free, blocks = [16_384] * 4, 0
    while True:
        for _ in range(warps):
            partition = max(range(4), key=lambda n: free[n])
            if free[partition] < each:
                return blocks
            free[partition] -= each
        blocks += 1


@given(st.integers(1, 1024), st.integers(1, 255))
def test_registers_hold_the_blocks_that_can_be_placed(threads: Any, registers: Any) -> None:
    assert occupancy(capability="9.0", threads=threads, registers=registers)["by_registers"] == place(
        threads, registers
    )


@given(st.sampled_from(sorted(CAPABILITIES)), st.integers(1, 1024), st.integers(1, 255), st.integers(0, 250_000))
def test_more_of_anything_never_raises_the_blocks(capability: Any, threads: Any, registers: Any, shared: Any) -> None:
    given = {"capability": capability, "threads": threads, "registers": registers, "shared": shared}
    blocks = occupancy(**given)["blocks"]
    for name, most in (("threads", 1024), ("registers", 255), ("shared", 2**20)):
        if given[name] < most:
            assert occupancy(**given | {name: given[name] + 1})["blocks"] <= blocks


def test_a_kernel_that_asks_for_too_much_cannot_be_launched() -> None:
    assert occupancy(capability="9.0", threads=1024, registers=128)["blocks"] == 0
    found = occupancy(capability="9.0", threads=32, shared="228 KiB")
    assert (found["blocks"], found["occupancy"], found["limiter"]) == (0, 0, "shared_memory")


def test_every_slip_shows() -> None:
    check_slips(
        OCCUPANCY,
        [
            {"capability": "9.0", "threads": 128, "registers": 33, "shared": "2 KiB"},
            {"capability": "9.0", "threads": 64, "registers": 16, "shared": "12 KiB"},
            {"capability": "9.0", "threads": 32, "registers": 16},
        ],
    )
