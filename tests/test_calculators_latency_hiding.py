"""Little's law: the printed example, a queue played out, and what CUB keeps in flight."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

HIDING = find("latency_hiding")


def hidden(**given: Any) -> Any:
    return run(HIDING, given).outputs


@pytest.mark.parametrize(("throughput", "concurrency"), [(1, 400), (10, 4000)])
def test_the_example_of_the_gpu_glossary(throughput: Any, concurrency: Any) -> None:
    """Modal, GPU Glossary: 1 a cycle and 400 cycles need 400 in flight, 10 a cycle 4000. Here in bytes, a cycle of 1 ns."""
    assert hidden(bandwidth=throughput * 10**9, latency="400 ns", sms=1)["in_flight"] == concurrency


@pytest.mark.parametrize(("device", "kib"), [("a100-sxm-80gb", 16), ("h100-sxm", 32), ("h200", 48), ("b200", 64)])
def test_what_cub_keeps_in_flight_hides_about_a_microsecond(device: Any, kib: Any) -> None:
    """CCCL, arch_to_min_bytes_in_flight: 16 KiB an SM on A100, 32 on H100, 48 on H200, 64 on B200. By Little's law that
    covers 0.85 to 1.4 µs: the latency of memory under load."""
    low, high = (hidden(device=device, latency=latency)["per_sm"] for latency in ("0.85 us", "1.4 us"))
    assert low < kib * 1024 < high


@given(st.integers(1, 50), st.integers(1, 50))
def test_a_memory_that_serves_one_a_tick_is_busy_with_latency_requests(latency: Any, threads: Any) -> None:
    """Each thread asks again when its answer comes: with fewer threads than ticks of latency the memory idles."""
    ready, served, ticks = [0] * threads, 0, 1000
    for tick in range(ticks):
        waiting = [thread for thread in range(threads) if ready[thread] <= tick]
        if waiting:
            ready[waiting[0]] = tick + latency
            served += 1
    needed = hidden(bandwidth=10**9, latency=latency * 1e-9, sms=1, bytes_per_thread=1)["threads_per_sm"]
    assert needed == latency
    assert (served == ticks) == (threads >= needed)


def test_the_parts_of_an_h100() -> None:
    found = hidden(device="h100-sxm", latency="600 ns")
    assert found["in_flight"] == 2_010_000
    assert found["per_sm"] == pytest.approx(15_227, abs=1)
    assert (found["threads_per_sm"], found["warps_per_sm"]) == (952, 30)


def test_every_slip_shows() -> None:
    check_slips(HIDING, [{"device": "h100-sxm", "latency": "600 ns"}])
