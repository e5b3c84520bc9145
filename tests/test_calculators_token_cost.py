"""Cost of tokens: against DeepSeek's own account."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

COST = find("cost_per_token")
DEEPSEEK = {"price_per_hour": 2, "gpus": 1814, "tokens_per_second": 168e9 / 86_400}


def cost(**given: Any) -> Any:
    return run(COST, given).outputs


def test_deepseek_pays_87072_dollars_a_day() -> None:
    """V3/R1 inference system overview: 226.75 nodes of 8 H800 at $2 an hour, $87,072 a day; 168B output tokens."""
    found = cost(**DEEPSEEK)
    assert found["per_hour"] * 24 == 87_072
    assert found["tokens_per_hour"] * 24 == pytest.approx(168e9, rel=1e-9)
    assert found["per_million"] == pytest.approx(87_072 / 168e3)


def test_a_node_that_decodes_all_the_time() -> None:
    """The same: 14.8 thousand output tokens a second from a node of 8: $16 an hour for 53 million tokens, 30 cents each."""
    assert cost(price_per_hour=2, gpus=8, tokens_per_second=14_800)["per_million"] == pytest.approx(0.30, abs=0.005)


@given(st.floats(0.1, 100), st.integers(1, 1000), st.floats(1, 1e6), st.floats(0.01, 1))
def test_tokens_times_their_cost_is_the_rent(price: Any, gpus: Any, tokens: Any, busy: Any) -> None:
    found = cost(price_per_hour=price, gpus=gpus, tokens_per_second=tokens, utilisation=busy)
    assert found["per_token"] * found["tokens_per_hour"] == pytest.approx(found["per_hour"], rel=1e-6)
    assert found["per_million"] == pytest.approx(found["per_token"] * 1e6)


def test_a_price_by_the_second_is_refused() -> None:
    """`2 USD/h` is read as dollars a second, which no GPU costs: better no answer than one 3,600 times too small."""
    with pytest.raises(BadInput):
        cost(price_per_hour="2 USD/h", tokens_per_second=1000)


def test_every_slip_shows() -> None:
    check_slips(COST, [DEEPSEEK | {"utilisation": 0.6}])


def test_one_gpus_price_for_a_nodes_tokens_is_an_eighth() -> None:
    given = {"price_per_hour": 2, "gpus": 8, "tokens_per_second": 14_800}
    assert slips(COST, "per_million", **given)["one_gpu"] == pytest.approx(cost(**given)["per_million"] / 8)
