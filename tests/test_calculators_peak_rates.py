"""Peaks from the clock: against data sheets as Bekman and NVIDIA compute them, and Fugaku's."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.devices import DEVICES

CPU, GPU = find("cpu_peak"), find("gpu_peak")


@pytest.mark.parametrize(
    ("units", "mhz", "fma", "tera"),
    [(528, 1830, 512, 989.430), (432, 1410, 256, 311.87), (1216, 2100, 256, 1307.4), (880, 1700, 128, 383.0)],
)
def test_bf16_by_matrix_cores(units: Any, mhz: Any, fma: Any, tera: Any) -> None:
    """Bekman, How To Calculate Theoretical TFLOPS: H100 SXM, A100 SXM, MI300X, MI250X."""
    found = run(GPU, {"sms": units, "clock": f"{mhz} MHz", "fma_per_cycle": fma}).outputs["peak"]
    assert found / 1e12 == pytest.approx(tera, abs=0.05)


@pytest.mark.parametrize(
    ("sms", "ghz", "fma", "tera"), [(80, 1.53, 64, 15.7), (108, 1.41, 512, 156), (108, 1.41, 1024, 312)]
)
def test_the_peaks_of_nvidias_guide(sms: Any, ghz: Any, fma: Any, tera: Any) -> None:
    """GPU Performance Background User's Guide: V100 15.7 TFLOPS FP32, A100 156 TF32 and 312 FP16."""
    found = run(GPU, {"sms": sms, "clock": f"{ghz} GHz", "fma_per_cycle": fma}).outputs["peak"]
    assert found / 1e12 == pytest.approx(tera, rel=0.003)


@pytest.mark.parametrize(("device", "mhz", "fma"), [("h100-sxm", 1830, 2048), ("a100-sxm-80gb", 1410, 1024)])
def test_the_presets_agree_with_their_clocks(device: Any, mhz: Any, fma: Any) -> None:
    found = run(GPU, {"device": device, "clock": f"{mhz} MHz", "fma_per_cycle": fma}).outputs["peak"]
    assert found == pytest.approx(DEVICES[device].dense["bf16"], rel=1e-3)


def test_fugaku() -> None:
    """158,976 A64FX of 48 cores at 2.2 GHz, two 512-bit FMA pipelines: 3.4 TFLOPS each, 537 PFLOPS together."""
    a64fx = {"cores": 48, "clock": "2.2 GHz", "instructions_per_cycle": 2, "lanes": 8, "fma": True}
    assert run(CPU, a64fx).outputs["peak"] / 1e12 == pytest.approx(3.4, abs=0.03)
    assert run(CPU, a64fx | {"sockets": 158_976}).outputs["peak"] / 1e15 == pytest.approx(537, abs=0.5)


@pytest.mark.parametrize(("lanes", "fma", "giga"), [(1, False, 48), (1, True, 96), (8, True, 768)])
def test_four_cores_at_3_ghz(lanes: Any, fma: Any, giga: Any) -> None:
    """Four instructions a cycle: 48 GFLOP/s if each is one operation, 96 as multiply-adds, 768 on eight lanes."""
    given = {"cores": 4, "clock": "3.0 GHz", "instructions_per_cycle": 4, "lanes": lanes, "fma": fma}
    assert run(CPU, given).outputs["peak"] == giga * 10**9


def test_every_slip_shows() -> None:
    cpu = {"sockets": 2, "cores": 32, "clock": "2.5 GHz", "instructions_per_cycle": 2}
    check_slips(CPU, [cpu | {"lanes": 8, "fma": True}, cpu])
    check_slips(GPU, [{"device": "h100-sxm", "clock": "1830 MHz", "fma_per_cycle": 2048}])


def test_the_sparse_peak_is_twice_the_dense_one() -> None:
    given = {"sms": 132, "clock": "1830 MHz", "fma_per_cycle": 2048}
    assert slips(GPU, "peak", **given)["sparse"] == 2 * run(GPU, given).outputs["peak"]
