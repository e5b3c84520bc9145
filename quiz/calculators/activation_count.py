"""The activations that one transformer layer keeps for its backward pass, tensor by tensor."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from quiz.calculators.exact import plain
from quiz.calculators.layer_cost import refuse_other_layers
from quiz.calculators.parameter_count import heads_of
from quiz.errors import BadInput
from quiz.language import Text

MODES = ("none", "selective", "full")
ELEMENT = 2
MASK = 1
FP32 = 4


def activation_memory(**given: Any) -> dict[str, Any]:
    """Bytes of activations kept for the backward pass, of one micro-batch in one layer and on the first stage's GPU.

    16-bit tensors of a micro-batch of b sequences of s tokens (s/cp on each of cp context-parallel GPUs):

        once a token    two norms' inputs 2·2·h, the inputs of QKV and of the MLP 2·2·h, dropout masks 2·h
        over t GPUs     q 2·n·d, k and v 2·2·k·d, the output matrix's input 2·n·d, the MLP's f-wide tensors
                        (2·2·f plain: before and after GELU; 3·2·f gated: gate, up, their product)
        scores          2·a·s²·b of softmax; with dropout its mask and output too, 5·a·s²·b in all

    A GPT block (MHA, f = 4·h, dropout) sums to s·b·h·(34 + 5·a·s/h), over t GPUs s·b·h·(10 + 24/t + 5·a·s/(h·t)). With
    sequence_parallel everything is divided by t. FlashAttention and selective recomputation keep no scores (the former's
    4 bytes a row and head are left out). Full recomputation keeps a layer's input, 2·s·b·h (over t with
    sequence_parallel, where it lies sharded), and needs one layer's tensors again in the backward pass: working_set,
    which of selective recomputation is the scores. 1F1B holds p micro-batches of L/p layers on the first of p stages,
    L layers' worth; interleaving v chunks 1 + (p−1)/(p·v) times that. `outside` is the embedding's dropout mask and,
    where p = 1, the last norm, the head's input and fp32 logits; of a given `vocab` only. Bytes.
    BadInput where sequence parallelism has nothing to divide or chunks no pipeline.

    Source: Korthikanti et al. 2022, §4 and Table 2, https://arxiv.org/abs/2205.05198; blocks other than GPT's by the same
    count of their own tensors
    """
    tp, stages, chunks = given["tp"], given["pp"], given["chunks"]
    if given["sequence_parallel"] and tp == 1:
        raise BadInput(
            Text(
                "sequence_parallel divides over tp GPUs; give tp above 1",
                "sequence_parallel 在 tp 组内切分，请给大于 1 的 tp",
            )
        )
    if chunks > 1 and stages == 1:
        raise BadInput(
            Text("chunks interleave pipeline stages; give pp above 1", "chunks 用于流水线交错，请给大于 1 的 pp")
        )
    tensors = layer_tensors(given)
    kept = kept_tensors(tensors, given)
    stored = given["layers"] * kept * (1 + Fraction(stages - 1, stages * chunks) if chunks > 1 else 1)
    working = {
        "none": Fraction(0),
        "selective": Fraction(0) if given["flash_attention"] else tensors["scores"] / tp,
        "full": kept_tensors(tensors, {**given, "recompute": "none"}),
    }[given["recompute"]]
    outside = outside_layers(given)
    return {
        "per_layer": plain(kept),
        "factor": plain(kept / tensors["token"]),
        "stored": plain(stored),
        "working_set": plain(working),
        "outside": None if outside is None else plain(outside),
        "total": plain(stored + working + (outside or 0)),
    }


def layer_tensors(given: Mapping[str, Any]) -> dict[str, Fraction]:
    """One layer's tensors in bytes before any division by t: `whole` of every token, `split`, `scores`; `token` is s·b·h."""
    refuse_other_layers(given)
    heads, kv_heads, head_dim = heads_of(given)
    hidden, ffn = given["hidden"], given["ffn"] or 4 * given["hidden"]
    rows = Fraction(given["batch"] * given["sequence"], given["cp"])
    wide = (3 if given["gated"] else 2) * ffn
    masks = 2 * MASK * hidden if given["dropout"] else 0
    scores = ELEMENT + (MASK + ELEMENT if given["dropout"] else 0)
    return {
        "token": rows * hidden,
        "whole": rows * (ELEMENT * 4 * hidden + masks),
        "split": rows * ELEMENT * (2 * heads * head_dim + 2 * kv_heads * head_dim + wide),
        "scores": rows * scores * heads * given["sequence"],
    }


def kept_tensors(tensors: Mapping[str, Fraction], given: Mapping[str, Any]) -> Fraction:
    """Bytes that one GPU keeps of one layer."""
    tp = given["tp"]
    whole = tp if given["sequence_parallel"] else 1
    if given["recompute"] == "full":
        return Fraction(ELEMENT * tensors["token"] / whole)
    with_scores = given["recompute"] == "none" and not given["flash_attention"]
    scores = tensors["scores"] / tp if with_scores else Fraction(0)
    return Fraction(tensors["whole"] / whole + tensors["split"] / tp + scores)


def outside_layers(given: Mapping[str, Any]) -> Fraction | None:
    """Bytes that the first stage keeps beside its layers; None without a vocabulary."""
    if given["vocab"] is None:
        return None
    tp, stages = given["tp"], given["pp"]
    whole = tp if given["sequence_parallel"] else 1
    rows = Fraction(given["batch"] * given["sequence"], given["cp"])
    embedding = MASK * rows * given["hidden"] * stages / whole if given["dropout"] else Fraction(0)
    if stages > 1:
        return embedding
    return Fraction(embedding + 2 * ELEMENT * rows * given["hidden"] / whole + FP32 * rows * given["vocab"] / tp)
