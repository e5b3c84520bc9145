"""Unit factors agree with pint's, and every spelling means one of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pint
import pytest

from quiz.number_asked import asked_unit
from quiz.number_dimensions import canonical, relation
from quiz.number_vocabulary import CHIPS, NOUNS
from quiz.quantity import read
from quiz.units import senses

PREFIXES = ["", "k", "M", "G", "T", "P", "E", "Z"]
BINARY = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]


@pytest.fixture(scope="module")
def oracle() -> pint.UnitRegistry[Any]:
    registry: pint.UnitRegistry[Any] = pint.UnitRegistry(non_int_type=Fraction)
    registry.define("FLOP = [operation]")
    return registry


ORACLE = [
    *((f"{p}B", f"{p}B", "byte") for p in PREFIXES),
    *((f"{p}B", f"{p}B", "byte") for p in BINARY),
    *((f"{p}bit", f"{p}bit", "byte") for p in PREFIXES),
    *((f"{p}bit", f"{p}bit", "byte") for p in BINARY),
    *((f"{p}b", f"{p}bit", "byte") for p in ("M", "G", "T", "Ki", "Mi", "Gi", "Ti")),
    *((f"{p}FLOP", f"{p}FLOP", "FLOP") for p in PREFIXES),
    *((f"{p}FLOP/s", f"{p}FLOP/second", "FLOP/second") for p in PREFIXES),
    *((f"{p}s", f"{p}s", "second") for p in ("", "m", "µ", "n", "p")),
    ("us", "µs", "second"),
    ("min", "minute", "second"),
    ("h", "hour", "second"),
    ("d", "day", "second"),
    ("week", "week", "second"),
    ("year", "year", "second"),
    ("kilobyte", "kB", "byte"),
    ("gibibytes", "GiB", "byte"),
    ("terabits", "Tbit", "byte"),
    ("petaflop", "PFLOP", "FLOP"),
    ("W", "W", "J/s"),
    ("kW", "kW", "J/s"),
    ("kWh", "kWh", "J"),
    ("MJ", "MJ", "J"),
    ("GHz", "GHz", "1/s"),
    ("GB/s", "GB/s", "byte/s"),
    ("Gb/s", "Gbit/s", "byte/s"),
    ("Gbps", "Gbit/s", "byte/s"),
    ("TB/s", "TB/s", "byte/s"),
    ("TB/h", "TB/hour", "byte/s"),
    ("KiB/ms", "KiB/ms", "byte/s"),
    ("PFLOP/s-day", "PFLOP/second*day", "FLOP"),
    ("FLOP/bit", "FLOP/bit", "FLOP/byte"),
    ("ns/B", "ns/B", "s/byte"),
]


@pytest.mark.parametrize(("spelling", "pints", "base"), ORACLE)
def test_factors_are_pints(oracle: pint.UnitRegistry[Any], spelling: str, pints: str, base: str) -> None:
    def factor(unit: str) -> Fraction:
        return Fraction(oracle.Quantity(Fraction(1), oracle.parse_units(unit)).to(base).magnitude).limit_denominator(
            10**20
        )

    assert read(f"1 {spelling}").exact == factor(pints)


@pytest.mark.parametrize(
    "spellings",
    [
        ["GB", "gb", "Gbyte", "GByte", "GBytes", "gigabyte", "Gigabytes", "GBs", "G byte", "吉字节"],
        ["KiB", "kib", "KIB", "kiB", "KiBs", "kibibyte", "Ki byte", "KiByte"],
        ["Gb", "Gbit", "Gbits", "gigabit", "gbit", "G bit"],
        ["GB/s", "GBps", "GB/sec", "GB per second", "GB每秒", "GB/秒", "GB·s⁻¹", "GB s^-1", "gb/s"],
        ["TFLOP", "Tflop", "TOP", "teraflop", "TeraFLOP", "T FLOP", "万亿次浮点运算"],
        ["TFLOP/s", "TFLOP/sec", "teraflop per second", "TFLOP每秒", "TF"],
        ["ms", "msec", "millisecond", "milliseconds", "毫秒", "MS"],
        ["µs", "μs", "us", "usec", "microsecond", "微秒"],
        ["h", "hr", "hrs", "hour", "hours", "小时", "个小时", "H"],
        ["token", "tokens", "tok", "Token", "TOKENS", "词元", "个 token"],
        ["token/s", "tok/s", "t/s", "tps", "TPS", "tokens per second", "token每秒"],
        ["GPU", "GPUs", "gpu", "card", "卡", "张卡", "块 GPU", "H100", "A100s", "张 H800"],
        ["GPU-hour", "GPU-hours", "GPU hours", "GPU·h", "gpu-h", "卡时", "卡小时", "GPU 小时"],
        ["parameter", "params", "param", "参数", "个参数", "weights"],
        ["microbatch", "micro-batch", "micro-batches", "micro_batches", "微批"],
        ["%", "％", "percent", "per cent", "pct", "个百分点"],
        ["USD", "dollars", "美元", "美金"],
        ["request/s", "QPS", "qps", "req/s", "RPS", "请求/秒", "个请求每秒"],
    ],
)
def test_spellings_of_one_unit(spellings: list[str]) -> None:
    values = {spelling: (read(f"10 {spelling}").exact, read(f"10 {spelling}").unit) for spelling in spellings}
    assert len(set(values.values())) == 1, values


def test_case_tells_bits_from_bytes() -> None:
    for prefix in "KMGT":
        lower = prefix.lower()
        assert read(f"8 {prefix}b").exact * 8 == read(f"8 {prefix}B").exact == read(f"8 {lower}b").exact
        assert read(f"8 {prefix}ib").exact * 8 == read(f"8 {prefix}iB").exact == read(f"8 {lower}ib").exact


@pytest.mark.parametrize(
    "unit",
    [
        "", "%", "x", "倍", "B", "KB", "KiB", "GB", "GiB", "bit", "bits", "Gb/s", "GB/s", "TB/s", "KiB/token", "bytes/token",
        "B/param", "bits/weight", "FLOP", "FLOPs", "TFLOPs", "TFLOPS", "TFLOP/s", "PFLOP/s-day", "PF-days", "FLOP/byte",
        "FLOP/B", "FLOPs/token", "s", "ms", "us", "μs", "ns", "min", "h", "hours", "day", "days", "ms/token", "ms/step",
        "token", "tokens", "tokens/s", "token/s/GPU", "M tokens", "B params", "parameters", "亿", "亿参数", "万亿 token", "GPU",
        "GPUs", "卡", "GPU-hour", "GPU-days", "卡时", "$", "$/M tokens", "$/1M tokens", "USD/GPU-hour", "$/h", "元", "request",
        "requests/s", "QPS", "layer", "层", "step", "block", "warps", "threads", "sectors", "elements", "experts", "way",
        "kW", "W", "J/token", "kWh", "GHz", "1/s", "cycles", "instructions", "nodes", "microbatch", "accesses",
    ],
)  # fmt: skip
def test_units_that_decks_name(unit: str) -> None:
    asked = asked_unit(unit)
    assert read("3", unit).exact == 3 * asked.factor
    assert read("3", unit).unit == canonical(asked.dims)


def test_no_word_means_two_counted_things() -> None:
    words = [word for spellings in NOUNS.values() for word in spellings.lower().split()]
    assert len(words) == len(set(words))
    assert not CHIPS & set(words)


@pytest.mark.parametrize("word", ["foo", "GBX", "xGB", "Kbb", "iB", "TFLOPx", "mss", "QB", "psps", "_", "乐", ""])
def test_what_is_no_unit_has_no_meaning(word: str) -> None:
    assert senses(word) == ()


@pytest.mark.parametrize(
    ("typed", "asked", "how"),
    [
        ("byte", "byte", "same"),
        ("byte/token", "byte", "same"),
        ("byte", "byte/token", "same"),
        ("byte/GPU", "byte/token", "same"),
        ("byte", "byte/layer", "same"),
        ("GPU·s", "s", ""),
        ("s", "GPU·s", ""),
        ("s", "byte", ""),
        ("token", "parameter", ""),
        ("token", "GPU", ""),
        ("request/s", "token/s", ""),
        ("1/s", "token/s", "same"),
        ("s/token", "token/s", "inverse"),
        ("s", "token/s", "inverse"),
        ("byte/FLOP", "FLOP/byte", "inverse"),
        ("s/byte", "byte/s", "inverse"),
        ("parameter/token", "token/parameter", "inverse"),
        ("FLOP", "FLOP/s", ""),
        ("FLOP/s", "FLOP", ""),
        ("USD", "CNY", ""),
        ("token", "", "same"),
        ("", "token", "same"),
        ("", "byte", ""),
        ("GPU", "node", ""),
    ],
)
def test_dimensions(typed: str, asked: str, how: str) -> None:
    assert relation(asked_unit(typed).dims, asked_unit(asked).dims) == how


@pytest.mark.parametrize(
    "unit", ["byte", "FLOP/byte", "token/s/GPU", "GPU·s", "byte^2", "1/s", "s/byte", "USD/s/GPU", "J/s"]
)
def test_canonical_units_read_as_themselves(unit: str) -> None:
    assert canonical(asked_unit(unit).dims) == unit
