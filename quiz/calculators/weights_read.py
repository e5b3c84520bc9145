"""Weights that a decoding step reads: which experts a batch touches, and what of a model is only looked up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quiz.calculators import models
from quiz.calculators.base import Values, integer, optional, preset
from quiz.calculators.model_shape import Model
from quiz.calculators.models import MODELS
from quiz.language import Text


def looked_up(model: Model) -> int:
    """Parameters that are looked up row by row, not multiplied: the input embedding where the head is apart, positions."""
    return (0 if model.tied else model.vocab * model.hidden) + model.positions * model.hidden


def kept_wide(model: Model) -> int:
    """Parameters that weight-only quantization usually leaves in 16 bits: embedding, head and positions."""
    return model.vocab * model.hidden * (1 if model.tied else 2) + model.positions * model.hidden


def untouched_share(experts: int | None, top_k: int | None, batch: int) -> float:
    """Share of a layer's experts that no token of `batch` chose, each choosing `top_k` of `experts` evenly and alone.

    (1 − k/E)^batch. ValueError where top_k is above experts.
    """
    if not experts or not top_k:
        return 0.0
    if top_k > experts:
        raise ValueError(f"a token cannot choose {top_k} of {experts} experts")
    return float((1 - top_k / experts) ** batch)


def read_parameters(
    parameters: int,
    active: int | None,
    embedding: int,
    experts: int | None,
    top_k: int | None,
    batch: int,
) -> float:
    """Parameters that one decoding step of `batch` tokens reads, the embedding's looked-up rows left out.

        parameters − embedding − (parameters − active)·(1 − k/E)^(batch − 1)

    which is active − embedding for one token: the routed parameters are (parameters − active)·E/(E − k), and a share of
    (1 − k/E)^batch of them is untouched. All of a dense model. ValueError where active is above parameters.
    """
    routed = parameters if active is None else active
    if routed > parameters:
        raise ValueError(f"{routed} active parameters of {parameters}")
    if not experts or not top_k:
        return routed - embedding
    return parameters - embedding - (parameters - routed) * untouched_share(experts, top_k, batch - 1)


def _fill(name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    model = MODELS[name]
    known = models.inputs(model)
    if "parameters" in given and not model.experts:
        # A rounded count of a dense model (70e9) lies below the exact active one.
        known = {name: value for name, value in known.items() if name != "active_parameters"}
    return {**known, "embedding": looked_up(model), "wide_parameters": kept_wide(model)}


MODEL = preset("model", Text("model", "模型"), tuple(MODELS), _fill)
ACTIVE = optional(
    integer(
        "active_parameters",
        Text("parameters that a token uses (all if absent)", "每 token 激活的参数量（不给则全部）"),
        unit="parameter",
    )
)
EMBEDDING = integer(
    "embedding",
    Text("parameters looked up, not multiplied (or give model)", "只查表不做乘法的参数量（或给 model）"),
    unit="parameter",
    low=0,
    default=0,
)
EXPERTS = integer("experts", Text("routed experts a layer", "每层的路由专家数"), high=100_000)
TOP_K = integer("top_k", Text("experts a token goes to", "每个 token 选中的专家数"), high=1024)


def is_mixture(i: Values) -> bool:
    return bool(i.experts and i.top_k and i.active_parameters and i.active_parameters < i.parameters)
