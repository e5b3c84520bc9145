"""Moving a KV cache: against DistServe's printed figures and Insights into DeepSeek-V3."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

TRANSFER, CACHE = find("kv_transfer"), find("kv_cache")
OPT_66B = {"layers": 64, "kv_heads": 72, "head_dim": 128, "tokens": 512}


def moved(**given: Any) -> Any:
    return run(TRANSFER, given).outputs


def test_distserves_example() -> None:
    """DistServe, §3.3, as quoted: 512 tokens on OPT-66B carry about 1.13 GB, 10 requests a second need 90 Gbps. 1.13 is
    GiB (1.208 GB), and 10 times it in bits 96.6 Gbps: the paper rounds twice."""
    found = moved(**OPT_66B, rate=10)
    assert found["bytes"] / 2**30 == pytest.approx(1.125)
    assert found["needed_bandwidth"] * 8 / 1e9 == pytest.approx(96.6, abs=0.05)
    assert found["needed_bandwidth"] * 8 / 1e9 == pytest.approx(90, rel=0.08)


@pytest.mark.parametrize(
    ("model", "bytes_a_token"), [("deepseek-v3", 70_272), ("qwen2.5-72b", 327_680), ("llama-3.1-405b", 516_096)]
)
def test_the_bytes_of_insights_into_deepseek_v3(model: Any, bytes_a_token: Any) -> None:
    """Zhao et al. 2025, Table 1: 70.272, 327.680 and 516.096 KB a token (KB = 1000 B)."""
    assert moved(model=model, tokens=1000)["bytes"] == 1000 * bytes_a_token


@given(st.integers(1, 10**6), st.integers(1, 16), st.floats(0.1, 1))
def test_links_and_efficiency_share_the_time(tokens: Any, links: Any, efficiency: Any) -> None:
    one = moved(model="llama-3-70b", tokens=tokens, bandwidth="400 Gb/s")
    many = moved(model="llama-3-70b", tokens=tokens, bandwidth="400 Gb/s", links=links, efficiency=efficiency)
    assert many["time"] == pytest.approx(one["time"] / links / efficiency, rel=1e-5)
    assert one["time"] == pytest.approx(one["bytes"] / 50e9)


def test_the_bytes_are_those_of_the_cache() -> None:
    for model in ("llama-3-8b", "deepseek-v3", "gpt-oss-20b"):
        whole = run(CACHE, {"model": model, "tokens": 3000}).outputs["total"]
        assert moved(model=model, tokens=3000)["bytes"] == whole


def test_every_slip_shows() -> None:
    rates = {"tokens": 4096, "bandwidth": "400 Gb/s", "rate": 5, "links": 2, "efficiency": 0.8}
    check_slips(
        TRANSFER,
        [rates | {"model": name} for name in ("qwen3-32b", "deepseek-v3")] + [rates | {"model": "gpt-oss-20b"}],
    )


def test_bits_for_bytes_is_off_by_eight() -> None:
    found = slips(TRANSFER, "time", **OPT_66B, bandwidth="400 Gb/s")
    assert found["bits_for_bytes"] == pytest.approx(moved(**OPT_66B, bandwidth="400 Gb/s")["time"] / 8)
