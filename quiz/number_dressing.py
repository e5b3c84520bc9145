"""From what was typed to plain text: one form for every dash, space, digit and multiplication sign.

Superscripts and vulgar fractions go before the compatibility fold, which would turn `10³` into 103 and `2½` into 21/2.
Markdown and LaTeX around a number are taken off. What is left holds ASCII, letters and Chinese characters.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from quiz.number_problems import Unreadable

LONGEST = 200

_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾", "0123456789+-()", strict=True))
_FRACTIONS = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
_SIGNS = (
    dict.fromkeys("‐‑‒–—―−﹣－⁃", "-")
    | dict.fromkeys("✕✖⨯✗⨉", "×")
    | dict.fromkeys("·⋅•∙・‧∗", "*")
    | dict.fromkeys("÷∕⁄", "/")
    | dict.fromkeys("∼˜〜～∽", "~")
    | dict.fromkeys("≃≅≒≐", "≈")
    | dict.fromkeys("“”„‟\"「」『』", "'")
    | {"（": " (", "）": ")", "［": "(", "］": ")", "【": " (", "】": ")", "[": "(", "]": ")"}
    | dict(zip("萬億個張兩點約參數層請節負減幾時鐘為卡塊臺應倍總計餘", "万亿个张两点约参数层请节负减几时钟为卡块台应倍总计余", strict=True))
    | {"。": ".", "、": ";", "，": ",", "ˆ": "^", "‘": "'", "’": "'", "√": "sqrt"}
)  # fmt: skip
_COMMANDS = {
    "times": "×", "cdot": "*", "ast": "*", "div": "/", "approx": "≈", "simeq": "≈", "sim": "~", "equiv": "=", "mu": "μ",
    "left": "", "right": "", "quad": " ", "qquad": " ", "pm": "±", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥",
    "lt": "<", "gt": ">", "ne": "≠", "neq": "≠", "big": "", "Big": "", "bigl": "", "bigr": "", "displaystyle": "",
    "rm": "", "bf": "", "boxed": "", "frac": "frac", "dfrac": "frac", "tfrac": "frac", "cfrac": "frac", "sqrt": "sqrt",
    "lceil": "ceil(", "rceil": ")", "lfloor": "floor(", "rfloor": ")",
}  # fmt: skip


def undress(text: str) -> str:
    """The plain form of `text`. Unreadable if it is empty, too long, or has control characters or unknown commands."""
    if len(text) > LONGEST:
        raise Unreadable.of("too_long")
    plain = _latex(_markdown(_fold(text)))
    if len(plain) > 4 * LONGEST:
        raise Unreadable.of("too_long")
    plain = _words(" ".join(plain.split()))
    if not plain:
        raise Unreadable.of("empty")
    if re.fullmatch(r"\d{4}-\d{1,2}-\d{1,2}", plain):
        raise Unreadable.of("digits", near=plain)
    return plain


def _fold(text: str) -> str:
    """One form for each character. Superscripts become an exponent, 2½ becomes (2+1/2)."""
    if not _FRACTIONS.keys().isdisjoint(text):
        text = re.sub(rf"(?<![\d.,])(\d+) ?([{''.join(_FRACTIONS)}])", lambda m: f"({m[1]}+{_FRACTIONS[m[2]]})", text)
    out: list[str] = []
    raised = False
    for char in text:
        if char in _SUPERSCRIPTS:
            if not raised:
                while out and out[-1] == " ":
                    out.pop()
                out.append("^(")
            raised = True
            out.append(_SUPERSCRIPTS[char])
            continue
        if raised:
            out.append(")")
            raised = False
        out.append(_folded(char))
    return "".join(out) + (")" if raised else "")


def _folded(char: str) -> str:
    if char in _SIGNS:
        return _SIGNS[char]
    if char in _FRACTIONS:
        return f"({_FRACTIONS[char]})"
    if char.isascii():
        if char.isprintable() or char.isspace():
            return char
        raise Unreadable.of("control")
    category = unicodedata.category(char)
    if category == "Cf" or "\ufe00" <= char <= "\ufe0f":
        return ""
    if category[0] == "Z":
        return " "
    if category in ("Cc", "Cs", "Co", "Cn"):
        raise Unreadable.of("control")
    if category == "No":
        return char
    folded = unicodedata.normalize("NFKC", char)
    return "".join(_SIGNS.get(c, c) for c in folded)


def _markdown(text: str) -> str:
    text = text.replace("`", "").strip().strip("'").strip()
    if "<" in text:
        text = re.sub(r"<sup>\s*([-+]?\d+)\s*</sup>", r"^(\1)", text)
    if text.startswith("* "):
        text = text[2:]
    while len(text) > 4 and text.startswith("**") and text.endswith("**"):
        text = text[2:-2].strip()
    if "*" in text:
        # Emphasis starts where no number ends, so that 2**30 stays a power.
        text = re.sub(r"(?<![\w)*.])(\*{1,3})([^*\s][^*]*)\1(?![\d(*])", r"\2", text)
    while len(text) > 2 and text[0] == text[-1] == "_":
        text = text[1:-1]
    return text


def _latex(text: str) -> str:
    if "$" in text:
        if text.count("$$") == 2:
            text = text.replace("$$", "")
        # A closing $ has no digit behind it; "$2 - $1" is money.
        text = re.sub(r"\$([^$]+?)\$(?!\s*\d)", r"\1", text)
    text = text.replace("{,}", ",")
    if "\\" in text:
        text = re.sub(r"~(?=\\)", " ", text)
        text = re.sub(r"\\[,;:! ]", " ", text)
        text = re.sub(r"\\[()\[\]]", "", text)
        text = re.sub(r"\\([%$_#&{}])", r"\1", text)
        for _ in range(5):
            text = re.sub(r"\\(?:text|math|bold|boxed|operatorname)[a-z]*\s*\{([^{}]*)\}", r"\1", text)
        text = re.sub(r"\\([A-Za-z]+)", _command, text)
        for _ in range(20):
            start = text.find("frac")
            if start < 0:
                break
            above, after = _group(text, start + 4)
            below, after = _group(text, after)
            text = f"{text[:start]}(({above})/({below})){text[after:]}"
        if "\\" in text:
            raise Unreadable.of("word", word="\\")
    return text.replace("{", "(").replace("}", ")")


def _command(match: re.Match[str]) -> str:
    if match[1] not in _COMMANDS:
        raise Unreadable.of("word", word=match[0])
    return _COMMANDS[match[1]]


def _group(text: str, start: int) -> tuple[str, int]:
    """The LaTeX argument at `start` and where it ends: a braced group or one character."""
    while start < len(text) and text[start] == " ":
        start += 1
    if start >= len(text):
        raise Unreadable.of("syntax", near="\\frac")
    if text[start] != "{":
        return text[start], start + 1
    depth = 0
    for end in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[start + 1 : end], end + 1
    raise Unreadable.of("syntax", near="\\frac")


_NUMBER = r"[0-9零〇一二两三四五六七八九十百千]+"
_DENOMINATOR = r"(?:\d+|[零〇一二两三四五六七八九十百千万亿]+)"
_BEFORE = r"(?<=[\d)%零一二两三四五六七八九十百千万亿GBs])\s*"
_BEHIND = r"(?=\s*[\d(零一二两三四五六七八九十])"
_SHARE = rf"(?:\d[\d.]*|{_NUMBER}(?:点{_NUMBER})?)"

# Phrases that mean a sign, a hedge or nothing: what one of them cannot do without (a pattern is compiled only for a
# text that has it), its pattern, what stands for it.
PHRASES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("答", "结果", "解", "ans", "result"),
        r"^(?:答案|结果|答|解|answer|ans|result)\s*(?:[:是为]|is\b)?\s*",
        "",
    ),
    (("百分之",), rf"百分之\s*(负?{_SHARE})", r"\1%"),
    (("千分之",), rf"千分之\s*({_SHARE})", r"\1‰"),
    (("分之",), rf"({_DENOMINATOR})\s*分之\s*(负?{_SHARE})", r"(\2/\1)"),
    (("次方",), rf"({_NUMBER})\s*的\s*([负-]?{_NUMBER})\s*次方", r"\1^(\2)"),
    (("!",), r"(?<=[^\d\s)])\s*!+$", ""),
    (
        ("等于", "也就是", "相当于", "即", "~", "==", "->", "→", "⇒", ":=", "≈"),
        r"约等于|等于|也就是|相当于|即(?!使)|~=|=~|==|->|→|⇒|:=|≈",
        "=",
    ),
    (("<<",), r"(\d+)\s*<<\s*(\d+)", r"(\1*2^(\2))"),
    (("equals", "equal to", "ie", "i.e"), r"\b(?:equals|equal to|i\.?e\.?)(?=\s)", "="),
    (("or so", "total", "each", "overall"), r"\b(?:or so|in total|total|each|overall)\b", " "),
    (
        ("approx", "about", "around", "roughly", "circa", "ca.", "almost", "nearly"),
        r"\b(?:approximately|approx\.?|about|around|roughly|circa|ca\.|almost|nearly)(?![a-z])",
        " ",
    ),
    (
        ("大", "约", "差不多", "近", "估计", "左右", "上下", "总", "共", "合计", "达到"),
        r"大约为|大约是|约为|约是|大约|大概|大致|约莫|差不多|接近|将近|近(?=\s*[\d一二两三四五六七八九十])|估计|约合|约|左右|上下|总共|一共|总计|合计|共计|共(?=\s*\d)|达到|大小",
        " ",
    ),
    (("吧", "呢", "啊", "呀", "哦"), r"[吧呢啊呀哦]+$", " "),
    (("per cent",), r"\bper cent\b", "%"),
    (("multiplied by", "乘"), rf"\bmultiplied by\b|乘以|乘上|{_BEFORE}乘{_BEHIND}", "*"),
    (("divided by", "除以"), r"\bdivided by\b|除以", "/"),
    (("minus", "negative", "减", "负"), rf"\bminus\b|\bnegative\b|减去|{_BEFORE}减{_BEHIND}|负", "-"),
    (("plus", "加"), rf"\bplus\b|加上|{_BEFORE}加{_BEHIND}", "+"),
    (("or", "或"), r"\bor\b|或者是|或者|或是|或", ";"),
    (("单",), r"单(?=卡|层|机|个|GPU|gpu| ?token)", "每"),
    (("^",), r"(?<=\d)\s+(?=\^)", ""),
)


@lru_cache(maxsize=len(PHRASES))
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def _words(text: str) -> str:
    for needs, pattern, sign in PHRASES:
        plain = text.casefold()
        if any(need in plain for need in needs):
            text = _compiled(pattern).sub(sign, text)
    text = re.sub(r"×\s*(?=$|[=;)])", "x", text).replace("×", "*").strip()
    while text and text[-1] in ".?,;":
        # "5." is a number and so is "320 KiB."; both lose nothing with the full stop.
        text = text[:-1].rstrip()
    return text.lstrip("~= ").strip()
