"""Serving a mixture of experts: what stays resident, what a token computes, what a step reads."""

from __future__ import annotations

from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, integer
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import PARAMETERS, element_bytes
from quiz.calculators.slips import changed, times
from quiz.calculators.weights_read import ACTIVE, EMBEDDING, EXPERTS, MODEL, TOP_K, read_parameters, untouched_share
from quiz.language import Text
from quiz.reference import Reference


def moe_deployment(
    *,
    parameters: int,
    active_parameters: int | None,
    embedding: int,
    experts: int,
    top_k: int,
    weight_bytes: Number,
    batch: int,
    **_: Any,
) -> dict[str, Any]:
    """What a mixture of experts costs to serve, `batch` tokens a decoding step.

        memory = parameters·weight_bytes                      every expert is resident, whatever a token uses
        active_share = active_parameters/parameters
        flops_per_token = 2·(active_parameters − embedding)   the embedding is looked up; attention's scores left out
        experts_touched = E·(1 − (1 − k/E)^batch)             expected, a layer, tokens routed evenly and independently
        weights_read = (parameters − embedding − (parameters − active_parameters)·(1 − k/E)^(batch−1))·weight_bytes

    In byte, FLOP and experts. weights_read counts each touched expert once a step, however many tokens chose it; real
    routing is uneven, so that fewer experts are touched. ValueError for top_k above experts, active above parameters.
    Sources: DeepSeek-V3, https://arxiv.org/abs/2412.19437 (671B, 37B active); expectation derived
    """
    active = parameters if active_parameters is None else active_parameters
    touched = experts * (1 - untouched_share(experts, top_k, batch))
    read = read_parameters(parameters, active, embedding, experts, top_k, batch)
    return {
        "memory": plain(parameters * decimal(weight_bytes)),
        "active_share": active / parameters,
        "flops_per_token": 2 * (active - embedding),
        "experts_touched": touched,
        "weights_read": read * float(weight_bytes),
    }


ACTIVE_FOR_ALL = Text(
    "only the active parameters are counted, though every expert stays resident",
    "只算了激活参数，而所有专家都要常驻显存",
)
ALL_FOR_ACTIVE = Text(
    "all parameters are counted, though a token uses only its experts'", "按全部参数算了，而每个 token 只用选中的专家"
)
LOOK_UP = Text("the input embedding is counted, though it is looked up", "把输入 embedding 也算进去了，它只是查表")
MULTIPLY_ADDS = Text("a multiply-add is counted as one operation, not two", "一次乘加只算 1 次运算，应算 2 次")
TIMES_BATCH = Text(
    "one token's weights are multiplied by the batch, though a touched expert is read once",
    "用单个 token 的权重乘了 batch，而被选中的专家每步只读一次",
)
EVERY_EXPERT = Text(
    "every expert is taken to be read, even at a small batch", "按所有专家都要读算了，小 batch 时并不会都选到"
)
ONE_TOKEN = Text("one token's experts are counted, whatever the batch", "只按一个 token 选中的专家算，没看 batch")


def _read(i: Values, **changes: Any) -> Any:
    return moe_deployment(**{**vars(i), **changes})["weights_read"]


MOE_DEPLOYMENT = Calculator(
    name="moe_deployment",
    title=Text("Serving a mixture of experts", "MoE 部署估算"),
    inputs=(
        MODEL,
        PARAMETERS,
        ACTIVE,
        EMBEDDING,
        EXPERTS,
        TOP_K,
        element_bytes("weight_bytes", Text("bytes a weight", "每个权重的字节数")),
        integer(
            "batch", Text("tokens a decoding step", "每个 decode 步的 token 数"), unit="token", high=10**7, default=1
        ),
    ),
    outputs=(
        Output(
            "memory",
            Text("weights that stay resident", "常驻的权重"),
            "byte",
            "parameters·weight_bytes",
            lambda i, o: f"{i.parameters:,}·{figures.number(i.weight_bytes)} = {figures.size(o.memory)}",
        ),
        Output(
            "active_share",
            Text("share of the parameters that a token uses", "激活参数占比"),
            "",
            "active/parameters",
            lambda i, o: (
                f"{i.active_parameters or i.parameters:,} / {i.parameters:,} = {figures.percent(o.active_share)}"
            ),
        ),
        Output(
            "flops_per_token",
            Text("operations of one token", "每 token 运算量"),
            "FLOP",
            "2·(active − embedding)",
            lambda i, o: (
                f"2·({i.active_parameters or i.parameters:,} − {i.embedding:,}) = "
                f"{figures.scaled(o.flops_per_token, 'FLOP')}"
            ),
        ),
        Output(
            "experts_touched",
            Text("experts that a step touches, a layer", "每步每层被选中的专家数"),
            "",
            "E·(1 − (1 − k/E)^batch)",
            lambda i, o: (
                f"{i.experts}·(1 − (1 − {i.top_k}/{i.experts})^{i.batch:,}) = {figures.number(o.experts_touched)}"
            ),
        ),
        Output(
            "weights_read",
            Text("weights that a step reads", "每步读取的权重"),
            "byte",
            "(parameters − embedding − (parameters − active)·(1 − k/E)^(batch−1))·weight_bytes",
            lambda i, o: (
                f"({i.parameters - i.embedding:,} − {i.parameters - (i.active_parameters or i.parameters):,}·"
                f"(1 − {i.top_k}/{i.experts})^{i.batch - 1:,})·{figures.number(i.weight_bytes)} = "
                f"{figures.size(o.weights_read)}"
            ),
        ),
    ),
    compute=moe_deployment,
    convention=Text(
        "even, independent routing; the input embedding is neither computed nor read; no KV cache",
        "路由均匀且相互独立；输入 embedding 不计入运算和读取；不含 KV cache",
    ),
    slips=tuple(
        when_distinct(moe_deployment, slip)
        for slip in (
            Slip(
                "active_only",
                "memory",
                ACTIVE_FOR_ALL,
                lambda i: plain((i.active_parameters or i.parameters) * decimal(i.weight_bytes)),
            ),
            Slip(
                "experts_over_all",
                "active_share",
                Text(
                    "the chosen share of the experts is taken, without what every token uses",
                    "直接用了 k/E，漏了每个 token 都要用的部分",
                ),
                lambda i: i.top_k / i.experts,
            ),
            Slip("all_parameters", "flops_per_token", ALL_FOR_ACTIVE, lambda i: 2 * (i.parameters - i.embedding)),
            times(moe_deployment, "flops_per_token", "multiply_adds", MULTIPLY_ADDS, lambda _: 0.5),
            Slip(
                "every_choice_another",
                "experts_touched",
                Text("every choice is taken to hit another expert", "按每次选择都落在不同专家上算了"),
                lambda i: i.top_k * i.batch if i.top_k * i.batch < i.experts else None,
            ),
            Slip("all_experts", "experts_touched", EVERY_EXPERT, lambda i: i.experts),
            Slip("one_token", "experts_touched", ONE_TOKEN, lambda i: i.top_k),
            Slip("times_batch", "weights_read", TIMES_BATCH, lambda i: i.batch * _read(i, batch=1)),
            Slip(
                "all_experts",
                "weights_read",
                EVERY_EXPERT,
                lambda i: plain((i.parameters - i.embedding) * decimal(i.weight_bytes)),
            ),
            Slip("one_token", "weights_read", ONE_TOKEN, lambda i: _read(i, batch=1)),
            changed(
                moe_deployment,
                "weights_read",
                "embedding_read",
                LOOK_UP,
                lambda i: {"embedding": 0} if i.embedding else None,
            ),
        )
    ),
    sources=(Reference("DeepSeek-V3 Technical Report", "https://arxiv.org/abs/2412.19437"),),
)

CALCULATORS = (MOE_DEPLOYMENT,)
