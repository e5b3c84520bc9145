"""The usual mistakes about what 3D parallelism leaves on a GPU and which layouts there are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators.base import Slip, Values
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import plain
from quiz.calculators.parallel_split import parallel_layouts, parallel_memory
from quiz.calculators.slips import again, changed
from quiz.language import Text


def _shards(i: Values) -> int:
    return int(i.gpus // (i.tp * i.pp))


def _split_by_data(i: Values) -> Any:
    """Everything over all GPUs: data parallelism taken to divide what it copies."""
    widths = i.weight_bytes + i.gradient_bytes + i.optimizer_bytes
    wrong = plain(Fraction(i.parameters) * Fraction(widths) / i.gpus)
    return wrong if _shards(i) > 1 and i.zero < 3 else None


def _over_all_gpus(i: Values) -> dict[str, Any] | None:
    """ZeRO's share taken over every GPU after tp·pp: cp grows to make dp·cp all GPUs."""
    if not i.zero or i.tp * i.pp == 1:
        return None
    return {"cp": 1, "gpus": i.gpus * i.tp * i.pp}


def _not_context(i: Values) -> dict[str, Any] | None:
    return {"cp": 1, "gpus": i.gpus // i.cp} if i.cp > 1 and i.zero else None


def _unsplit(i: Values) -> dict[str, Any] | None:
    split = i.tp * i.pp
    return {"tp": 1, "pp": 1, "gpus": i.gpus // split} if split > 1 else None


DATA_DIVIDES = Text(
    "data parallelism is taken to divide everything; it copies what ZeRO does not share",
    "以为数据并行会切分一切，而 ZeRO 没分的每卡都是完整副本",
)
ALL_GPUS = Text(
    "ZeRO's share is taken over all GPUs; only the dp·cp ones with the same shard share",
    "ZeRO 按总卡数切分了，其实只在持有同一分片的 dp·cp 卡之间切分",
)
NO_CONTEXT = Text("context-parallel GPUs are left out of ZeRO's share", "ZeRO 切分漏了上下文并行的卡")
NO_MODEL_PARALLEL = Text("tp and pp are not taken into account", "没除以 tp·pp")
NOT_SHARED = Text("ZeRO is not taken into account", "没考虑 ZeRO")
EVEN = Text("parameters are split evenly; the first stage has the embedding too", "按平均切分算了，而首级还有词表矩阵")
CONTEXT_IS_DATA = Text("context parallelism is counted as data parallelism", "把上下文并行的卡也算进了数据并行度")
NO_TENSOR = Text("tensor parallelism is counted as data parallelism", "把张量并行的卡也算进了数据并行度")


def _memory_slips(output: str) -> tuple[Slip, ...]:
    return (
        changed(parallel_memory, output, "over_all_gpus", ALL_GPUS, _over_all_gpus),
        changed(parallel_memory, output, "no_context_parallel", NO_CONTEXT, _not_context),
        changed(parallel_memory, output, "no_model_parallel", NO_MODEL_PARALLEL, _unsplit),
        changed(parallel_memory, output, "not_shared", NOT_SHARED, lambda i: {"zero": 0} if i.zero else None),
    )


_MEMORY = (
    *_memory_slips("per_gpu"),
    *_memory_slips("first_stage"),
    Slip("data_parallel_divides", "per_gpu", DATA_DIVIDES, _split_by_data),
    Slip("even_split", "first_stage", EVEN, lambda i: again(parallel_memory, "per_gpu", i)),
    Slip("context_is_data", "dp", CONTEXT_IS_DATA, lambda i: i.gpus // (i.tp * i.pp)),
    Slip("tensor_is_data", "dp", NO_TENSOR, lambda i: i.gpus // (i.pp * i.cp)),
)


def _layout_slip(output: str, name: str, about: Text, change: Callable[[Values], dict[str, Any] | None]) -> Slip:
    return changed(parallel_layouts, output, name, about, change)


_LAYOUTS = (
    tuple(
        slip
        for output in ("legal", "fitting", "smallest")
        for slip in (
            _layout_slip(
                output,
                "kv_heads_ignored",
                Text("tp is let beyond what the KV heads divide into", "没检查 tp 能否整除 KV 头数"),
                lambda i: {"kv_heads": None} if i.kv_heads and i.kv_heads != i.heads else None,
            ),
            _layout_slip(
                output,
                "layers_ignored",
                Text("pp is let beyond what the layers divide into", "没检查 pp 能否整除层数"),
                lambda i: {"layers": i.gpus},
            ),
        )
    )
    + tuple(
        _layout_slip(
            output,
            "across_nodes",
            Text("tp is let cross the node", "让 tp 跨了节点"),
            lambda i: {"gpus_per_node": i.gpus},
        )
        for output in ("legal", "fitting")
    )
    + tuple(
        slip
        for output in ("fitting", "smallest", "per_gpu")
        for slip in (
            _layout_slip(
                output,
                "weights_only",
                Text(
                    "only weights are counted, not gradients and optimizer states", "只算了权重，漏了梯度和优化器状态"
                ),
                lambda _: {"gradient_bytes": 0, "optimizer_bytes": 0},
            ),
            _layout_slip(output, "not_shared", NOT_SHARED, lambda i: {"zero": 0} if i.zero else None),
            _layout_slip(
                output,
                "no_reserve",
                Text("no room is left for activations", "没给激活留空间"),
                lambda i: {"reserve": 0} if i.reserve else None,
            ),
            _layout_slip(output, "data_parallel_divides", DATA_DIVIDES, lambda i: {"zero": 3} if i.zero < 3 else None),
        )
    )
)

MEMORY_SLIPS = tuple(when_distinct(parallel_memory, slip) for slip in _MEMORY)
LAYOUT_SLIPS = tuple(when_distinct(parallel_layouts, slip) for slip in _LAYOUTS)
