"""Formulas are compared by what they give, however they are typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quiz.formula import formula, formulas, same


@pytest.mark.parametrize(
    ("card", "typed"),
    [
        ("2(N−1)/N", "2*(n-1)/n"),
        ("2(N−1)/N", "2·(N − 1) / N"),
        ("2(N−1)/N", "(2p-2)/p"),
        ("(p−1)/(m+p−1)", "(P-1)/(P+M-1)"),
        ("(p−1)/m", "(S-1)/M"),
        ("6ND", "6*N*D"),
        ("2·L·H·d", "2*l*h*d"),
        ("2·L·H·d", "2LHd"),
        ("n²", "n^2"),
        ("n²", "n**2"),
        ("10⁻³", "10^-3"),
        ("7/8", "14/16"),
        ("0.75", "3/4"),
        ("75 %", "3/4"),
        ("1/8", "12.5%"),
    ],
)
def test_the_same_formula_in_another_hand(card: str, typed: str) -> None:
    one, other = formula(card), formula(typed)
    assert one is not None
    assert other is not None
    assert same(one, other)
    assert same(other, one)


@pytest.mark.parametrize(
    ("card", "typed"),
    [
        ("2(N−1)/N", "(N-1)/N"),
        ("(p−1)/(m+p−1)", "(p-1)/m"),
        ("(p−1)/m", "p/m"),
        ("80GB", "80TB"),
        ("6ND", "2*N*D"),
        ("n²", "n*2"),
        ("7/8", "8/7"),
        ("1/n", "n/1"),
    ],
)
def test_another_formula(card: str, typed: str) -> None:
    one, other = formula(card), formula(typed)
    assert one is not None
    assert other is not None
    assert not same(one, other)


@pytest.mark.parametrize("text", ["", "throughput", "all reduce", "(", "1 +", "a ÷ ", "p-1)", "x" * 200, "295", "1/√2"])
def test_no_formula(text: str) -> None:
    assert formula(text) is None


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("each rank sends 2(N-1)/N times the data", "2(N-1)/N"),
        ("气泡占比是(p-1)/(m+p-1)，大概18%", "(p-1)/(m+p-1)"),
        ("bubble = (p-1)/(m+p-1).", "(p-1)/(m+p-1)"),
        ("一共四分之三 N 方", "四分之三"),
        ("about 12.5 % of it", "12.5 %"),
    ],
)
def test_formulas_are_found_inside_a_sentence(answer: str, found: str) -> None:
    assert found in [answer[one.start : one.end] for one in formulas(answer)]


@given(st.text(alphabet="0123456789abNDp+-*/·()^² ²⁻.,−×e中", max_size=60))
def test_no_text_breaks_it(text: str) -> None:
    one = formula(text)
    assert one is None or same(one, one) in (True, False)
    for there in formulas(text):
        assert text[there.start : there.end].strip()
