"""Links: against the tables of Machine Learning Engineering."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

PCIE, TRANSFER = find("pcie_link"), find("link_transfer")


@pytest.mark.parametrize(("generation", "one", "both"), [(4, 31, 62), (5, 63, 126), (6, 121, 242), (7, 242, 484)])
def test_the_pcie_table(generation: Any, one: Any, both: Any) -> None:
    """Bekman, network, PCIe × 16: 31, 63, 121 and 242 GBps in one direction (31.5 for generation 4, unrounded)."""
    found = run(PCIE, {"generation": generation}).outputs
    assert found["bandwidth"] / 1e9 == pytest.approx(one, rel=0.02)
    assert found["both_directions"] / 1e9 == pytest.approx(both, rel=0.02)


@pytest.mark.parametrize(("link", "times"), [("nvlink-4", 7), ("nvlink-5", 14)])
def test_nvlink_is_7_and_14_times_faster(link: Any, times: Any) -> None:
    """The same: "NVLink is 7x faster than PCIe" on Hopper nodes with PCIe 5, 14x on Blackwell."""
    slow, fast = (run(TRANSFER, {"size": "1 GB", "link": name}).outputs["time"] for name in ("pcie-5-x16", link))
    assert slow / fast == pytest.approx(times, rel=0.03)


def test_an_offloaded_gigabyte() -> None:
    """1 GB over PCIe 5 × 16 takes 15.9 ms; with 128 GB/s, both directions together, it would be half."""
    found = run(TRANSFER, {"size": "1 GB", "link": "pcie-5-x16"}).outputs["time"]
    assert found == pytest.approx(15.87e-3, rel=1e-3)
    assert slips(TRANSFER, "time", size="1 GB", link="pcie-5-x16")["both_directions"] == pytest.approx(found / 2)


@given(st.integers(1, 10**12), st.floats(0.01, 1), st.floats(0, 1))
def test_time_and_rate_make_the_size(size: Any, efficiency: Any, latency: Any) -> None:
    given = {"size": size, "link": "network-400g", "efficiency": efficiency, "latency": latency}
    found = run(TRANSFER, given).outputs
    assert found["time"] * found["rate"] == pytest.approx(size)
    assert found["rate"] <= 50e9 * efficiency * 1.0001
    assert found["time"] >= latency


def test_lanes_add_up() -> None:
    one, sixteen = (run(PCIE, {"generation": 5, "lanes": lanes}).outputs["bandwidth"] for lanes in (1, 16))
    assert sixteen == pytest.approx(16 * one)


def test_every_slip_shows() -> None:
    check_slips(PCIE, [{"generation": 2}])
    check_slips(TRANSFER, [{"size": "1 GB", "link": "pcie-5-x16", "efficiency": 0.8, "latency": "5 us"}])
