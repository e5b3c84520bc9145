"""What engineers type, in English and Chinese, is read as the number and unit that they mean, or not at all."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest

from quiz.errors import QuizError
from quiz.language import Text
from quiz.language.reading import WORDS
from quiz.quantity import Quantity, Unreadable, read

NONE = None


def value_of(text: str, unit: str | None = None) -> tuple[Fraction, str]:
    quantity = read(text, unit)
    return quantity.exact, quantity.unit


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,024", 1024),
        ("1 024", 1024),
        ("1\u00a0024", 1024),
        ("1\u202f024\u2009000", 1_024_000),
        ("1_024", 1024),
        ("1'024", 1024),
        ("12,345,678.5", Fraction(24691357, 2)),
        ("1e3", 1000),
        ("1E+3", 1000),
        ("1e-3", Fraction(1, 1000)),
        ("1 e3", 1000),
        ("1e 3", 1000),
        ("1.5e9", 1_500_000_000),
        ("1×10^3", 1000),
        ("1x10^3", 1000),
        ("1 * 10**3", 1000),
        ("1·10³", 1000),
        ("10³", 1000),
        ("10 ³", 1000),
        ("10⁻³", Fraction(1, 1000)),
        ("10^-3", Fraction(1, 1000)),
        ("2**30", 2**30),
        ("2^30", 2**30),
        ("2³⁰", 2**30),
        ("1<<30", 2**30),
        ("3/7", Fraction(3, 7)),
        ("(8-1)/(32+8-1)", Fraction(7, 39)),
        ("2(8-1)/(32+2(8-1))", Fraction(14, 46)),
        ("42.9%", Fraction(429, 1000)),
        ("42.9 ％", Fraction(429, 1000)),
        ("~295", 295),
        ("≈295", 295),
        ("about 295", 295),
        ("approx. 295", 295),
        ("３２０", 320),
        ("１，０２４．５", Fraction(2049, 2)),
        ("−5", -5),
        ("–5", -5),
        ("—5", -5),
        ("－5", -5),
        ("0x400", 1024),
        ("0b101", 5),
        (".5", Fraction(1, 2)),
        ("5.", 5),
        ("010", 10),
        ("½", Fraction(1, 2)),
        ("2½", Fraction(5, 2)),
        ("7⁄39", Fraction(7, 39)),
        ("7÷39", Fraction(7, 39)),
        ("8 times 4", 32),
        ("8x", 8),
        ("8×", 8),
        ("×8", 8),
        ("8-fold", 8),
        ("800%", 8),
        ("sqrt(16)", 4),
        ("√16", 4),
        ("ceil(100/8)", 13),
        ("-2^2", -4),
        ("2^-3", Fraction(1, 8)),
        ("15.6 million", 15_600_000),
        ("1/2 million", 500_000),
        ("0.1+0.2", Fraction(3, 10)),
    ],
)
def test_pure_numbers(text: str, value: Fraction) -> None:
    assert value_of(text) == (value, "")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("百分之三十", Fraction(3, 10)),
        ("百分之17.9", Fraction(179, 1000)),
        ("百分之三十七点五", Fraction(3, 8)),
        ("千分之三", Fraction(3, 1000)),
        ("三分之一", Fraction(1, 3)),
        ("八分之七", Fraction(7, 8)),
        ("39分之7", Fraction(7, 39)),
        ("九成", Fraction(9, 10)),
        ("一半", Fraction(1, 2)),
        ("3万", 30_000),
        ("15.6 亿", 1_560_000_000),
        ("1.5万亿", 1_500_000_000_000),
        ("7十亿", 7_000_000_000),
        ("1亿2000万", 120_000_000),
        ("3万5千", 35_000),
        ("三百二十", 320),
        ("两千零四十八", 2048),
        ("二零四八", 2048),
        ("十五亿六千万", 1_560_000_000),
        ("一点五", Fraction(3, 2)),
        ("负五", -5),
        ("8倍", 8),
        ("两倍", 2),
        ("约 320", 320),
        ("大约320左右", 320),
        ("8乘以4", 32),
        ("7除以39", Fraction(7, 39)),
        ("2的30次方", 2**30),
        ("(8减1)除以(32加8减1)", Fraction(7, 39)),
        ("（8－1）／（32＋8－1）", Fraction(7, 39)),
        ("15.6億", 1_560_000_000),
        ("答案是 42", 42),
    ],
)
def test_chinese_numbers(text: str, value: Fraction) -> None:
    assert value_of(text) == (value, "")


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("320 KiB", 327_680, "byte"),
        ("约 320 KB", 320_000, "byte"),
        ("2*7/8 GB", 1_750_000_000, "byte"),
        ("(16+2) GB", 18_000_000_000, "byte"),
        ("80 GB - 16 GB", 64_000_000_000, "byte"),
        ("8 × 80 GB", 640_000_000_000, "byte"),
        ("12.5% of 80 GB", 10_000_000_000, "byte"),
        ("80 GB 的 1/8", 10_000_000_000, "byte"),
        ("5 Gb", 625_000_000, "byte"),
        ("5 Gib", 5 * 2**27, "byte"),
        ("5 gb", 5 * 10**9, "byte"),
        ("5 gib", 5 * 2**30, "byte"),
        ("5 kb", 5000, "byte"),
        ("400 Gbps", 50 * 10**9, "byte/s"),
        ("400 Gbit/s", 50 * 10**9, "byte/s"),
        ("50 GBps", 50 * 10**9, "byte/s"),
        ("4 bits", Fraction(1, 2), "byte"),
        ("8-bit", 1, "byte"),
        ("16位", 2, "byte"),
        ("320 千字节", 320_000, "byte"),
        ("32.768万字节", 327_680, "byte"),
        ("989 TFLOP/s / 3.35 TB/s", Fraction(989, 335) * 100, "FLOP/byte"),
        ("(989 TFLOPS)/(3.35 TB/s)", Fraction(989, 335) * 100, "FLOP/byte"),
        ("295 ops/byte", 295, "FLOP/byte"),
        ("每字节 295 FLOP", 295, "FLOP/byte"),
        ("3 TMAC", 6 * 10**12, "FLOP"),
        ("140 GB / 3.35 TB/s", Fraction(140, 3350), "s"),
        ("1h30m", 5400, "s"),
        ("1 h 30 min 10 s", 5410, "s"),
        ("1小时30分钟", 5400, "s"),
        ("1 hour and 30 minutes", 5400, "s"),
        ("半小时", 1800, "s"),
        ("5 μs", Fraction(1, 200_000), "s"),
        ("5 µs", Fraction(1, 200_000), "s"),
        ("50 token·s⁻¹", 50, "token/s"),
        ("50 t/s", 50, "token/s"),
        ("每秒 3000 token", 3000, "token/s"),
        ("3000 token 每秒", 3000, "token/s"),
        ("每卡每秒3000个token", 3000, "token/s/GPU"),
        ("5 token/(s·GPU)", 5, "token/s/GPU"),
        ("每 token 320 KiB", 327_680, "byte/token"),
        ("320 KiB 每 token", 327_680, "byte/token"),
        ("320 KiB per token", 327_680, "byte/token"),
        ("320 KB a token", 320_000, "byte/token"),
        ("单卡 17.5 GB", 17_500_000_000, "byte/GPU"),
        ("4096 tokens × 320 KiB/token", 4096 * 327_680, "byte"),
        ("70B params × 2 bytes", 140 * 10**9, "byte"),
        ("2 bytes/param × 70B params", 140 * 10**9, "byte"),
        ("70B 参数", 70 * 10**9, "parameter"),
        ("15.6亿参数", 1_560_000_000, "parameter"),
        ("1.4T tokens", 14 * 10**11, "token"),
        ("8卡", 8, "GPU"),
        ("64 张 H100", 64, "GPU"),
        ("8x H100", 8, "GPU"),
        ("30 GPU-days", 30 * 86_400, "GPU·s"),
        ("278.8万卡时", 2_788_000 * 3600, "GPU·s"),
        ("100 QPS", 100, "request/s"),
        ("$2.1/M tokens", Fraction(21, 10**7), "USD/token"),
        ("$2.1 per million tokens", Fraction(21, 10**7), "USD/token"),
        ("每百万 token 2.1 美元", Fraction(21, 10**7), "USD/token"),
        ("$2/GPU-hour", Fraction(2, 3600), "USD/s/GPU"),
        ("0.7 kW", 700, "J/s"),
        ("80 Hz", 80, "1/s"),
    ],
)
def test_numbers_with_units(text: str, value: Fraction, unit: str) -> None:
    assert value_of(text) == (value, unit)


@pytest.mark.parametrize(
    ("text", "asked", "value", "unit"),
    [
        ("320", "KiB", 327_680, "byte"),
        ("2.5", "GB", 2_500_000_000, "byte"),
        ("0.5", "GB", 500_000_000, "byte"),
        ("17.9", "%", Fraction(179, 1000), ""),
        ("0.179", "%", Fraction(179, 100_000), ""),
        ("7/39", "%", Fraction(7, 39), ""),
        ("1 - 32/39", "%", Fraction(7, 39), ""),
        ("7/4", "%", Fraction(7, 4), ""),
        ("100*7/39", "%", Fraction(7, 39), ""),
        ("35.8/2", "%", Fraction(179, 1000), ""),
        ("40 GB/80 GB", "%", Fraction(1, 2), ""),
        ("989", "TFLOP/s", 989 * 10**12, "FLOP/s"),
        ("989T", "TFLOP/s", 989 * 10**12, "FLOP/s"),
        ("989 TFLOPS", "TFLOP/s", 989 * 10**12, "FLOP/s"),
        ("989 TFLOPS", "FLOP", 989 * 10**12, "FLOP"),
        ("989 TFLOPs", "FLOP/s", 989 * 10**12, "FLOP/s"),
        ("989 TFLOP", "FLOP/s", 989 * 10**12, "FLOP"),
        ("312 TFLOPS × 30 days", "FLOP", 312 * 10**12 * 30 * 86_400, "FLOP"),
        ("70B", "GB", 70, "byte"),
        ("70B", "token", 70 * 10**9, "token"),
        ("70b", "parameter", 70 * 10**9, "parameter"),
        ("7B", "B params", 7 * 10**9, "parameter"),
        ("7", "B params", 7 * 10**9, "parameter"),
        ("671亿", "亿", 67_100_000_000, ""),
        ("671", "亿", 67_100_000_000, ""),
        ("80G", "GB", 80 * 10**9, "byte"),
        ("80G", "GiB", 80 * 2**30, "byte"),
        ("320K", "KiB", 327_680, "byte"),
        ("128K", "token", 128_000, "token"),
        ("10w", "token", 100_000, "token"),
        ("5m", "min", 300, "s"),
        ("4b", "bit", Fraction(1, 2), "byte"),
        ("4.5", "bit", Fraction(9, 16), "byte"),
        ("900/s", "GB/s", 900 * 10**9, "byte/s"),
        ("3000/s", "token/s", 3000, "token/s"),
        ("320 per token", "KiB/token", 327_680, "byte/token"),
        ("1/20 ms", "token/s", 50, "token/s"),
        ("1/20 s", "ms", Fraction(1, 20), "s"),
        ("80 GB - 16", "GB", 64 * 10**9, "byte"),
        ("16+2 GB", "GB", 18 * 10**9, "byte"),
        ("2.1", "$/M tokens", Fraction(21, 10**7), "USD/token"),
        ("$2.1", "$/M tokens", Fraction(21, 10**7), "USD/token"),
        ("2.5", "GPU-hour", 9000, "GPU·s"),
        ("3", "PF-days", 3 * 10**15 * 86_400, "FLOP"),
        ("6 × 70B × 15T", "FLOP", 6 * 70 * 10**9 * 15 * 10**12, "FLOP"),
        ("8", "x", 8, ""),
        ("8", "", 8, ""),
        ("8", NONE, 8, ""),
    ],
)
def test_a_bare_number_is_read_in_the_unit_asked(text: str, asked: str | None, value: Fraction, unit: str) -> None:
    assert value_of(text, asked) == (value, unit)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("**320 KiB**", 327_680, "byte"),
        ("**17.9** %", Fraction(179, 1000), ""),
        ("`320 KiB`", 327_680, "byte"),
        ("“320 KiB”", 327_680, "byte"),
        ("$17.9\\%$", Fraction(179, 1000), ""),
        ("$1.4 \\times 10^{11}$", 140_000_000_000, ""),
        ("\\frac{7}{39}", Fraction(7, 39), ""),
        ("\\boxed{320\\,\\text{KiB}}", 327_680, "byte"),
        ("1{,}024", 1024, ""),
        ("10<sup>9</sup>", 10**9, ""),
        ("3\u200b20\ufeff KiB\u200e", 327_680, "byte"),
        ("320 KiB.", 327_680, "byte"),
        ("320 KiB。", 327_680, "byte"),
        ("= 320 KiB", 327_680, "byte"),
        ("3\u3000GB", 3 * 10**9, "byte"),
        ("５ＧＢ", 5 * 10**9, "byte"),
    ],
)
def test_dressing_goes_first(text: str, value: Fraction, unit: str) -> None:
    assert value_of(text) == (value, unit)


@pytest.mark.parametrize(
    ("text", "asked", "value"),
    [
        ("7/39 = 17.9%", None, Fraction(7, 39)),
        ("17.9% (7/39)", None, Fraction(179, 1000)),
        ("7/39 ≈ 0.179 ≈ 17.9 %", "%", Fraction(7, 39)),
        ("7/39 = 17.9", "%", Fraction(7, 39)),
        ("320 KiB (327,680 bytes)", None, 327_680),
        ("320 KiB（327,680 字节）", None, 327_680),
        ("320 KiB, i.e. 327,680 bytes", None, 327_680),
        ("2*7/8 = 1.75 GB", None, 1_750_000_000),
        ("2*7/8 = 1.75", "GB", 1_750_000_000),
        ("MFU = 40%", None, Fraction(2, 5)),
        ("气泡占比 = 7/39", None, Fraction(7, 39)),
        ("(p-1)/(m+p-1) = 7/39 = 17.9 %", None, Fraction(7, 39)),
        ("320 KiB (per token)", None, 327_680),
        ("5 (GB)", None, 5 * 10**9),
        ("1/3 = 0.33", None, Fraction(1, 3)),
        ("70B × 2 = 140 GB", "GB", 140 * 10**9),
        ("70B × 2 = 140", "GB", 140 * 10**9),
        ("140/3.35 = 41.8 ms", None, Fraction(140, 3350)),
        ("131072 = 128K", "token", 131_072),
        ("7/39 or 17.9 %", None, Fraction(7, 39)),
        ("320 KiB, 328 KB", None, 327_680),
    ],
)
def test_two_ways_to_write_one_answer(text: str, asked: str | None, value: Fraction) -> None:
    assert read(text, asked).exact == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty"),
        ("   ", "empty"),
        (".", "empty"),
        ("hello", "word"),
        ("320 KiBs/foo", "word"),
        ("KiB", "no_number"),
        ("5 *", "unfinished"),
        ("(5", "bracket"),
        ("5)", "syntax"),
        ("1,5", "comma"),
        ("1,0240", "comma"),
        ("1 024,5", "comma"),
        ("1__024", "digits"),
        ("1_00", "digits"),
        ("1.2.3", "digits"),
        ("192.168.0.1", "digits"),
        ("2026-11-30", "digits"),
        ("1e3.5", "digits"),
        ("0x1G", "digits"),
        ("3 4", "two_numbers"),
        ("2 000 00", "two_numbers"),
        ("3万5", "two_numbers"),
        ("8卡80GB", "two_numbers"),
        ("--5", "two_signs"),
        ("− −5", "two_signs"),
        ("+-5", "two_signs"),
        ("5--3", "two_signs"),
        ("5 - -3", "two_signs"),
        ("> 5", "inequality"),
        ("≤5", "inequality"),
        ("＜ 5", "inequality"),
        ("5+", "inequality"),
        ("5+ GB", "inequality"),
        ("at least 5", "inequality"),
        ("up to 5", "inequality"),
        ("不到 5", "inequality"),
        ("5 以上", "inequality"),
        ("不超过5GB", "inequality"),
        ("5-6", "range"),
        ("5–6 GB", "range"),
        ("5-10%", "range"),
        ("(5-6) GB", "range"),
        ("5~6", "range"),
        ("5 GB-6 GB", "range"),
        ("5 to 6", "range"),
        ("5到6", "range"),
        ("5至6", "range"),
        ("300多", "range"),
        ("几百", "range"),
        ("5±1", "range"),
        ("七八", "numeral"),
        ("三千二", "numeral"),
        ("1:30", "clock"),
        ("3：1", "clock"),
        ("7/39 = 20%", "two_values"),
        ("320 KiB (640 KiB)", "two_values"),
        ("320 KiB or 640 KiB", "two_values"),
        ("1/3 = 0.3", "two_values"),
        ("5 GB = 5 s", "two_values"),
        ("100 or 101", "two_values"),
        ("1000, 1024", "two_values"),
        ("100~101", "range"),
        ("1000~1024", "range"),
        ("1/0", "zero"),
        ("0^-1", "zero"),
        ("2^3^4", "tower"),
        ("2^(3^4)", "tower"),
        ("9**9**9", "tower"),
        ("1e401", "magnitude"),
        ("1e-401", "magnitude"),
        ("1e999999999", "magnitude"),
        ("9^9999", "magnitude"),
        ("1e300*1e300", "magnitude"),
        ("1e-300/1e300", "magnitude"),
        ("(-8)^(1/3)", "exponent"),
        ("2^(3 GB)", "exponent"),
        ("5 GB + 3 s", "mixed_sum"),
        ("80 GB - 16", "mixed_sum"),
        ("5 - 10%", "mixed_sum"),
        ("7/39 %", "percent_of_fraction"),
        ("16 b", "lone_b"),
        ("5m", "lone_m"),
        ("5%%", "syntax"),
        ("5 GB GB", "syntax"),
        ("5//3", "syntax"),
        ("5!", "word"),
        ("inf", "word"),
        ("nan", "word"),
        ("∞", "word"),
        ("٣", "word"),
        ("⑤", "word"),
        ("log₂8", "word"),
        ("295 (H100)", "word"),
        ("3 of 8", "word"),
        ("提升8倍", "word"),
        ("5\x1b[2J", "control"),
        ("5\x00", "control"),
        ("1" * 201, "too_long"),
        ("+".join("1" * 40), "too_long"),
        ("(" * 21 + "1" + ")" * 21, "too_deep"),
    ],
)
def test_what_cannot_be_read(text: str, kind: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(text)
    assert caught.value.kind == kind


def test_a_lone_letter_that_nothing_decides_is_asked_again() -> None:
    for text, unit in (("64 b", "GB"), ("5m", "ms"), ("5m", None)):
        with pytest.raises(Unreadable):
            read(text, unit)


def test_bounds_hold_just_inside() -> None:
    assert read("1e400").exact == 10**400
    assert read("1e-400").exact == Fraction(1, 10**400)
    assert read("(" * 20 + "1" + ")" * 20).exact == 1
    assert read("+".join("1" * 30)).exact == 30
    assert read("1" * 200).value == int("1" * 200)


def test_the_reason_gives_an_example_in_the_unit_asked() -> None:
    for unit, example in (("GB", "2.5 GB"), ("%", "17.9 %"), ("ms", "2.5 ms"), ("token", "64 tokens"), ("x", "1.5 x")):
        with pytest.raises(Unreadable) as caught:
            read("5 to 6", unit)
        assert caught.value.reason.en.endswith(example)
        assert example in caught.value.reason.zh
        assert read(example, unit)


def test_an_unknown_unit_is_said_to_be_one() -> None:
    for unit in ("foo", "GB/foo", "5", "5 GB", "("):
        with pytest.raises(Unreadable) as caught:
            read("5", unit)
        assert caught.value.kind == "unknown_unit"


def test_unreadable_is_an_error_that_a_learner_can_act_on() -> None:
    error = Unreadable(Text("a", "b"))
    assert isinstance(error, QuizError)
    assert error.reason == error.text == Text("a", "b")


def test_reasons_never_carry_what_a_terminal_would_obey() -> None:
    for text in ("\\" + "x" * 50, "foo\u0085bar", "foo\u2028bar", "zz\u202e[/b]", "\ud800"):
        with pytest.raises(Unreadable) as caught:
            read(text)
        assert caught.value.reason.en.isprintable()
        assert caught.value.reason.zh.isprintable()


def test_every_sentence_is_there_in_both_languages() -> None:
    assert all(text.en and text.zh for text in WORDS.values())


@pytest.mark.parametrize(
    ("text", "asked", "word"),
    [
        ("5 Gb", None, "bits"),
        ("5 gb", None, "bytes"),
        ("400 gbps", None, "bits"),
        ("70B", "GB", "bytes"),
        ("5 TFLOPS", "FLOP", "number of operations"),
        ("5 TFLOPs", "FLOP/s", "a second"),
        ("128K", "token", "1024"),
        ("3 MACs", None, "2 FLOP"),
        ("7/39", "%", "ratio"),
        ("0.179", "%", "0.179 %"),
        ("10w", "token", "10,000"),
    ],
)
def test_an_ambiguous_text_is_read_with_a_note(text: str, asked: str | None, word: str) -> None:
    assert any(word in note.en for note in read(text, asked).notes)


@pytest.mark.parametrize("text", ["320 KiB", "5 GB", "17.9%", "989 TFLOP/s", "50 token/s", "1.5K", "128Ki"])
def test_a_plain_text_is_read_without_a_note(text: str) -> None:
    assert read(text).notes == ()


def test_k_and_m_on_a_count_can_be_either() -> None:
    assert read("128K", "token").alternatives == (Fraction(131_072),)
    assert read("1M", "token").alternatives == (Fraction(1_048_576),)
    assert read("128K tokens × 320 KiB/token", "GB").alternatives == (Fraction(131_072 * 327_680),)
    for text, unit in (("1.5K", "token"), ("3K", "token/s"), ("70G", "parameter"), ("320K", "KB"), ("3K", "%")):
        assert read(text, unit).alternatives == ()


def test_values_are_whole_where_they_can_be() -> None:
    assert isinstance(read("2.5 GB").value, int)
    assert isinstance(read("7/39").value, float)
    assert read("7/39").exact == Fraction(7, 39)
    assert Quantity(3.0, "byte").value == 3
    assert Quantity(0.1, "s").exact == Fraction(1, 10)
    assert Quantity(6.3e24, "FLOP").exact == 63 * 10**23
    assert isinstance(Quantity(6.3e24, "FLOP").value, float)
    assert Quantity(0, "byte", exact=Fraction(5, 2)).value == 2.5
    for bad in (float("inf"), float("nan")):
        with pytest.raises(ValueError, match="finite"):
            Quantity(bad)


def test_reading_loads_nothing_heavy() -> None:
    code = (
        "import sys, quiz.quantity, quiz.answer; quiz.quantity.read('320 KiB', 'KiB');"
        "print([m for m in ('yaml', 'rapidfuzz', 'typer', 'textual', 'rich', 'sqlite3', 'pathlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
