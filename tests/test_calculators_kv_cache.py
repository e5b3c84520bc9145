"""KV cache against the tables of papers and vendors, and against what always holds."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

SHAPES = st.one_of(
    st.fixed_dictionaries(
        {"layers": st.integers(1, 128), "kv_heads": st.integers(1, 128), "head_dim": st.integers(1, 256)}
    ),
    st.fixed_dictionaries(
        {"layers": st.integers(1, 128), "mla_latent": st.integers(1, 1024), "mla_rope": st.integers(0, 128)}
    ),
)
GPUS = st.integers(1, 256)


def cache(**given: Any) -> Any:
    return run(find("kv_cache"), given).outputs


def capacity(**given: Any) -> Any:
    return run(find("kv_capacity"), given).outputs["tokens_max"]


def slips(output: str, **given: Any) -> dict[str, Any]:
    return {slip.name: value for slip, value in run(find("kv_cache"), given).slips(output)}


@pytest.mark.parametrize(
    ("model", "kilobytes"), [("deepseek-v3", 70.272), ("qwen2.5-72b", 327.680), ("llama-3.1-405b", 516.096)]
)
def test_insights_into_deepseek_v3_table_1(model: str, kilobytes: float) -> None:
    """ISCA 2025, Table 1, BF16, KB = 1000 bytes. Its multiplier 7.28x for 405B is 7.34x."""
    assert cache(model=model)["per_token"] == kilobytes * 1000
    if model == "llama-3.1-405b":
        assert round(cache(model=model)["per_token"] / cache(model="deepseek-v3")["per_token"], 2) == 7.34


def test_paged_attention_s_opt_13b() -> None:
    """Kwon et al. 2023, §3: 800 KB a token (2·5120·40·2 = 819,200 B: KB is 1024 there), 1.6 GB for 2048 tokens."""
    opt = {"layers": 40, "kv_heads": 40, "head_dim": 128}
    assert cache(**opt)["per_token"] == 800 * 1024
    assert cache(**opt, tokens=2048)["total"] / 2**30 == pytest.approx(1.6, rel=0.03)


@pytest.mark.parametrize(
    ("model", "printed"),
    [("llama-3.1-8b", (0.125, 1.95, 15.62)), ("llama-3.1-70b", (0.313, 4.88, 39.06))],
)
def test_hugging_face_s_llama_3_1_table(model: str, printed: tuple[float, ...]) -> None:
    """Hugging Face, Llama 3.1, KV cache in FP16: its "GB" are GiB, its 1k is 1024, its 16k and 128k are decimal."""
    for tokens, gibibytes in zip((1024, 16_000, 128_000), printed, strict=True):
        assert cache(model=model, tokens=tokens)["total"] / 2**30 == pytest.approx(gibibytes, rel=0.005)


def test_hugging_face_s_row_for_405b_is_of_a_checkpoint_with_twice_the_kv_heads() -> None:
    """The same table prints 0.984, 15.38 and 123.05 GB: twice what the paper's 8 KV heads take."""
    for tokens, gibibytes in ((1024, 0.984), (16_000, 15.38), (128_000, 123.05)):
        found = cache(model="llama-3.1-405b", tokens=tokens)["total"] / 2**30
        assert 2 * found == pytest.approx(gibibytes, rel=0.005)
        doubled = cache(model="llama-3.1-405b", kv_heads=16, tokens=tokens)["total"] / 2**30
        assert doubled == pytest.approx(gibibytes, rel=0.005)


def test_deepseek_v2_s_cache_equals_2_25_groups_of_gqa() -> None:
    """DeepSeek-V2, Table 1: MLA's cache is that of GQA with 2.25 groups of 128."""
    assert cache(model="deepseek-v2")["per_token"] == 60 * 2 * 2.25 * 128 * 2


@pytest.mark.parametrize(
    ("model", "size"),
    [
        ("llama-2-7b", 524_288),
        ("llama-3-8b", 131_072),
        ("llama-3-70b", 327_680),
        ("mixtral-8x7b", 131_072),
        ("qwen3-30b-a3b", 98_304),
        ("qwen3-235b-a22b", 192_512),
        ("deepseek-v2", 69_120),
    ],
)
def test_bytes_a_token_of_presets(model: str, size: int) -> None:
    assert cache(model=model)["per_token"] == size


def test_a_published_sizing_of_qwen3_235b() -> None:
    """2·94·4·128·2·4096 = 788,529,152 bytes = 0.734375 GiB; 32 sequences of 8K take 47 GiB."""
    assert cache(model="qwen3-235b-a22b", tokens=4096)["total"] == 788_529_152
    assert cache(model="qwen3-235b-a22b", tokens=8192, batch=32)["total"] == 47 * 2**30


def test_what_tools_make_of_deepseek_v3() -> None:
    """Nine calculators were seen to give 24.9, 12.4 (one of K and V), 0.889 and 56.9 times the right 70,272 bytes."""
    wrong = slips("per_token", model="deepseek-v3")
    assert round(wrong["mla_as_hidden"] / 70_272, 1) == 24.9
    assert wrong["no_rope"] == 62_464
    assert round(wrong["no_rope"] / 70_272, 3) == 0.889
    assert round(wrong["mla_as_heads"] / 70_272, 1) == 56.9
    assert wrong["mla_twice"] == 140_544


def test_query_heads_for_kv_heads_is_eight_times_as_much_for_llama_3_70b() -> None:
    assert slips("per_token", model="llama-3-70b")["query_heads"] == 8 * 327_680
    assert slips("per_token", model="llama-3-70b")["forgot_v"] == 327_680 / 2


def test_the_head_size_of_qwen3_is_not_hidden_over_heads() -> None:
    """Qwen3-30B-A3B: 2048/32 = 64, but its config.json sets head_dim 128."""
    assert slips("per_token", model="qwen3-30b-a3b")["hidden_over_heads"] == 98_304 / 2
    assert "hidden_over_heads" not in slips("per_token", model="llama-3-8b")


def test_gpt_oss_keeps_128_tokens_in_every_other_layer() -> None:
    """openai/gpt-oss, torch/model.py: sliding_window 128 on even layers."""
    given = {"model": "gpt-oss-120b", "tokens": 131_072}
    assert cache(**given)["total"] == 2 * 8 * 64 * 2 * 18 * (131_072 + 128)
    wrong = slips("total", **given)
    assert wrong["window_ignored"] == 2 * 8 * 64 * 2 * 36 * 131_072
    assert wrong["window_everywhere"] == 2 * 8 * 64 * 2 * 36 * 128
    assert cache(model="gpt-oss-120b", tokens=100)["total"] == 100 * cache(model="gpt-oss-120b")["per_token"]


def test_tensor_parallelism_stops_at_the_kv_heads() -> None:
    whole = cache(model="llama-3-70b", tokens=8192)["total"]
    each = {tp: cache(model="llama-3-70b", tokens=8192, tp=tp)["per_gpu"] for tp in (1, 4, 8, 16, 32)}
    assert each == {1: whole, 4: whole / 4, 8: whole / 8, 16: whole / 8, 32: whole / 8}
    assert cache(model="deepseek-v3", tokens=8192, tp=8)["per_gpu"] == cache(model="deepseek-v3", tokens=8192)["total"]


def test_eight_h100_hold_1_33_million_tokens_of_llama_3_70b() -> None:
    """90 % of 8·80e9 bytes less 141.1 GB of weights; with what an 80 GB card reports (81,559 MiB) 1.45 million."""
    assert capacity(model="llama-3-70b", memory=0.9 * 640e9 - 141.1e9, tp=8) == pytest.approx(1.33e6, rel=0.005)
    reported = 8 * 81_559 * 2**20
    assert capacity(model="llama-3-70b", memory=0.9 * reported - 141.1e9, tp=8) == pytest.approx(1.45e6, rel=0.005)


def test_a_shape_is_needed_and_asked_for_in_both_languages() -> None:
    with pytest.raises(BadInput) as caught:
        cache(layers=32)
    assert "kv_heads" in caught.value.text.en
    assert "kv_heads" in caught.value.text.zh


def test_no_more_layers_with_a_window_than_layers() -> None:
    with pytest.raises(BadInput):
        cache(layers=2, kv_heads=8, head_dim=128, window=128, window_layers=3)


@given(SHAPES, st.integers(1, 10**6), st.integers(1, 512), st.sampled_from([0.5, 1, 2, 4]), st.integers(1, 50))
def test_bytes_are_linear_in_tokens_batch_and_width(
    shape: dict[str, int], tokens: int, batch: int, width: float, factor: int
) -> None:
    one = cache(**shape, tokens=tokens, batch=batch, bytes_per_element=width)
    assert one["total"] == one["per_token"] * tokens * batch
    for more in (
        {"tokens": factor * tokens, "batch": batch, "bytes_per_element": width},
        {"tokens": tokens, "batch": factor * batch, "bytes_per_element": width},
    ):
        assert cache(**shape, **more)["total"] == factor * one["total"]
    assert cache(**shape, tokens=tokens, batch=batch, bytes_per_element=2 * width)["total"] == 2 * one["total"]


@given(SHAPES, st.integers(1, 10**6), GPUS)
def test_gpus_together_hold_all_of_it(shape: dict[str, int], tokens: int, tp: int) -> None:
    found = cache(**shape, tokens=tokens, tp=tp)
    assert found["per_gpu"] * tp >= found["total"] * (1 - 1e-12)
    assert found["per_gpu"] <= found["total"]
    assert cache(**shape, tokens=tokens, tp=tp + 1)["per_gpu"] <= found["per_gpu"]
    if "kv_heads" in shape:
        assert found["per_gpu"] >= found["total"] / shape["kv_heads"] * (1 - 1e-12)
        if shape["kv_heads"] % tp == 0:
            assert found["per_gpu"] == found["total"] / tp


@given(SHAPES, st.integers(1, 10**6), st.integers(1, 10**6), st.integers(0, 200))
def test_a_window_never_adds(shape: dict[str, int], tokens: int, window: int, windowed: int) -> None:
    full = cache(**shape, tokens=tokens)["total"]
    some = cache(**shape, tokens=tokens, window=window, window_layers=max(1, min(windowed, shape["layers"])))["total"]
    everywhere = cache(**shape, tokens=tokens, window=window)["total"]
    assert everywhere <= some <= full
    if window >= tokens:
        assert everywhere == full


@given(SHAPES, st.integers(1, 10**12), GPUS)
def test_capacity_is_what_fits_and_no_more(shape: dict[str, int], memory: int, tp: int) -> None:
    fits = capacity(**shape, memory=memory, tp=tp)
    each = cache(**shape, tp=tp)["per_gpu"]
    assert fits * each * tp <= memory * (1 + 1e-12)
    assert (fits + 1) * each * tp >= memory * (1 - 1e-12)
