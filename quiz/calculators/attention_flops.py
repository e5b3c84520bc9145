"""What attention computes beyond its matrices: scores and weighted values, per token, over all layers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators.base import Input, Values, choice, flag, integer, optional
from quiz.calculators.inputs import LAYERS, LONGEST
from quiz.calculators.kv_shape import HEAD_DIM, HEADS, MLA_ROPE, WINDOW, WINDOW_LAYERS
from quiz.errors import BadInput
from quiz.language import Text

RECOMPUTE = ("none", "selective", "full")


def score_width(heads: int, head_dim: int, mla_rope: int | None = None) -> Fraction:
    """Elements that a query and a key meet over, and a value adds: n·d; MLA's scores also run over the rotary part.

    A query costs 2·n·(d + r) FLOP of scores and 2·n·d of values for each key: 4·n·(d + r/2).
    """
    return heads * (head_dim + Fraction(mla_rope or 0, 2))


def attended_keys(
    layers: int, sequence: int, window: int | None, window_layers: int | None, causal: bool = False
) -> Fraction:
    """Keys that a query meets, summed over all layers; with `causal` the mean over the sequence, s/2 without a window.

    A window of w keeps min(w, s) keys, causal w − w²/(2s) of them in the mean.
    ValueError where more layers have a window than there are.
    """
    windowed = 0 if not window else layers if window_layers is None else window_layers
    if windowed > layers:
        raise ValueError(f"{windowed} layers with a window, but only {layers} layers")
    seen = min(window, sequence) if window else sequence
    near = seen - Fraction(seen * seen, 2 * sequence) if causal else Fraction(seen)
    far = Fraction(sequence, 2) if causal else Fraction(sequence)
    return windowed * near + (layers - windowed) * far


def scores_per_token(
    *,
    layers: int | None,
    heads: int | None,
    head_dim: int | None,
    mla_rope: int | None = None,
    window: int | None = None,
    window_layers: int | None = None,
    sequence: int | None,
    causal: bool = False,
    **_: Any,
) -> Fraction:
    """FLOP of scores and values that one token's forward pass takes, all layers; 0 without a `sequence`.

    BadInput where there is a sequence but not the shape.
    """
    if sequence is None:
        return Fraction(0)
    if layers is None or heads is None or head_dim is None:
        raise BadInput(
            Text(
                "with a sequence give layers, heads and head_dim too, or a model",
                "给了 sequence 就还要给 layers、heads 和 head_dim，或给 model",
            )
        )
    keys = attended_keys(layers, sequence, window, window_layers, causal)
    return 4 * score_width(heads, head_dim, mla_rope) * keys


def used(parameters: int, active_parameters: int | None) -> int:
    """The parameters that a token passes. BadInput where they are more than there are."""
    if active_parameters is not None and active_parameters > parameters:
        raise BadInput(
            Text(
                f"active_parameters is {active_parameters:,}, more than all parameters, {parameters:,}",
                f"active_parameters 是 {active_parameters:,}，多于总参数量 {parameters:,}",
            )
        )
    return active_parameters or parameters


def total_for_active(i: Values) -> dict[str, Any] | None:
    """The change that takes all parameters where only some are used."""
    sparse = i.active_parameters is not None and i.active_parameters != i.parameters
    return {"active_parameters": None} if sparse else None


ACTIVE = optional(
    integer(
        "active_parameters",
        Text("parameters that a token passes, where not all", "每个 token 激活的参数量（MoE）"),
        unit="parameter",
    )
)
SHAPE: tuple[Input, ...] = tuple(
    optional(field) for field in (LAYERS, HEADS, HEAD_DIM, MLA_ROPE, WINDOW, WINDOW_LAYERS)
)
SEQUENCE = integer("sequence", Text("tokens a sequence s", "每条序列的 token 数 s"), unit="token", high=LONGEST)
CAUSAL = flag("causal", Text("count only the causal half of the scores", "分数只算因果的一半"))
RECOMPUTATION = choice("recompute", Text("activation recomputation", "激活重算"), RECOMPUTE, default="none")

CONVENTION = Text(
    "attention is counted as the full square, 12·L·h·s a token, as PaLM's MFU does; the causal half is 6·L·h·s",
    "注意力按完整方阵计，每 token 12·L·h·s（PaLM 的 MFU 口径）；只算因果的一半是 6·L·h·s",
)
TOTAL_FOR_ACTIVE = Text(
    "all parameters are counted; a token of a mixture of experts passes only the active ones",
    "用了总参数量，而 MoE 的每个 token 只经过激活参数",
)
MACS = Text("multiply-adds are counted; each is two FLOPs", "数的是乘加次数（MAC），每次乘加算 2 FLOP")
FORWARD_ONLY = Text("only the forward pass is counted, 2 FLOPs a parameter", "只算了前向，每参数 2 FLOP")
NO_ATTENTION = Text("the scores of attention are left out", "漏了注意力分数的计算量")
CAUSAL_HALF = Text("only the causal half of the scores is counted", "注意力分数只算了因果的一半")
FULL_SQUARE = Text("the scores are counted as the full square", "注意力分数按完整方阵算了")
