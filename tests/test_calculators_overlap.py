"""Communication beside compute: context parallelism, overlap, gradient buckets; against papers and schedules played out."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from calculator_checks import check_slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

CONTEXT = find("context_parallel_traffic")
EXPOSED = find("exposed_communication")
BUCKETS = find("gradient_buckets")


def outputs(calculator: Any, **given: Any) -> Any:
    return run(calculator, given).outputs


# context_parallel_traffic


def test_llama_3_gathers_keys_and_values_because_they_are_small() -> None:
    """Llama 3, §3.3.2: K and V "are much smaller than Q tensor due to the use of GQA": 2·8/128 of it for 405B."""
    found = outputs(CONTEXT, model="llama-3.1-405b", sequence=131_072, cp=16)
    assert found["kv_over_q"] == 2 * 8 / 128
    assert found["all_gather_kv"] < found["all_gather_q"] / 16
    assert found["cheapest"] == "all_gather_kv"
    assert found["ulysses"] is None  # 8 KV heads over 16 GPUs


def test_ulysses_moves_4nh_over_p() -> None:
    """DeepSpeed-Ulysses: 3·N·h for Q, K, V and N·h for the output, aggregate M over P GPUs; M·(P−1)/P² without the own part."""
    n, h, p = 65_536, 4096, 8
    found = outputs(CONTEXT, heads=32, kv_heads=32, head_dim=128, sequence=n, cp=p)
    assert found["ulysses"] == 2 * 4 * n * h * (p - 1) / p**2


def test_one_query_moves_itself_not_the_cache() -> None:
    found = outputs(CONTEXT, model="llama-3-70b", sequence=131_072, queries=1, cp=8)
    assert found["cheapest"] == "all_gather_q"
    assert found["all_gather_q"] * 1000 < found["all_gather_kv"]


@given(st.integers(2, 16), st.integers(1, 8), st.integers(1, 8), st.integers(1, 64), st.integers(1, 1000))
def test_a_ring_moves_what_an_all_gather_does(cp: int, kv_heads: int, group: int, head_dim: int, tokens: int) -> None:
    """Played out: every block of s/c tokens goes round c−1 GPUs."""
    found = outputs(CONTEXT, heads=kv_heads * group, kv_heads=kv_heads, head_dim=head_dim, sequence=tokens * cp, cp=cp)
    block = tokens * 2 * kv_heads * head_dim * 2
    assert found["ring_step"] == block
    assert found["ring"] == found["all_gather_kv"] == sum(block for _ in range(cp - 1))


def test_mla_is_refused() -> None:
    with pytest.raises(BadInput) as refused:
        outputs(CONTEXT, model="deepseek-v3", sequence=4096, cp=8)
    assert refused.value.text.zh


# exposed_communication and gradient_buckets


def test_korthikantis_data_parallel_step() -> None:
    """Korthikanti et al. 2022, §6.3: nothing hidden, 37.83 s become 39.15 s; "an efficient overlap" could spare nearly all."""
    reduction = 39.15 - 37.83
    assert outputs(EXPOSED, compute=37.83, communication=reduction, overlap=0)["time"] == pytest.approx(39.15)
    assert outputs(EXPOSED, compute=37.83, communication=reduction, overlap=1)["time"] == pytest.approx(37.83)
    mfu = 0.560 * 37.83 / 39.15
    assert mfu == pytest.approx(0.542, abs=0.001)  # the MFU that it prints for the longer step


@given(st.floats(0.001, 1e3), st.floats(0.001, 1e3), st.floats(0, 1))
def test_overlap_lies_between_sum_and_maximum(compute: float, communication: float, overlap: float) -> None:
    found = outputs(EXPOSED, compute=compute, communication=communication, overlap=overlap)
    least, most = max(compute, communication), compute + communication
    assert least * (1 - 1e-9) <= found["time"] <= most * (1 + 1e-9)
    assert 1 - 1e-9 <= found["speedup"] <= found["ceiling"] * (1 + 1e-9) <= 2 + 1e-6


def played(
    size: Fraction, count: int, forward: Fraction, backward: Fraction, bandwidth: Fraction, latency: Fraction
) -> Fraction:
    """Bucket by bucket: a bucket is ready after its part of the backward pass and waits for the wire."""
    wire = Fraction(0)
    for place in range(1, count + 1):
        ready = forward + backward * place / count
        wire = max(wire, ready) + latency + size / count / bandwidth
    return max(wire, forward + backward)


@given(
    st.integers(1, 10**6), st.integers(1, 10**5), st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 10**4), st.integers(0, 50)
)  # fmt: skip
def test_buckets_take_as_long_as_when_played_out(
    size: int, bucket: int, forward: int, backward: int, bandwidth: int, latency: int
) -> None:
    bucket = max(bucket, size // 200 + 1)
    found = outputs(
        BUCKETS, size=size, bucket=bucket, forward=forward, backward=backward, bandwidth=bandwidth, latency=latency
    )
    count = math.ceil(Fraction(size, bucket))
    expected = played(
        *(Fraction(part) for part in (size,)),
        count,
        *(Fraction(part) for part in (forward, backward, bandwidth, latency)),
    )
    assert found["buckets"] == count
    assert found["time"] == pytest.approx(float(expected))


def test_ddps_buckets_are_25_mebibytes() -> None:
    """torch.nn.parallel.DistributedDataParallel: "If None, a default size of 25 MiB will be used"."""
    found = run(BUCKETS, {"size": "14 GB", "forward": 0.1, "backward": 0.2, "bandwidth": "80 GB/s"})
    assert found.inputs["bucket"] == 25 * 2**20
    assert found.outputs["buckets"] == math.ceil(14e9 / (25 * 2**20))


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    check_slips(CONTEXT, ({"model": "llama-3-70b", "sequence": 131_072, "cp": 8},))
    check_slips(
        EXPOSED,
        (
            {"compute": 0.1, "communication": 0.04, "overlap": 0.75},
            {"compute": 0.1, "communication": 0.08, "overlap": 0.25},
        ),
    )
    check_slips(
        BUCKETS,
        (
            {"size": "14 GB", "forward": 0.1, "backward": 0.2, "bandwidth": "80 GB/s", "latency": "50 us"},
            {"size": "14 GB", "forward": 0.1, "backward": 0.2, "bandwidth": "40 GB/s"},
            {"size": "14 GB", "bucket": "4 GiB", "forward": 0.1, "backward": 0.2, "bandwidth": "80 GB/s"},
        ),
    )
