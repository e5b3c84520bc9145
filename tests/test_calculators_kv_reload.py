"""Fetching a cache back against computing it again: each part by the calculators that have it, and the scaling book."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run

RELOAD = find("kv_reload")


def fetched(**given: Any) -> Any:
    return run(RELOAD, {"link": "pcie-5-x16", "device": "h100-sxm", **given}).outputs


@given(
    st.integers(1, 10**6), st.sampled_from(["llama-3-70b", "qwen3-8b", "qwen3-235b-a22b"]), st.sampled_from([1, 2, 4])
)
def test_both_times_are_those_of_their_own_calculators(tokens: Any, model: Any, tp: Any) -> None:
    found = fetched(model=model, tokens=tokens, tp=tp)
    cache = run(find("kv_cache"), {"model": model, "tokens": tokens, "tp": tp}).outputs
    assert found["bytes"] == cache["total"]
    moved = run(find("link_transfer"), {"size": cache["per_gpu"], "link": "pcie-5-x16"}).outputs["time"]
    assert found["reload"] == pytest.approx(moved, rel=1e-6)
    prefill = {"model": model, "tokens": tokens, "tp": tp, "device": "h100-sxm"}
    assert found["recompute"] == pytest.approx(run(find("deployment_fit"), prefill).outputs["ttft"], rel=1e-6)
    assert found["gain"] == pytest.approx(found["recompute"] / found["reload"])


def test_operations_and_cache_of_a_token_in_the_scaling_book() -> None:
    """Serving LLaMA 3-70B: 2·70e9 FLOP a token for a cache of 160 KiB in int8: the ratio decides, not the length."""
    given = {"parameters": 70 * 10**9, "layers": 80, "kv_heads": 8, "head_dim": 128, "bytes_per_element": 1}
    short, long = (fetched(**given, tokens=tokens, efficiency=1) for tokens in (100, 100_000))
    assert short["gain"] == pytest.approx(long["gain"])
    assert long["gain"] == pytest.approx(2 * 70e9 / 989.4e12 / (163_840 / 63.015e9), rel=1e-4)


def test_every_rank_needs_all_of_mlas_cache() -> None:
    one, eight = (fetched(model="deepseek-v3", tokens=1000, tp=tp)["reload"] for tp in (1, 8))
    assert one == eight
    one, eight = (fetched(model="llama-3-70b", tokens=1000, tp=tp)["reload"] for tp in (1, 8))
    assert one == pytest.approx(8 * eight)


def test_every_slip_shows() -> None:
    given = {"model": "qwen3-30b-a3b", "tokens": 8192, "link": "pcie-4-x16", "device": "h100-sxm", "tp": 2}
    check_slips(RELOAD, [given])
