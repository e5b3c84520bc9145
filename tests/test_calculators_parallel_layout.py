"""Layouts of many GPUs: FSDP and HSDP, 3D parallelism; against papers, Megatron-LM's estimate and a ring played out."""

from __future__ import annotations

import itertools
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
    assert [round(1000 * single[name]) for name in ("fsdp_time", "hsdp_time", "hsdp_time_overlapped")] == [
        814,
        502,
        420,
    ]
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
    ("model", "tp", "pp", "dp"),
    [("llama-3.1-405b", 8, 16, 8), ("llama-3-70b", 8, 1, 8), ("llama-3-8b", 1, 4, 2), ("llama-3.2-3b", 2, 1, 4)],
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


@given(
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 2]),
    st.integers(1, 8),
    st.integers(0, 3),
)
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
