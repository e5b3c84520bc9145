"""Layouts of many GPUs: FSDP and HSDP, 3D parallelism, context parallelism, overlap; against papers and simulations."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.calculators.models import MODELS
from quiz.errors import BadInput

SHARDING = find("hybrid_sharding")
MEMORY = find("parallel_memory")
LAYOUTS = find("parallel_layouts")
CONTEXT = find("context_parallel_traffic")
EXPOSED = find("exposed_communication")
BUCKETS = find("gradient_buckets")
GB = 10**9


def outputs(calculator: Any, **given: Any) -> Any:
    return run(calculator, given).outputs


# hybrid_sharding


def test_four_nodes_of_eight_h200() -> None:
    """7B in BF16: 5.09 GB a NIC by a flat ring, 3.94 hierarchically, 2.63 under HSDP; 48 % and 33 % less.

    One NIC of 50 GB/s a node: 814 ms become 502 in series, 420 overlapped; eight: 102 become 134 or 82.
    """
    found = outputs(SHARDING, parameters="7B", nodes=4)
    assert found["fsdp_nic"] / GB == pytest.approx(5.09, abs=0.005)
    assert found["fsdp_nic_hierarchical"] / GB == pytest.approx(3.94, abs=0.005)
    assert found["hsdp_nic"] / GB == pytest.approx(2.625)
    assert found["nic_saving"] == pytest.approx(0.484, abs=5e-4)
    assert found["nic_saving_hierarchical"] == pytest.approx(1 / 3)
    assert found["fsdp_time"] == pytest.approx(0.1017, abs=5e-5)
    assert found["hsdp_time"] == pytest.approx(0.1342, abs=5e-5)
    assert found["hsdp_time_overlapped"] == pytest.approx(0.0817, abs=5e-5)
    assert found["time_saving"] < 0
    single = outputs(SHARDING, parameters="7B", nodes=4, nics=1)
    assert [round(1000 * single[name]) for name in ("fsdp_time", "hsdp_time", "hsdp_time_overlapped")] == [814, 502, 420]
    assert single["states_ratio"] == 4


def test_fsdps_own_formulas() -> None:
    """Zhao et al. 2023, §3.2.2: 3·M·(W−1)/W a GPU in full sharding, 2·M·(W−1)/(G·W) across hosts in the hybrid.

    The second is loose: an all-reduce of M/G over W/G hosts sends 2·M/G·(W−G)/W. For 4 hosts of 8 the paper's is 29 % more.
    """
    w, g, m = 32, 8, 14 * GB
    found = outputs(SHARDING, parameters="7B", nodes=w // g, gpus=g)
    assert found["fsdp_nvlink"] == pytest.approx(3 * m * (w - 1) / w)
    assert found["hsdp_nic"] == pytest.approx(2 * m / g * (w - g) / w)
    wrong = slips(SHARDING, "hsdp_nic", parameters="7B", nodes=4)["over_all_ranks"]
    assert wrong == pytest.approx(2 * m * (w - 1) / (g * w))
    assert wrong / found["hsdp_nic"] == pytest.approx(1.29, abs=0.005)


def ring_edges(nodes: int, gpus: int, size: Fraction) -> tuple[Fraction, Fraction]:
    """A ring all-gather of `size` played out chunk by chunk: (bytes that each GPU sends, that leave each node)."""
    ranks = nodes * gpus
    sent, left = [Fraction(0)] * ranks, [Fraction(0)] * nodes
    for _, rank in itertools.product(range(ranks - 1), range(ranks)):
        sent[rank] += size / ranks
        if rank // gpus != (rank + 1) % ranks // gpus:
            left[rank // gpus] += size / ranks
    assert len(set(sent)) == len(set(left)) == 1
    return sent[0], left[0]


@pytest.mark.parametrize(("nodes", "gpus"), [(2, 2), (2, 8), (4, 8), (3, 5)])
def test_a_flat_ring_sends_as_much_over_a_node_s_edge_as_over_each_link(nodes: int, gpus: int) -> None:
    sent, left = ring_edges(nodes, gpus, Fraction(2 * 10**9))
    found = outputs(SHARDING, parameters=10**9, nodes=nodes, gpus=gpus, nics=2)
    assert found["fsdp_nvlink"] == pytest.approx(float(3 * sent))
    assert found["fsdp_nic"] == pytest.approx(float(3 * left / 2))


@given(st.integers(1, 64), st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 4, 8]))
def test_hsdp_never_sends_more_across_nodes(nodes: int, gpus: int, nics: int) -> None:
    found = outputs(SHARDING, parameters="7B", nodes=nodes, gpus=gpus, nics=nics)
    assert found["hsdp_nic"] <= found["fsdp_nic_hierarchical"] <= found["fsdp_nic"]
    assert found["hsdp_time_overlapped"] <= found["hsdp_time"]


# parallel_memory


def megatron(model: str, tp: int, pp: int, dp: int) -> float:
    """theoretical_memory_usage.py: (block/pp + embedding)/tp parameters, an untied head too where pp is 1; 6 + 12/d bytes."""
    shape = MODELS[model]
    kv = shape.kv_heads / shape.heads
    ratio = shape.head_dim * shape.heads / shape.hidden
    attention = 2 * shape.hidden**2 * (1 + kv) * ratio
    block = shape.layers * (2 * shape.hidden * (shape.ffn * 1.5 + 1) + attention) + shape.hidden
    table = shape.hidden * shape.vocab
    most = (block / pp + table) / tp + (table / tp if pp == 1 and not shape.tied else 0)
    return most * (6 + 12 / dp)


@pytest.mark.parametrize(
    ("model", "tp", "pp", "dp"), [("llama-3.1-405b", 8, 16, 8), ("llama-3-70b", 8, 1, 8), ("llama-3-8b", 1, 4, 2), ("llama-3.2-3b", 2, 1, 4)]
)
def test_megatrons_most_loaded_shard(model: str, tp: int, pp: int, dp: int) -> None:
    """Megatron-LM, theoretical_memory_usage.py, with its distributed optimizer: bf16, fp32 gradients, 6 + 12/d bytes."""
    found = outputs(MEMORY, model=model, gpus=tp * pp * dp, tp=tp, pp=pp, gradient_bytes=4)
    assert found["bytes_per_parameter"] == 6 + 12 / dp
    assert found["first_stage"] == pytest.approx(megatron(model, tp, pp, dp), rel=1e-6)


def test_the_first_stage_of_405b_takes_7_per_cent_more_than_an_even_split() -> None:
    found = outputs(MEMORY, model="llama-3.1-405b", gpus=1024, tp=8, pp=16, gradient_bytes=4)
    assert found["per_gpu"] / GB == pytest.approx(23.78, abs=0.005)
    assert found["first_stage"] / GB == pytest.approx(25.50, abs=0.005)


@pytest.mark.parametrize(("gradient_bytes", "optimizer_bytes", "printed"), [(4, 12, (18, 6)), (2, 16, (20, 4))])
def test_megatrons_table_of_bytes(gradient_bytes: int, optimizer_bytes: int, printed: Any) -> None:
    """Megatron-LM, dist_optimizer.md: bf16 with fp32 gradients 18 and 6 + 12/d; fp16 with fp16 gradients 20 and 4 + 16/d."""
    widths = {"parameters": "7B", "gradient_bytes": gradient_bytes, "optimizer_bytes": optimizer_bytes}
    whole, kept = printed
    assert outputs(MEMORY, gpus=8, zero=0, **widths)["bytes_per_parameter"] == whole
    for d in (2, 8, 64):
        assert outputs(MEMORY, gpus=d, zero=1, **widths)["bytes_per_parameter"] == kept + (whole - kept) / d


@given(st.sampled_from([1, 2, 4, 8]), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2]), st.integers(1, 8), st.integers(0, 3))
def test_all_gpus_together_hold_what_one_would_and_the_copies(tp: int, pp: int, cp: int, dp: int, zero: int) -> None:
    gpus = tp * pp * cp * dp
    found = outputs(MEMORY, parameters="7B", gpus=gpus, tp=tp, pp=pp, cp=cp, zero=zero)
    copies = [dp * cp if zero < stage else 1 for stage in (3, 2, 1)]
    whole = sum(width * copy for width, copy in zip((2, 2, 12), copies, strict=True))
    assert found["per_gpu"] * gpus == pytest.approx(7 * GB * whole)
    assert found["dp"] == dp


def test_llama_3s_table_4() -> None:
    """Llama 3, Table 4: TP 8, PP 16 and CP 1 or 16 leave DP 64, 128 and 8 (one stored copy prints 4, which gives 8,192 GPUs)."""
    for gpus, cp, dp in ((8192, 1, 64), (16_384, 1, 128), (16_384, 16, 8)):
        assert outputs(MEMORY, model="llama-3.1-405b", gpus=gpus, tp=8, pp=16, cp=cp)["dp"] == dp


def test_tp_beyond_the_kv_heads_copies_them() -> None:
    assert outputs(MEMORY, model="llama-3-70b", gpus=16, tp=16)["kv_copies"] == 2
    with pytest.raises(BadInput) as refused:
        outputs(MEMORY, model="llama-3-70b", gpus=12, tp=8)
    assert refused.value.text.zh


# parallel_layouts


@pytest.mark.parametrize("model", ["llama-3-8b", "llama-3-70b", "qwen2.5-7b"])
@pytest.mark.parametrize(("gpus", "memory", "zero"), [(8, 80, 1), (64, 80, 1), (64, 40, 0), (128, 80, 3)])
def test_layouts_are_those_of_a_search_over_everything(model: str, gpus: int, memory: int, zero: int) -> None:
    shape = MODELS[model]
    legal, fitting = 0, []
    for tp, pp in itertools.product(range(1, gpus + 1), repeat=2):
        divides = 8 % tp == shape.heads % tp == shape.kv_heads % tp == shape.layers % pp == gpus % (tp * pp) == 0
        if divides:
            legal += 1
            found = outputs(MEMORY, model=model, gpus=gpus, tp=tp, pp=pp, zero=zero)["per_gpu"]
            if found <= memory * GB:
                fitting.append((tp * pp, pp, tp))
    found = outputs(LAYOUTS, model=model, gpus=gpus, memory=memory * GB, zero=zero)
    assert (found["legal"], found["fitting"]) == (legal, len(fitting))
    if fitting:
        size, pp, tp = min(fitting)
        assert (found["smallest"], found["pp"], found["tp"], found["dp"]) == (size, pp, tp, gpus // size)
    else:
        assert found["smallest"] is None


def test_72b_needs_more_than_eight_80_gb_gpus() -> None:
    """16·P over 8 GPUs is 145 GB each, however they are laid out."""
    assert outputs(LAYOUTS, model="qwen2.5-72b", gpus=8, zero=3)["fitting"] == 0
    assert outputs(LAYOUTS, model="qwen2.5-72b", gpus=64)["smallest"] == 8


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
    assert 0.560 * 37.83 / 39.15 == pytest.approx(0.542, abs=0.001)  # the MFU that it prints for the longer step


@given(st.floats(0.001, 1e3), st.floats(0.001, 1e3), st.floats(0, 1))
def test_overlap_lies_between_sum_and_maximum(compute: float, communication: float, overlap: float) -> None:
    found = outputs(EXPOSED, compute=compute, communication=communication, overlap=overlap)
    least, most = max(compute, communication), compute + communication
    assert least * (1 - 1e-9) <= found["time"] <= most * (1 + 1e-9)
    assert 1 - 1e-9 <= found["speedup"] <= found["ceiling"] * (1 + 1e-9) <= 2 + 1e-6


def played(size: Fraction, count: int, forward: Fraction, backward: Fraction, bandwidth: Fraction, latency: Fraction) -> Fraction:
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
    expected = played(*(Fraction(part) for part in (size,)), count, *(Fraction(part) for part in (forward, backward, bandwidth, latency)))
    assert found["buckets"] == count
    assert found["time"] == pytest.approx(float(expected))


def test_ddps_buckets_are_25_mebibytes() -> None:
    """torch.nn.parallel.DistributedDataParallel: "If None, a default size of 25 MiB will be used"."""
    found = run(BUCKETS, {"size": "14 GB", "forward": 0.1, "backward": 0.2, "bandwidth": "80 GB/s"})
    assert found.inputs["bucket"] == 25 * 2**20
    assert found.outputs["buckets"] == math.ceil(14e9 / (25 * 2**20))


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    check_slips(
        SHARDING,
        ({"parameters": "7B", "nodes": 4}, {"parameters": "7B", "nodes": 4, "nics": 1}, {"parameters": "70B", "nodes": 16, "nvlink": "200 GB/s"},
         {"parameters": "7B", "nodes": 4, "nics": 4}),
    )  # fmt: skip
    check_slips(
        MEMORY,
        (
            {"model": "llama-3.1-405b", "gpus": 2048, "tp": 8, "pp": 16, "cp": 4, "gradient_bytes": 4},
            {"model": "llama-3-70b", "gpus": 64, "tp": 8, "zero": 0},
        ),
    )
    check_slips(
        LAYOUTS,
        (
            {"model": "llama-3-70b", "gpus": 64, "memory": "80 GB", "reserve": "40 GB"},
            {"model": "qwen3-30b-a3b", "gpus": 512, "memory": "40 GB", "reserve": "5 GB", "zero": 2},
            {"model": "qwen2.5-7b", "gpus": 64, "memory": "24 GB", "reserve": "8 GB"},
            {"model": "llama-2-7b", "gpus": 64, "memory": "24 GB", "reserve": "8 GB"},
            {"model": "llama-3.1-405b", "gpus": 768, "reserve": "20 GB"},
            {"model": "qwen3-235b-a22b", "gpus": 752},
        ),
    )
    check_slips(CONTEXT, ({"model": "llama-3-70b", "sequence": 131_072, "cp": 8},))
    check_slips(EXPOSED, ({"compute": 0.1, "communication": 0.04, "overlap": 0.75}, {"compute": 0.1, "communication": 0.08, "overlap": 0.25}))
    check_slips(
        BUCKETS,
        (
            {"size": "14 GB", "forward": 0.1, "backward": 0.2, "bandwidth": "80 GB/s", "latency": "50 us"},
            {"size": "14 GB", "forward": 0.1, "backward": 0.2, "bandwidth": "40 GB/s"},
            {"size": "14 GB", "bucket": "4 GiB", "forward": 0.1, "backward": 0.2, "bandwidth": "80 GB/s"},
        ),
    )
