"""Units as engineers write them: symbols and words in English and Chinese, prefixes, dimensions.

A word can mean more than one thing (`B` bytes or billions, `FLOPS` a count or a rate): `senses` gives all of
its meanings, the likeliest first, and the reader takes the one that fits what is asked. Sizes are in bytes, a bit
is an eighth of one. SI prefixes: BIPM, SI Brochure, 9th ed., table 7; binary prefixes: IEC 80000-13:2008.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from quiz.number_dimensions import Dims, times
from quiz.number_vocabulary import CHIPS, MONEY_WORDS, NOUNS, SCALES, SIZE_WORDS, TIME_SYMBOLS, TIME_WORDS

SI = {"k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6, "Z": 7, "Y": 8}
SI_NAMES = {"kilo": 1, "mega": 2, "giga": 3, "tera": 4, "peta": 5, "exa": 6, "zetta": 7, "yotta": 8}
BINARY_NAMES = {"kibi": 1, "mebi": 2, "gibi": 3, "tebi": 4, "pebi": 5, "exbi": 6}
SMALL = {"m": 1, "u": 2, "µ": 2, "μ": 2, "n": 3, "p": 4}
SMALL_NAMES = {"milli": 1, "micro": 2, "nano": 3, "pico": 4}


class Sense(NamedTuple):
    """One meaning of a word beside a number.

    `kind` is unit (has dimensions), ratio (%, times) or scale (multiplies: 亿, million, K). `prefix` is the part of
    `factor` that a prefix makes, `power` its exponent of 1000, `binary` whether it is 1024ⁿ; `letter` marks a prefix
    with no unit behind it; `note` is a key of the catalogue for what is worth telling about this reading.
    """

    factor: Fraction
    dims: Dims = ()
    kind: str = "unit"
    prefix: Fraction = Fraction(1)
    power: int = 0
    binary: bool = False
    letter: bool = False
    note: str = ""


@lru_cache(maxsize=2048)
def senses(word: str) -> tuple[Sense, ...]:
    """All meanings of `word`, the likeliest first; () if it has none."""
    if word in _exact():
        return _exact()[word]
    low = word.lower()
    if low in _words():
        return _words()[low]
    for rule in (_size, _flop, _time, _power, _counted, _rate):
        found = rule(word)
        if found:
            return found
    return ()


@lru_cache(maxsize=1)
def _exact() -> dict[str, tuple[Sense, ...]]:
    """Words whose case decides."""
    byte, bit = _unit("byte"), _unit("byte", Fraction(1, 8))
    table: dict[str, tuple[Sense, ...]] = {
        "B": (byte._replace(note="byte_letter"), _billion()),
        "b": (bit, _billion()._replace(note="billion_letter")),
        "m": (_unit("s", 60), Sense(Fraction(10**6), kind="scale", power=2, letter=True, note="million_letter")),
        "W": (Sense(Fraction(1), (("J", 1), ("s", -1))), _wan()),
        "w": (_wan(),),
        "J": (_unit("J"),),
        "t": (_unit("token"), Sense(Fraction(10**12), kind="scale", power=4, letter=True)),
        "u": (Sense(Fraction(1, 10**6), kind="scale", power=-2, letter=True),),
        "%": (Sense(Fraction(1, 100), kind="ratio"),),
        "‰": (Sense(Fraction(1, 1000), kind="ratio"),),
        "MW": (_watt(10**6),),
        "mW": (_watt(Fraction(1, 1000)),),
    }
    for letter, power in SI.items():
        table[letter] = (_letter(power),)
        table[letter + "i"] = (_letter(power, binary=True),)
        if letter not in "kKMYZ":
            table[letter + "F"] = (_rate_of_flop(power), _count_of_flop(power))
    table |= {"g": table["G"], "gi": table["Gi"], "mi": table["Mi"], "ti": table["Ti"]}
    return table


@lru_cache(maxsize=1)
def _words() -> dict[str, tuple[Sense, ...]]:
    """Words in lower case that any case means."""
    table: dict[str, tuple[Sense, ...]] = {}
    for noun, words in NOUNS.items():
        table |= dict.fromkeys(words.split(), (_unit(noun),))
    table |= dict.fromkeys(CHIPS, (_unit("GPU"),)) | {f"{chip}s": (_unit("GPU"),) for chip in CHIPS}
    for words, seconds in TIME_WORDS.items():
        table |= dict.fromkeys(words.split(), (_unit("s", seconds),))
    for words, (currency, worth) in MONEY_WORDS.items():
        table |= dict.fromkeys(words.split(), (_unit(currency, worth),))
    for words, (size, power) in SIZE_WORDS.items():
        sense = Sense(size, (("byte", 1),), prefix=Fraction(1000**power), power=power)
        table |= dict.fromkeys(words.split(), (sense,))
    for words, scale in SCALES.items():
        table |= dict.fromkeys(words.split(), (Sense(Fraction(scale), kind="scale"),))
    for word in ("次浮点运算", "浮点运算", "浮点操作", "次浮点操作"):
        table[word] = (_count_of_flop(0),)
    for word in ("次乘加", "乘加"):
        table[word] = (_count_of_flop(0)._replace(factor=Fraction(2), note="mac"),)
    per_second = (("s", -1),)
    for word, noun in (("qps", "request"), ("rps", "request"), ("tps", "token")):
        table[word] = (Sense(Fraction(1), times(((noun, 1),), per_second)),)
    table |= dict.fromkeys(("卡时", "卡小时", "机时", "gpuh"), (Sense(Fraction(3600), (("GPU", 1), ("s", 1))),))
    table |= dict.fromkeys(("卡天", "卡日"), (Sense(Fraction(86_400), (("GPU", 1), ("s", 1))),))
    table |= dict.fromkeys(("x", "倍", "fold", "times"), (Sense(Fraction(1), kind="ratio"),))
    table |= dict.fromkeys(("percent", "pct", "百分点", "个百分点"), (Sense(Fraction(1, 100), kind="ratio"),))
    table |= {"成": (Sense(Fraction(1, 10), kind="ratio"),), "一半": (Sense(Fraction(1, 2), kind="scale"),)}
    table |= {"瓦": (_watt(1),), "千瓦": (_watt(1000),), "千瓦时": (_unit("J", 3_600_000),), "焦耳": (_unit("J"),)}
    table |= {"watt": (_watt(1),), "watts": (_watt(1),), "joule": (_unit("J"),), "joules": (_unit("J"),)}
    table |= {"赫兹": (Sense(Fraction(1), per_second),)}
    return table


def _size(word: str) -> tuple[Sense, ...]:
    """`GB`, `GiB`, `Gb`, `gb`, `Gbit`, `gigabytes`, `GBs`: an upper-case prefix with b is bits, all lower case bytes."""
    low = word.lower()
    for name, power in (*SI_NAMES.items(), *BINARY_NAMES.items()):
        if low.startswith(name) and low[len(name) :] in ("byte", "bytes", "bit", "bits"):
            return (_sized(power, binary=name in BINARY_NAMES, bits=low[len(name) :].startswith("bit")),)
    prefix, rest = word[:1], word[1:]
    power = SI.get(prefix.upper(), 0)
    if not power:
        return ()
    binary = rest[:1] in ("i", "I")
    tail = rest[1:] if binary else rest
    if tail.lower() in ("byte", "bytes", "bit", "bits"):
        return (_sized(power, binary=binary, bits=tail.lower().startswith("bit")),)
    if tail in ("B", "Bs"):
        return (_sized(power, binary=binary, bits=False),)
    if tail in ("b", "bs"):
        bits = prefix.isupper()
        return (_sized(power, binary=binary, bits=bits, note="bit_case" if bits else "byte_case"),)
    return ()


def _flop(word: str) -> tuple[Sense, ...]:
    """`TFLOP` is a count, `TFLOPS` and `TFLOPs` a rate or a count, whichever is asked; `op` is FLOP, a MAC two."""
    low = word.lower()
    power = 0
    for name, n in SI_NAMES.items():
        if low.startswith(name):
            power, low, word = n, low[len(name) :], word[len(name) :]
            break
    else:
        if low[:1].upper() in SI and low[1:] in ("flop", "flops", "op", "ops", "mac", "macs"):
            power, low, word = SI[low[:1].upper()], low[1:], word[1:]
    if low in ("mac", "macs", "fma", "fmas"):
        count = _count_of_flop(power)
        return (count._replace(factor=2 * count.factor, note="mac"),)
    if low in ("flop", "op"):
        return (_count_of_flop(power),)
    if low not in ("flops", "ops"):
        return ()
    rate, count = _rate_of_flop(power)._replace(note="rate"), _count_of_flop(power)._replace(note="count")
    return (rate, count) if word.endswith("S") else (count, rate)


def _time(word: str) -> tuple[Sense, ...]:
    low = word.lower()
    if low in TIME_SYMBOLS:
        return (_unit("s", Fraction(1000) ** TIME_SYMBOLS[low]),)
    for name, power in SMALL_NAMES.items():
        if low in (f"{name}second", f"{name}seconds", f"{name}sec", f"{name}secs"):
            return (_unit("s", Fraction(1, 1000**power)),)
    return ()


def _power(word: str) -> tuple[Sense, ...]:
    """`kW`, `kWh`, `MJ`, `GHz`."""
    for tail, factor, dims in (
        ("Hz", 1, (("s", -1),)),
        ("Wh", 3600, (("J", 1),)),
        ("W", 1, (("J", 1), ("s", -1))),
        ("J", 1, (("J", 1),)),
    ):
        head = word[: -len(tail)]
        if word[-len(tail) :].lower() == tail.lower() and (tail == "Hz" or word.endswith(tail)):
            if head in SI or head == "":
                power = SI.get(head, 0)
            elif head in SMALL:
                power = -SMALL[head]
            else:
                continue
            prefix = Fraction(1000) ** power
            return (Sense(factor * prefix, dims, prefix=prefix, power=power),)
    return ()


def _counted(word: str) -> tuple[Sense, ...]:
    """`Mtok`, `ktokens`, `Bparams`: a prefix written onto what is counted."""
    for noun in ("token", "parameter"):
        if word[1:].lower() in NOUNS[noun].split() and word[:1] in "kKMGBT":
            power = 3 if word[0] == "B" else SI[word[0]]
            return (Sense(Fraction(1000**power), ((noun, 1),), prefix=Fraction(1000**power), power=power),)
    return ()


def _rate(word: str) -> tuple[Sense, ...]:
    """`GBps`, `Gbps`, `GiBps`; `gbps` is what network people write for gigabits."""
    if not word.lower().endswith("ps") or len(word) < 4:
        return ()
    stem = word[:-2]
    if stem.islower() and stem.endswith("b"):
        stem = stem[:-1].upper() + "b"
    per_second = [s._replace(dims=times(s.dims, (("s", -1),))) for s in _size(stem)]
    return tuple(per_second)


def _unit(name: str, factor: int | Fraction = 1) -> Sense:
    return Sense(Fraction(factor), ((name, 1),))


def _sized(power: int, *, binary: bool, bits: bool, note: str = "") -> Sense:
    prefix = Fraction((1024 if binary else 1000) ** power)
    return Sense(prefix / (8 if bits else 1), (("byte", 1),), prefix=prefix, power=power, binary=binary, note=note)


def _count_of_flop(power: int) -> Sense:
    prefix = Fraction(1000**power)
    return Sense(prefix, (("FLOP", 1),), prefix=prefix, power=power)


def _rate_of_flop(power: int) -> Sense:
    return _count_of_flop(power)._replace(dims=(("FLOP", 1), ("s", -1)))


def _watt(factor: int | Fraction) -> Sense:
    return Sense(Fraction(factor), (("J", 1), ("s", -1)), prefix=Fraction(factor))


def _billion() -> Sense:
    return Sense(Fraction(10**9), kind="scale", prefix=Fraction(10**9), letter=True)


def _wan() -> Sense:
    return Sense(Fraction(10**4), kind="scale", note="wan_w")


def _letter(power: int, *, binary: bool = False) -> Sense:
    prefix = Fraction((1024 if binary else 1000) ** power)
    return Sense(prefix, kind="scale", prefix=prefix, power=power, binary=binary, letter=True)
