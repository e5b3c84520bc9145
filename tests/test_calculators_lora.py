"""LoRA, QLoRA and the memory and batches of reinforcement learning: against papers' figures and adapters made one by one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

LORA = find("lora_memory")
RL = find("rl_memory")
BATCH = find("global_batch")
PIPELINE = find("pipeline_microbatches")
ROLLOUT = find("rollout_batch")
GB = 10**9


def outputs(calculator: Any, **given: Any) -> Any:
    return run(calculator, given).outputs


# lora_memory: printed figures


@pytest.mark.parametrize(
    ("rank", "targets", "millions"), [(4, "q,v", 18), (1, "q,v", 4.7), (8, "q,v", 37.7), (2, "q,k,v,o", 18)]
)
def test_adapters_of_gpt_3(rank: int, targets: str, millions: float) -> None:
    """Hu et al. 2021, §7.1: 18M is rank 4 in two of 96 layers' attention matrices (or 2 in four); Table 4: 4.7M and 37.7M."""
    found = outputs(LORA, model="gpt-3-175b", rank=rank, targets=targets)["adapter_parameters"]
    assert found / 1e6 == pytest.approx(millions, rel=0.05)
    assert found == 2 * 96 * (2 if targets == "q,v" else 4) * 12288 * rank


def test_a_gpt_3_checkpoint_of_adapters_is_35_mb() -> None:
    """The same, §4.2: 350 GB become 35 MB, 10,000 times less, rank 4 in q and v, FP16; 37.7 MB and 9,250 times exactly."""
    found = outputs(LORA, model="gpt-3-175b", rank=4, state_bytes=2)
    assert found["adapters"] / 1e6 == pytest.approx(35, rel=0.08)
    assert found["base"] / GB == pytest.approx(350, rel=0.005)
    assert found["base"] / found["adapters"] == pytest.approx(10_000, rel=0.08)


def test_gpt_3_trains_in_350_gb_instead_of_1_2_tb_or_2_8() -> None:
    """The same, §4.2: 1.2 TB become 350 GB, a third: their 7 bytes a parameter keep no FP32 master; 16 make 2.8 TB."""
    found = outputs(LORA, model="gpt-3-175b", rank=4)
    assert found["total"] / GB == pytest.approx(350, rel=0.005)
    assert found["full"] / 1e12 == pytest.approx(2.8, rel=0.005)


def test_double_quantization_takes_0_373_bits_off() -> None:
    """Dettmers et al. 2023, §3: 32/64 = 0.5 bits become 8/64 + 32/(64·256) = 0.127; about 3 GB of a 65B model."""
    shape = {"parameters": "65B", "layers": 80, "hidden": 8192, "heads": 64, "ffn": 22016, "rank": 64}
    once, twice = (outputs(LORA, **shape, base=base)["base"] for base in ("nf4", "nf4-double"))
    assert (once - twice) * 8 / 65e9 == pytest.approx(0.373, abs=5e-4)
    assert (once - twice) / GB == pytest.approx(3, abs=0.05)
    assert twice * 8 / 65e9 == pytest.approx(4.127, abs=5e-4)


def test_quantizing_linear_layers_alone_keeps_the_tables_in_16_bits() -> None:
    """bitsandbytes quantizes Linear4bit modules: 1.05 billion of Llama 3 8B's parameters are embedding and head."""
    found = outputs(LORA, model="llama-3-8b", rank=16, base="nf4-double")
    tables = 2 * 128_256 * 4096
    assert found["base_linear"] - found["base"] == pytest.approx(tables * (2 - 4.127 / 8), rel=1e-3)


# Adapters made one by one


@given(
    st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.integers(1, 8), st.integers(1, 20), st.integers(1, 30),
    st.integers(1, 8), st.sampled_from(["q,v", "q,k,v,o", "all-linear"]), st.booleans(),
)  # fmt: skip
def test_adapters_are_two_matrices_beside_each(
    layers: int, kv_heads: int, group: int, head_dim: int, hidden: int, ffn: int, rank: int, targets: str, gated: bool
) -> None:
    q, k = kv_heads * group * head_dim, kv_heads * head_dim
    shapes = {
        "q": (q, hidden),
        "k": (k, hidden),
        "v": (k, hidden),
        "o": (hidden, q),
        "up": (ffn, hidden),
        "down": (hidden, ffn),
    }
    adapted = {"q,v": "qv", "q,k,v,o": "qkvo", "all-linear": "qkvo"}[targets]
    chosen = [shapes[name] for name in adapted]
    if targets == "all-linear":
        chosen += [shapes["up"]] * (2 if gated else 1) + [shapes["down"]]
    made = sum(math.prod((out, rank)) + math.prod((rank, into)) for out, into in chosen)
    found = outputs(
        LORA, parameters="1B", layers=layers, hidden=hidden, heads=kv_heads * group, kv_heads=kv_heads,
        head_dim=head_dim, ffn=ffn, gated=gated, rank=rank, targets=targets,
    )  # fmt: skip
    assert found["adapter_parameters"] == layers * made
    assert found["adapters"] == 16 * layers * made


# rl_memory


@pytest.mark.parametrize(("parameters", "kv", "total"), [("1B", 0, 20), ("10.7B", 0, 214), ("7B", 60, 200)])
def test_grpo_keeps_a_reference_and_an_engine_beside_the_policy(parameters: str, kv: int, total: float) -> None:
    """16·P + 2·P + 2·P and the cache: 20 bytes a parameter, a quarter more than supervised fine-tuning's 16."""
    found = outputs(RL, parameters=parameters, kv=kv * GB)
    assert found["total"] / GB == pytest.approx(total)
    assert outputs(RL, parameters=parameters)["over_sft"] == 1.25


def test_grpo_foregoes_the_critic() -> None:
    """Shao et al. 2024, §4.1: no value model. One as large as the policy would add its 16 bytes a parameter."""
    with_critic = outputs(RL, parameters="7B", critic="7B")
    assert with_critic["total"] - outputs(RL, parameters="7B")["total"] == 16 * 7 * GB
    assert outputs(RL, parameters="7B", reference=False)["reference"] == 0


def test_verls_rule_for_the_rollouts_tensor_parallelism() -> None:
    """verl, docs/perf/best_practices.rst: memory·utilization·TP has to exceed 2·P: the engine's weights in 16 bits."""
    assert outputs(RL, parameters="70B", offload=True)["rollout"] == 2 * 70 * GB


@given(
    st.integers(1, 10**12), st.integers(0, 10**12), st.integers(0, 10**12), st.booleans(),
    st.integers(0, 10**13), st.integers(0, 10**13), st.integers(1, 1000),
)  # fmt: skip
def test_offloading_never_takes_more(
    parameters: int, critic: int, reward: int, reference: bool, kv: int, activations: int, gpus: int
) -> None:
    given = {
        "parameters": parameters, "critic": critic, "reward": reward, "reference": reference, "kv": kv,
        "activations": activations, "gpus": gpus,
    }  # fmt: skip
    resident, offloaded = (outputs(RL, **given, offload=offload) for offload in (False, True))
    for phase in ("rollout", "log_probs", "update", "peak", "per_gpu"):
        assert offloaded[phase] <= resident[phase]
    assert resident["peak"] == max(resident[phase] for phase in ("rollout", "log_probs", "update"))
    assert resident["total"] == resident["rollout"]


# Batches


@pytest.mark.parametrize(
    ("gpus", "tp", "pp", "batch", "parameters"),
    [(1024, 8, 4, 1792, 76.1), (1536, 8, 8, 2304, 145.6), (3072, 8, 64, 3072, 1008)],
)
def test_megatrons_table_1(gpus: int, tp: int, pp: int, batch: int, parameters: float) -> None:
    """Narayanan et al. 2021, Table 1: p·t·d = n, and m = B/(d·b) micro-batches (§3.1), b = 1."""
    found = outputs(PIPELINE, global_batch=batch, micro_batch=1, gpus=gpus, tp=tp, pp=pp)
    assert found["dp"] * tp * pp == gpus
    assert found["microbatches"] == batch // found["dp"]
    again = outputs(BATCH, micro_batch=1, accumulation=found["microbatches"], gpus=gpus, tp=tp, pp=pp)
    assert again["global_batch"] == batch
    assert parameters > 0


@pytest.mark.parametrize(
    ("gpus", "cp", "sequence", "per_replica"), [(8192, 1, 8192, 32), (16_384, 1, 8192, 16), (16_384, 16, 131_072, 16)]
)
def test_llama_3s_16_million_tokens_a_batch(gpus: int, cp: int, sequence: int, per_replica: int) -> None:
    """Llama 3, Table 4: batch size a DP group 32, 16, 16; 16M tokens a batch, with TP 8 and PP 16."""
    found = outputs(BATCH, micro_batch=1, accumulation=per_replica, gpus=gpus, tp=8, pp=16, cp=cp, sequence=sequence)
    assert found["tokens"] == 16 * 2**20


def test_deepseek_maths_single_update() -> None:
    """Shao et al. 2024, §4.2: 64 outputs a question, a training batch of 1024, one update after each exploration."""
    found = outputs(ROLLOUT, prompts=16, group=64, mini_batch=1024, gpus=64)
    assert (found["rollouts"], found["updates"], found["per_replica"]) == (1024, 1, 16)


def test_verl_counts_its_mini_batch_in_prompts() -> None:
    """verl, docs/algo/grpo.md: train_batch_size·rollout.n responses; fsdp_workers.py: ppo_mini_batch_size *= rollout.n."""
    given = {"prompts": 1024, "group": 5, "gpus": 8}
    found = outputs(ROLLOUT, **given, mini_batch=256, mini_batch_in="prompts")
    assert (found["rollouts"], found["responses_per_mini_batch"], found["updates"]) == (5120, 1280, 4)
    assert outputs(ROLLOUT, **given, mini_batch=256)["updates"] == 20


@given(
    st.integers(1, 8), st.integers(1, 64), st.integers(1, 8), st.integers(1, 8), st.integers(1, 4), st.integers(1, 8)
)
def test_global_batch_and_micro_batches_are_each_others_inverse(
    micro: int, accumulation: int, tp: int, pp: int, cp: int, dp: int
) -> None:
    layout = {"micro_batch": micro, "gpus": tp * pp * cp * dp, "tp": tp, "pp": pp, "cp": cp}
    batch = outputs(BATCH, **layout, accumulation=accumulation)
    found = outputs(PIPELINE, **layout, global_batch=batch["global_batch"])
    assert found["microbatches"] == accumulation
    assert found["dp"] == batch["dp"] == dp
    bubble = run(find("pipeline_bubble"), {"stages": pp, "microbatches": accumulation}).outputs
    assert found["bubble_of_ideal"] == bubble["fraction_of_ideal"]


@pytest.mark.parametrize(
    ("calculator", "given"),
    [
        (BATCH, {"micro_batch": 1, "gpus": 12, "tp": 8}),
        (PIPELINE, {"global_batch": 100, "micro_batch": 3, "gpus": 8}),
        (
            PIPELINE,
            {"global_batch": 24, "micro_batch": 1, "gpus": 8, "pp": 8, "chunks": 5, "tp": 1} | {"global_batch": 20},
        ),
        (ROLLOUT, {"prompts": 10, "group": 3, "mini_batch": 7, "gpus": 1}),
        (ROLLOUT, {"prompts": 10, "group": 3, "mini_batch": 30, "gpus": 9, "model_parallel": 2}),
        (LORA, {"parameters": "1B", "layers": 2, "hidden": 8, "heads": 2, "ffn": 8, "rank": 2, "experts": 4}),
    ],
)
def test_what_does_not_divide_is_refused_in_both_languages(calculator: Any, given: Any) -> None:
    with pytest.raises(BadInput) as refused:
        run(calculator, given)
    assert refused.value.text.en
    assert refused.value.text.zh


# Usual mistakes


def test_every_slip_differs_from_the_right_value_somewhere() -> None:
    check_slips(
        LORA,
        (
            {"model": "llama-3-8b", "rank": 64, "targets": "all-linear", "base": "nf4-double"},
            {"model": "llama-3-70b", "rank": 256, "targets": "q,k,v,o", "base": "nf4"},
            {"model": "gpt-3-175b", "rank": 4},
            {"model": "qwen3-0.6b", "rank": 64, "targets": "all-linear", "base": "nf4"},
        ),
    )
    check_slips(
        RL,
        (
            {"parameters": "10.7B", "kv": "60 GB", "activations": "20 GB", "gpus": 8},
            {"parameters": "7B", "critic": "7B", "reward": "7B", "kv": "100 GB", "gpus": 8},
            {"parameters": "7B", "kv": "200 GB", "gpus": 8, "offload": True},
            {"parameters": "7B", "critic": "7B", "gpus": 8, "offload": True},
        ),
    )
    check_slips(
        BATCH, ({"micro_batch": 2, "accumulation": 16, "gpus": 1024, "tp": 8, "pp": 4, "cp": 2, "sequence": 8192},)
    )
    check_slips(PIPELINE, ({"global_batch": 2048, "micro_batch": 1, "gpus": 1024, "tp": 8, "pp": 4, "cp": 2},))
    check_slips(
        ROLLOUT,
        (
            {"prompts": 1024, "group": 16, "mini_batch": 256, "mini_batch_in": "prompts", "epochs": 2, "gpus": 64,
             "model_parallel": 2, "tokens": 2000, "tokens_per_second": 3000},
        ),
    )  # fmt: skip


def test_half_the_adapters_and_sixteen_for_four_bits() -> None:
    given = {"model": "llama-3-8b", "rank": 16, "targets": "all-linear", "base": "nf4-double"}
    right = outputs(LORA, **given)
    assert right["adapter_parameters"] == 41_943_040
    assert slips(LORA, "adapter_parameters", **given)["one_matrix"] * 2 == right["adapter_parameters"]
    assert Fraction(slips(LORA, "base", **given)["sixteen_bits"]) == 2 * 8_030_261_248
