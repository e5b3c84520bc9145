"""What full and hybrid sharding send through NICs and NVLink in a step, and how long that takes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from quiz.calculators.exact import Number, decimal, plain


def hybrid_sharding(
    *,
    parameters: int,
    weight_bytes: Number,
    gradient_bytes: Number,
    nodes: int,
    gpus: int,
    nics: int,
    nic: Number,
    nvlink: Number,
    **_: Any,
) -> dict[str, Any]:
    """Traffic and time of one step of FSDP (sharded over all GPUs) and HSDP (sharded in a node, replicated across).

    k nodes of g GPUs, n = k·g; S bytes are gathered in the forward and in the backward pass (weights) and R scattered
    once (gradients): V = 2·S + R in all. A node has `nics` NICs of `nic` byte/s, a GPU `nvlink` byte/s, one direction:

        FSDP, flat ring      every GPU sends (n−1)/n·V; a node's edge of the ring carries as much, over its NICs
                             fsdp_nic = (n−1)/n·V/nics             fsdp_nvlink = (n−1)/n·V
        FSDP, hierarchical   a node needs (k−1)/k of everything once, then passes it on inside
                             fsdp_nic_hierarchical = (k−1)/k·V/nics     NVLink (g−1)/g·V
        HSDP                 all inside, then an all-reduce of each GPU's R/g gradients across nodes
                             hsdp_nic = 2·(k−1)/k·R/nics           hsdp_nvlink = (g−1)/g·V

    Bytes in one direction. Times: a flat ring is as fast as its slower link; the other two have two phases, one after
    the other (time: the sum) or fully overlapped (time_overlapped: the slower). nic_saving and nic_saving_hierarchical
    are shares of FSDP's NIC bytes that HSDP spares, time_saving of the flat ring's time, phases in series (negative: HSDP
    is slower). states_ratio: weights, gradients and optimizer a GPU holds, times k. Latency and overlap with compute
    are left out; one reduction a step.

    Source: Zhao et al. 2023, PyTorch FSDP, §3.2.2 (which writes 2·M·(W−1)/(G·W) for the hybrid), https://arxiv.org/abs/2304.11277
    """
    ranks = nodes * gpus
    weights, gradients = parameters * decimal(weight_bytes), parameters * decimal(gradient_bytes)
    volume = 2 * weights + gradients
    ring = Fraction(ranks - 1, ranks) * volume
    across, inside = Fraction(nodes - 1, nodes), Fraction(gpus - 1, gpus)
    fsdp_nic = ring / nics if nodes > 1 else Fraction(0)
    fsdp_split, hsdp_nic = across * volume / nics, 2 * across * gradients / nics
    link, network = Fraction(nvlink), Fraction(nic)
    fast = inside * volume / link
    flat = max(fsdp_nic / network, ring / link)
    return {
        "fsdp_nic": plain(fsdp_nic),
        "fsdp_nic_hierarchical": plain(fsdp_split),
        "hsdp_nic": plain(hsdp_nic),
        "fsdp_nvlink": plain(ring),
        "hsdp_nvlink": plain(inside * volume),
        "fsdp_time": float(flat),
        "fsdp_time_hierarchical": float(fsdp_split / network + fast),
        "fsdp_time_hierarchical_overlapped": float(max(fsdp_split / network, fast)),
        "hsdp_time": float(hsdp_nic / network + fast),
        "hsdp_time_overlapped": float(max(hsdp_nic / network, fast)),
        "nic_saving": plain(1 - hsdp_nic / fsdp_nic) if fsdp_nic else None,
        "nic_saving_hierarchical": plain(1 - hsdp_nic / fsdp_split) if fsdp_split else None,
        "time_saving": float(1 - (hsdp_nic / network + fast) / flat) if flat else None,
        "states_ratio": nodes,
    }
