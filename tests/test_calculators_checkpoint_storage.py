"""Checkpoints on disk: against BLOOM's, and the arithmetic of keeping few of them whole."""

from __future__ import annotations

from typing import Any

import pytest
from calculator_checks import check_slips, slips
from hypothesis import given
from hypothesis import strategies as st

from quiz.calculators import find
from quiz.calculators.base import run
from quiz.errors import BadInput

STORAGE = find("checkpoint_storage")


def stored(**given: Any) -> Any:
    return run(STORAGE, given).outputs


def test_the_checkpoints_of_bloom() -> None:
    """BigScience 176B: "only the bf16 weights are 329GB, the full checkpoint with optimizer states is 2.3TB": both in
    1024-based units (176.2 billion parameters at 2 and 14 bytes: 328.3 GiB, 2.24 TiB)."""
    found = stored(parameters=176_247_271_424)
    assert found["weights"] / 2**30 == pytest.approx(329, abs=1)
    assert found["checkpoint"] / 2**40 == pytest.approx(2.3, rel=0.03)


def test_a_7b_model_takes_14_bytes_a_parameter() -> None:
    assert stored(parameters=7 * 10**9)["checkpoint"] == 98 * 10**9
    assert slips(STORAGE, "checkpoint", parameters=7 * 10**9)["weights_only"] == 14 * 10**9


@given(st.integers(1, 10**12), st.integers(1, 1000), st.integers(0, 1000))
def test_all_and_saved_are_what_all_whole_would_take(parameters: Any, versions: Any, resumable: Any) -> None:
    if resumable > versions:
        with pytest.raises(BadInput):
            stored(parameters=parameters, versions=versions, resumable=resumable)
        return
    found = stored(parameters=parameters, versions=versions, resumable=resumable)
    assert found["total"] + found["saved"] == versions * 14 * parameters
    assert found["saved"] == (versions - resumable) * 12 * parameters


def test_every_slip_shows() -> None:
    check_slips(STORAGE, [{"model": "llama-3-8b", "versions": 20, "resumable": 2, "bandwidth": "2 GB/s"}])
