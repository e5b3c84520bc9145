"""Rollouts of a reinforcement-learning step: how many there are, on how many GPUs, in how many updates."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, choice, integer, number, optional
from quiz.calculators.exact import Number, plain
from quiz.calculators.slips import again, changed
from quiz.errors import BadInput
from quiz.language import Text
from quiz.reference import Reference

COUNTED_IN = ("responses", "prompts")


def rollout_batch(
    *,
    prompts: int,
    group: int,
    mini_batch: int,
    mini_batch_in: str,
    epochs: int,
    gpus: int,
    model_parallel: int,
    tokens: int | None,
    tokens_per_second: Number | None,
) -> dict[str, Any]:
    """Responses, updates and shares of one step that samples a group of responses to each prompt.

        rollouts = prompts·group                     dp = gpus/model_parallel
        responses_per_mini_batch = mini_batch, or mini_batch·group where it is counted in prompts
        updates = epochs·rollouts/responses_per_mini_batch
        per_replica = responses_per_mini_batch/dp    what a replica trains on between two optimizer steps
        rollouts_per_replica = rollouts/dp           what an engine generates where it has the same replicas
        time = rollouts·tokens/(dp·tokens_per_second)  to generate, `tokens` a response, a replica's rate; None without

    BadInput where something does not divide.

    Sources: verl, docs/algo/grpo.md; Shao et al. 2024, DeepSeekMath, §4.2, https://arxiv.org/abs/2402.03300
    """
    rollouts, size = prompts * group, mini_batch * (group if mini_batch_in == "prompts" else 1)
    if gpus % model_parallel:
        raise BadInput(
            Text(
                f"{gpus} GPUs are no multiple of the {model_parallel} of a replica",
                f"{gpus} 张 GPU 不是每副本 {model_parallel} 张的整数倍",
            )
        )
    dp = gpus // model_parallel
    if rollouts % size or size % dp:
        raise BadInput(
            Text(
                f"{rollouts} responses, mini-batches of {size} and {dp} replicas do not divide",
                f"{rollouts} 条回答、每 mini-batch {size} 条、{dp} 个副本，除不尽",
            )
        )
    time = None
    if tokens is not None and tokens_per_second is not None:
        time = float(Fraction(rollouts * tokens, dp) / Fraction(tokens_per_second))
    return {
        "rollouts": rollouts,
        "dp": dp,
        "updates": epochs * rollouts // size,
        "responses_per_mini_batch": size,
        "per_replica": size // dp,
        "rollouts_per_replica": plain(Fraction(rollouts, dp)),
        "time": time,
    }


ONE_EACH = Text("one response a prompt is counted", "每个 prompt 只算了一条回答")
OTHER_COUNT = Text(
    "the mini-batch is counted in the other unit, prompts or responses", "把 mini-batch 的单位（prompt 还是回答）弄反了"
)
ONE_EPOCH = Text("one pass over the responses is counted", "只算了一遍，漏了 epoch 数")
EVERY_GPU = Text("every GPU is counted as a replica", "把每张 GPU 都当成一个副本")
ALL_REPLICAS = Text("the sum over all replicas is given for one", "把所有副本的总和当成了一个副本的")
NO_REPLICAS = Text("one replica generates everything in this figure", "按一个副本生成全部来算了")


def _other_unit(i: Values) -> Number | None:
    """Updates if prompts were meant by responses, or the other way round."""
    factor = Fraction(i.group) if i.mini_batch_in == "prompts" else Fraction(1, i.group)
    return plain(Fraction(again(rollout_batch, "updates", i)) * factor) if i.group > 1 else None


def _every_gpu(output: str) -> Callable[[Values], Any]:
    return lambda i: (
        plain(Fraction(again(rollout_batch, output, i)) / i.model_parallel) if i.model_parallel > 1 else None
    )


def _all_replicas(output: str) -> Callable[[Values], Any]:
    return lambda i: again(rollout_batch, output, i) * again(rollout_batch, "dp", i)


def _one_engine(i: Values) -> Any:
    time = again(rollout_batch, "time", i)
    return None if time is None else time * again(rollout_batch, "dp", i)


SLIPS = (
    Slip("one_each", "rollouts", ONE_EACH, lambda i: i.prompts if i.group > 1 else None),
    Slip("other_unit", "updates", OTHER_COUNT, _other_unit),
    changed(rollout_batch, "updates", "one_epoch", ONE_EPOCH, lambda i: {"epochs": 1} if i.epochs > 1 else None),
    Slip("every_gpu", "dp", EVERY_GPU, lambda i: i.gpus if i.model_parallel > 1 else None),
    Slip("every_gpu", "per_replica", EVERY_GPU, _every_gpu("per_replica")),
    Slip("all_replicas", "per_replica", ALL_REPLICAS, _all_replicas("per_replica")),
    Slip("every_gpu", "rollouts_per_replica", EVERY_GPU, _every_gpu("rollouts_per_replica")),
    Slip("all_replicas", "rollouts_per_replica", ALL_REPLICAS, _all_replicas("rollouts_per_replica")),
    Slip(
        "one_each",
        "rollouts_per_replica",
        ONE_EACH,
        lambda i: plain(Fraction(again(rollout_batch, "rollouts_per_replica", i)) / i.group),
    ),
    Slip("one_engine", "time", NO_REPLICAS, _one_engine),
)

ROLLOUT_BATCH = Calculator(
    name="rollout_batch",
    title=Text("Rollouts and updates of an RL step", "强化学习一步的 rollout 与更新次数"),
    inputs=(
        integer("prompts", Text("prompts a step", "每步 prompt 数"), high=10**9),
        integer("group", Text("responses to a prompt", "每个 prompt 的回答数"), high=10**6, default=1),
        integer("mini_batch", Text("mini-batch of an update", "每次更新的 mini-batch"), high=10**9),
        choice(
            "mini_batch_in", Text("what the mini-batch counts", "mini-batch 的单位"), COUNTED_IN, default="responses"
        ),
        integer("epochs", Text("passes over the responses", "对这批回答训练的遍数"), high=1000, default=1),
        integer("gpus", Text("GPUs in all", "GPU 总数"), high=10**7),
        integer(
            "model_parallel",
            Text("GPUs of a replica (tp·pp·cp)", "每副本的 GPU 数（tp·pp·cp）"),
            high=65_536,
            default=1,
        ),
        optional(integer("tokens", Text("tokens a response", "每条回答的 token 数"), unit="token", high=10**9)),
        optional(
            number(
                "tokens_per_second",
                Text("tokens a second that a replica generates", "每副本每秒生成的 token 数"),
                unit="token/s",
                low=1e-3,
                high=1e12,
            )
        ),
    ),
    outputs=(
        Output(
            "rollouts",
            Text("responses a step", "每步回答数"),
            "",
            "prompts·group",
            lambda i, o: f"{i.prompts:,}·{i.group} = {o.rollouts:,}",
        ),
        Output(
            "dp",
            Text("replicas", "副本数"),
            "",
            "gpus/model_parallel",
            lambda i, o: f"{i.gpus}/{i.model_parallel} = {o.dp}",
        ),
        Output(
            "updates",
            Text("optimizer steps", "优化器更新次数"),
            "",
            "epochs·rollouts/responses_per_mini_batch",
            lambda i, o: f"{i.epochs}·{o.rollouts:,}/{o.responses_per_mini_batch:,} = {o.updates}",
        ),
        Output(
            "responses_per_mini_batch",
            Text("responses of an update", "每次更新的回答数"),
            "",
            "mini_batch (·group in prompts)",
            lambda i, o: (
                f"{i.mini_batch:,}·{i.group} = {o.responses_per_mini_batch:,}"
                if i.mini_batch_in == "prompts"
                else f"{o.responses_per_mini_batch:,}"
            ),
        ),
        Output(
            "per_replica",
            Text("responses of an update and replica", "每次更新每副本的回答数"),
            "",
            "responses_per_mini_batch/dp",
            lambda _, o: f"{o.responses_per_mini_batch:,}/{o.dp} = {o.per_replica:,}",
        ),
        Output(
            "rollouts_per_replica",
            Text("responses that a replica generates", "每副本生成的回答数"),
            "",
            "rollouts/dp",
            lambda _, o: f"{o.rollouts:,}/{o.dp} = {figures.number(o.rollouts_per_replica)}",
        ),
        Output(
            "time",
            Text("time to generate, replicas evenly loaded", "生成时间（各副本均衡）"),
            "s",
            "rollouts·tokens/(dp·tokens a second)",
            lambda i, o: (
                f"{o.rollouts:,}·{i.tokens:,}/({o.dp}·{figures.number(i.tokens_per_second)}) = {figures.seconds(o.time)}"
                if o.time is not None
                else ""
            ),
        ),
    ),
    compute=rollout_batch,
    convention=Text(
        "verl counts train_batch_size and ppo_mini_batch_size in prompts and multiplies both by rollout.n; others count responses",
        "verl 的 train_batch_size 和 ppo_mini_batch_size 按 prompt 计，再乘 rollout.n；有的框架按回答计",
    ),
    slips=SLIPS,
    sources=(
        Reference("verl, docs/algo/grpo.md", "https://github.com/volcengine/verl/blob/main/docs/algo/grpo.md"),
        Reference("Shao et al. 2024, DeepSeekMath, §4.2", "https://arxiv.org/abs/2402.03300"),
    ),
)

CALCULATORS = (ROLLOUT_BATCH,)
