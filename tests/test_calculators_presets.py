"""Presets against what vendors, model cards and papers print; and what holds for every calculator that uses them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from quiz.calculators import TOPICS, find
from quiz.calculators.base import Calculator, run
from quiz.calculators.devices import DEVICES, DTYPES
from quiz.calculators.figures import number, peak, scaled, seconds, size
from quiz.calculators.inputs import display
from quiz.calculators.models import MODELS, active_parameters, parameters
from quiz.errors import BadInput

# Totals of the released checkpoints: `metadata.total_size` of the safetensors index over the bytes an element, or the
# parameter count that Hugging Face shows for it.
RELEASED = {
    "llama-2-7b": 6_738_415_616,
    "llama-2-13b": 13_015_864_320,
    "llama-2-70b": 68_976_648_192,
    "llama-3-8b": 8_030_261_248,
    "llama-3-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "mistral-7b": 7_248_023_552,
    "mixtral-8x7b": 46_702_792_704,
    "mixtral-8x22b": 281_241_268_224 // 2,
    "qwen2.5-0.5b": 494_032_768,
    "qwen2.5-7b": 15_231_233_024 // 2,
    "qwen2.5-72b": 145_412_407_296 // 2,
    "qwen3-0.6b": 596_049_920,
    "qwen3-4b": 8_044_936_192 // 2,
    "qwen3-8b": 16_381_470_720 // 2,
    "qwen3-14b": 29_536_614_400 // 2,
    "qwen3-32b": 65_524_246_528 // 2,
    "qwen3-30b-a3b": 61_064_245_248 // 2,
    "qwen3-235b-a22b": 470_187_269_120 // 2,
    "deepseek-v2": 235_741_434_880,
    "deepseek-v2-lite": 31_412_968_448 // 2,
    "deepseek-v3": 671_026_419_200,
    "gpt-oss-20b": 20_914_757_184,
    "gpt-oss-120b": 116_829_156_672,
}


@pytest.mark.parametrize("name", RELEASED)
def test_parameters_are_those_of_the_released_checkpoint(name: str) -> None:
    assert parameters(MODELS[name]) == RELEASED[name]


@pytest.mark.parametrize(
    ("name", "millions"),
    [
        ("gpt-3-125m", 125),
        ("gpt-3-350m", 356),
        ("gpt-3-760m", 760),
        ("gpt-3-1.3b", 1320),
        ("gpt-3-2.7b", 2650),
        ("gpt-3-6.7b", 6660),
        ("gpt-3-13b", 12_850),
        ("gpt-3-175b", 174_600),
    ],
)
def test_gpt_3_has_the_parameters_of_its_table_d_1(name: str, millions: int) -> None:
    """Brown et al. 2020, Table D.1, to the digits printed there.

    Table 2.1 prints d_model 5140 for 13B and 24 heads of 128 for the XL model of 2048: neither divides, and only 5120
    (40 heads of 128) gives Table D.1's 12,850M.
    """
    assert parameters(MODELS[name]) / 1e6 == pytest.approx(millions, rel=0.004)


def test_a_5140_wide_gpt_3_13b_is_not_the_one_of_table_d_1() -> None:
    printed = dataclasses.replace(MODELS["gpt-3-13b"], hidden=5140, ffn=4 * 5140)
    assert parameters(printed) / 1e6 > 12_900


@pytest.mark.parametrize(
    ("name", "billions"),
    [
        ("mixtral-8x7b", 12.9),  # Mistral: 46.7B total, 12.9B used by a token
        ("mixtral-8x22b", 39),  # Mistral: 141B total, 39B active
        ("qwen3-30b-a3b", 3.3),  # its name says A3B, its model card 3.3B
        ("qwen3-235b-a22b", 22),  # its name
        ("deepseek-v2", 21),  # DeepSeek-V2, §3.1.2: 236B, of which 21B are activated
        ("deepseek-v3", 37),  # its model card: 671B, 37B activated
    ],
)
def test_active_parameters_round_to_what_the_makers_print(name: str, billions: float) -> None:
    assert active_parameters(MODELS[name]) / 1e9 == pytest.approx(billions, rel=0.025)


def test_deepseek_v3_weights_readme_does_not_add_up() -> None:
    """README_WEIGHTS.md prints "36.7B (including 0.9B for Embedding and 0.9B for the output Head)".

    With both it is 37.55B; 36.63B is without the embedding.
    """
    v3 = MODELS["deepseek-v3"]
    active, embedding = active_parameters(v3), v3.vocab * v3.hidden
    assert round(embedding / 1e9, 1) == 0.9
    assert round(active / 1e9, 2) == 37.55
    assert round((active - embedding) / 1e9, 2) == 36.63


def test_deepseek_v3_without_its_routers_biases_is_the_other_count_in_use() -> None:
    plain = dataclasses.replace(MODELS["deepseek-v3"], correction=False)
    assert parameters(plain) == 671_026_404_352


def test_meta_s_own_list_of_llama_2_is_wrong_about_its_shapes() -> None:
    """llama-models, models/sku_list.py, gives Llama 2 7B 8 KV heads and 128,256 words: that is Llama 3's shape.

    Llama 2's checkpoint has 6,738,415,616 parameters, which only 32 KV heads and 32,000 words make.
    """
    listed = dataclasses.replace(MODELS["llama-2-7b"], kv_heads=8, vocab=128_256)
    assert parameters(listed) != RELEASED["llama-2-7b"]


def test_tying_counts_the_embedding_once() -> None:
    tied = MODELS["llama-3.2-1b"]
    untied = dataclasses.replace(tied, tied=False)
    assert parameters(untied) - parameters(tied) == tied.vocab * tied.hidden


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_whole(name: str) -> None:
    model = MODELS[name]
    assert model.name == name
    assert model.title
    assert model.url.startswith("https://")
    assert model.source.url.startswith("https://")
    assert model.heads % model.kv_heads == 0
    assert active_parameters(model) <= parameters(model)
    assert (active_parameters(model) == parameters(model)) == (model.experts == 0)
    assert model.window_layers <= model.layers


@pytest.mark.parametrize("name", DEVICES)
def test_a_device_is_whole(name: str) -> None:
    device = DEVICES[name]
    assert device.name == name
    assert device.title
    assert device.sources
    assert set(device.dense) <= set(DTYPES)
    assert set(device.sparse) <= set(device.dense)
    assert all(device.sparse[dtype] == pytest.approx(2 * device.dense[dtype], rel=0.015) for dtype in device.sparse)
    assert device.dense["bf16"] == device.dense["fp16"]
    assert 1e11 < device.bandwidth < 1e13
    assert device.link is None or device.link < device.bandwidth
    assert device.reported is None or device.memory < device.reported < device.memory * 2**30 / 1e9


@pytest.mark.parametrize(
    ("name", "flops"),
    [
        ("a100-sxm-80gb", 1410e6 * 256 * 2 * 432),  # Bekman, accelerators: boost clock · FMA a core · 2 · tensor cores
        ("mi300x", 2100e6 * 256 * 2 * 1216),  # likewise
        ("rtx-4090", 2520e6 * 512 * 2 * 128 / 2),  # Ada white paper, Appendix A: 128 SMs at 2520 MHz, 512 FLOP a clock
        ("h100-sxm", 1830e6 * 512 * 2 * 528),  # Lockwood: 1.83 GHz with the tensor cores at work
    ],
)
def test_dense_peaks_are_clock_times_matrix_units(name: str, flops: float) -> None:
    assert DEVICES[name].dense["bf16"] == pytest.approx(flops, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "dtype", "dense", "sparse"),
    [
        ("h100-sxm", "bf16", 989.4, 1978.9),  # Lockwood, H100, from the architecture white paper
        ("h100-sxm", "fp8", 1978.9, 3957.8),
        ("a100-sxm-80gb", "bf16", 312, 624),  # NVIDIA, A100 80GB data sheet
        ("a100-sxm-80gb", "int8", 624, 1248),
        ("b200", "bf16", 2250, 4500),  # Lockwood, B200, HGX variant
        ("b200", "fp4", 9000, 18_000),
        ("gb200", "bf16", 2500, 5000),
        ("rtx-4090", "fp8", 330.3, 660.6),  # Ada white paper v2.02, FP32 accumulation
    ],
)
def test_dense_and_sparse_peaks_are_apart(name: str, dtype: str, dense: float, sparse: float) -> None:
    assert DEVICES[name].dense[dtype] == dense * 1e12
    assert DEVICES[name].sparse[dtype] == sparse * 1e12


def test_links_are_one_way() -> None:
    """Printed both ways together: A100 600, H100 900, H800 400, B200 1800 GB/s; MI300X 896 (Bekman, network)."""
    both = {"a100-sxm-80gb": 600, "h100-sxm": 900, "h800-sxm": 400, "b200": 1800, "mi300x": 896}
    assert {name: 2 * (DEVICES[name].link or 0) / 1e9 for name in both} == both


def test_presets_have_names_that_people_use() -> None:
    assert display("llama-3-70b") == "Llama 3 70B"
    assert display("h100-sxm") == "H100 SXM"
    assert display("qwen3-235b-a22b") == "Qwen3-235B-A22B"
    assert display("no-preset") == "no-preset"


def test_what_is_given_wins_over_a_preset() -> None:
    assert run(find("ridge_point"), {"device": "h100-sxm", "peak": 1e15}).outputs["ridge"] == 1e15 / 3.35e12
    assert run(find("kv_cache"), {"model": "llama-3-8b", "layers": 1}).outputs["per_token"] == 2 * 8 * 128 * 2


def test_a_peak_that_is_not_known_is_named() -> None:
    with pytest.raises(BadInput, match="A100") as caught:
        run(find("ridge_point"), {"device": "a100-sxm-80gb", "dtype": "fp8"})
    assert "int8" in caught.value.text.zh
    with pytest.raises(BadInput, match="sparse"):
        run(find("ridge_point"), {"device": "mi300x", "sparse": True})
    assert run(find("ridge_point"), {"device": "a100-sxm-80gb", "dtype": "fp8", "peak": 1e15}).outputs["ridge"] > 0


def test_sparse_peaks_are_taken_only_when_asked_for() -> None:
    dense = run(find("ridge_point"), {"device": "h100-sxm"}).outputs["ridge"]
    sparse = run(find("ridge_point"), {"device": "h100-sxm", "sparse": True}).outputs["ridge"]
    assert sparse == pytest.approx(2 * dense, rel=1e-3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (scaled(3.35e12, "B/s"), "3.35 TB/s"),
        (peak(989.4e12), "989.4 TFLOP/s"),
        (peak(2250e12), "2,250 TFLOP/s"),
        (size(1_342_177_280), "1.342 GB (1.25 GiB)"),
        (size(327_680), "327,680 B (320 KiB)"),
        (size(576), "576 B"),
        (seconds(1.39e-5), "13.9 µs"),
        (seconds(0.0046), "4.6 ms"),
        (number(295.34), "295.3"),
        (number(0.5), "0.5"),
        (number(999_960.0), "999,960"),
        (number(1234.56), "1,235"),
    ],
)
def test_figures_read_as_engineers_write_them(text: str, expected: str) -> None:
    assert text == expected


H100_70B = {"model": "llama-3-70b", "tp": 16}
# For each calculator inputs on which its slips show; together they show every one.
TYPICAL: dict[str, list[dict[str, Any]]] = {
    "gemm_roofline": [
        {
            "m": 256,
            "n": 7168,
            "k": 2048,
            "a_bytes": 1,
            "b_bytes": 1,
            "c_bytes": 2,
            "device": "h100-sxm",
            "dtype": "fp8",
        },
        {"m": 4096, "n": 4096, "k": 4096, "device": "h100-sxm"},
    ],
    "ridge_point": [{"device": "h100-sxm"}],
    "compute_bound_threshold": [{"device": "h200", "weight_bytes": 1}],
    "expert_tokens": [
        {"tokens": 16, "ranks": 320, "model": "deepseek-v3", "device": "h100-sxm"},
        {"tokens": 5120, "model": "deepseek-v3", "device": "h100-sxm", "dtype": "fp8", "a_bytes": 1, "b_bytes": 1},
    ],
    "kv_cache": [
        {"model": "llama-3-70b", "tokens": 8192, "batch": 16, "tp": 16},
        {"model": "qwen3-30b-a3b", "tokens": 8192, "batch": 16, "tp": 4},
        {"model": "deepseek-v3", "tokens": 8192, "batch": 16, "tp": 8},
        {"model": "gpt-oss-120b", "tokens": 32_768, "batch": 8},
    ],
    "kv_capacity": [
        {**H100_70B, "memory": 400e9},
        {"model": "qwen3-30b-a3b", "memory": 40e9},
        {"model": "deepseek-v3", "memory": 100e9, "tp": 8},
    ],
    "inference_memory": [
        {**H100_70B, "tokens": 32_768, "batch": 64, "reserve": 2e9},
        {"model": "qwen3-235b-a22b", "tokens": 32_768, "batch": 64, "tp": 8},
        {"model": "deepseek-v3", "tokens": 32_768, "batch": 64, "weight_bytes": 1, "tp": 8},
        {"model": "gpt-oss-120b", "tokens": 131_072, "batch": 32},
        {"parameters": 8e9, "layers": 32, "kv_heads": 8, "head_dim": 128, "tokens": 32_768, "batch": 8},
    ],
    "serving_capacity": [
        {
            "rate": 20,
            "latency": 13,
            "input_tokens": 2000,
            "output_tokens": 300,
            "tokens_per_second_per_gpu": 1500,
            "kv_per_token": 131_072,
        }
    ],
    "prefill_decode_pools": [
        {"rate": 20, "input_tokens": 2000, "output_tokens": 300, "prefill_rate": 12_000, "decode_rate": 1500}
    ],
    "model_states": [
        {"parameters": 70e9, "dp": 8},
        {"model": "qwen3-30b-a3b", "zero": 2, "dp": 8, "tp": 2, "pp": 2},
    ],
    "zero_communication": [{"parameters": 7e9, "zero": stage, "dp": 8} for stage in (1, 3)],
}
MINE = [
    name
    for topic in (
        "roofline",
        "compute_bound",
        "expert_tokens",
        "kv_cache",
        "inference_memory",
        "serving",
        "model_states",
        "zero_communication",
    )
    for name in TOPICS[topic]
]


@pytest.mark.parametrize("name", MINE)
def test_every_slip_shows_and_differs_from_the_right_value(name: str) -> None:
    calculator, shown = find(name), set()
    for given in TYPICAL[name]:
        result = run(calculator, given)
        for output in calculator.outputs:
            right = result.outputs[output.name]
            for slip, wrong in result.slips(output.name):
                assert abs(wrong - right) > 0.001 * abs(right), (slip.name, output.name)
                shown.add((output.name, slip.name))
    assert shown == {(slip.output, slip.name) for slip in calculator.slips}


@pytest.mark.parametrize("name", MINE)
def test_slips_are_named_once_and_said_in_both_languages(name: str) -> None:
    calculator = find(name)
    assert len({(slip.output, slip.name) for slip in calculator.slips}) == len(calculator.slips)
    for slip in calculator.slips:
        assert calculator.output(slip.output)
        assert slip.about.en[0].islower() or slip.about.en.startswith(
            ("GPUs", "K ", "MLA", "A ", "C ", "ZeRO", "2·P", "3·P")
        )
        assert not slip.about.en.endswith(".")
        assert not slip.about.zh.endswith("。")
        assert any("一" <= sign <= "鿿" for sign in slip.about.zh)


@pytest.mark.parametrize("name", MINE)
def test_every_output_is_worked_with_its_numbers(name: str) -> None:
    calculator: Calculator = find(name)
    for given in TYPICAL[name]:
        result = run(calculator, given)
        for output in calculator.outputs:
            assert output.formula
            line = result.worked(output.name)
            assert line == "" or any(sign.isdigit() for sign in line)
            assert (line == "") == (result.outputs[output.name] is None)
            assert "None" not in line
            assert "e+" not in line


@pytest.mark.parametrize("name", MINE)
def test_no_slip_fails_where_little_is_given(name: str) -> None:
    """Slips of absent optional inputs, smallest sizes and single GPUs do not apply, they do not crash."""
    least: dict[str, dict[str, Any]] = {
        "gemm_roofline": {"m": 1, "n": 1, "k": 1},
        "ridge_point": {"peak": 1, "bandwidth": 1},
        "compute_bound_threshold": {"peak": 1, "bandwidth": 1},
        "expert_tokens": {"tokens": 1, "top_k": 1, "experts": 1, "hidden": 1, "expert_ffn": 1},
        "kv_cache": {"layers": 1, "kv_heads": 1, "head_dim": 1},
        "kv_capacity": {"layers": 1, "mla_latent": 1, "memory": 1},
        "inference_memory": {"parameters": 1, "layers": 1, "kv_heads": 1, "head_dim": 1, "tokens": 0},
        "serving_capacity": {
            "rate": 1,
            "latency": 1,
            "input_tokens": 1,
            "output_tokens": 1,
            "tokens_per_second_per_gpu": 1,
        },
        "prefill_decode_pools": {
            "rate": 1,
            "input_tokens": 1,
            "output_tokens": 1,
            "prefill_rate": 1,
            "decode_rate": 1,
            "utilisation": 1,
        },
        "model_states": {"parameters": 1},
        "zero_communication": {"parameters": 1, "zero": 3, "dp": 1},
    }
    calculator = find(name)
    result = run(calculator, least[name])
    for output in calculator.outputs:
        result.slips(output.name)
        result.worked(output.name)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [(15227.2727, 6, "15,227.3"), (0.5, 4, "0.5"), (295.34, 4, "295.3"), (1 / 3, 4, "0.3333"), (-2.25, 4, "-2.25")],
)
def test_worked_lines_have_no_float_noise(value: float, digits: int, shown: str) -> None:
    assert number(value, digits) == shown
