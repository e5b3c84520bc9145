"""Memory of reinforcement learning on one set of GPUs, phase by phase: rollout, log-probabilities, update."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Slip, Values, flag, integer, number
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.inputs import MODEL, PARAMETERS, bytes_each
from quiz.calculators.slips import changed
from quiz.language import Text
from quiz.reference import Reference


def rl_memory(
    *,
    parameters: int,
    critic: int,
    reward: int,
    reference: bool,
    state_bytes: Number,
    weight_bytes: Number,
    kv: Number,
    activations: Number,
    offload: bool,
    gpus: int,
    **_: Any,
) -> dict[str, Any]:
    """Bytes of every copy of a policy of P parameters, and of each phase of a step, over all GPUs together.

        states = 16·(P + critic)     weights, gradients and optimizer of what is trained; GRPO has no critic
        reference = 2·P              the frozen policy of the KL term, if there is one; reward = 2·R of a reward model
        rollout_weights = 2·P        the inference engine's copy
        total = states + reference + reward + rollout_weights + kv

    With all of it resident: rollout = total, log_probs = total − kv (the engine's cache is freed), update = log_probs +
    activations. With offload only what a phase uses is on the GPUs: rollout = rollout_weights + kv, log_probs the
    largest of actor, reference and reward weights (one after another), update the larger of the actor's and the critic's states,
    + activations. peak is the largest phase, per_gpu = peak/gpus (evenly sharded), over_sft = peak/(16·P + activations).
    Bytes; widths are `state_bytes` and `weight_bytes` a parameter.

    Sources: Shao et al. 2024, DeepSeekMath, §4.1 (no critic, a reference for the KL term),
    https://arxiv.org/abs/2402.03300; verl, docs/algo/grpo.md, docs/workers/fsdp_workers.rst and docs/perf/best_practices.rst
    """
    trained, width = decimal(state_bytes), decimal(weight_bytes)
    cache, kept = Fraction(kv), Fraction(activations)
    actor, valued = parameters * trained, critic * trained
    copy, judged = parameters * width, reward * width
    frozen = copy if reference else Fraction(0)
    resident = actor + valued + frozen + judged + copy
    if offload:
        rollout, log_probs, update = copy + cache, max(copy, frozen, judged), max(actor, valued) + kept
    else:
        rollout, log_probs, update = resident + cache, resident, resident + kept
    peak = max(rollout, log_probs, update)
    return {
        "states": plain(actor + valued),
        "reference": plain(frozen),
        "rollout_weights": plain(copy),
        "total": plain(resident + cache),
        "rollout": plain(rollout),
        "log_probs": plain(log_probs),
        "update": plain(update),
        "peak": plain(peak),
        "per_gpu": plain(peak / gpus),
        "over_sft": plain(peak / (actor + kept)),
    }


def _sft(i: Values) -> Fraction:
    return Fraction(i.parameters * decimal(i.state_bytes) + Fraction(i.activations))


def _fixed(value: Callable[[Values], Fraction]) -> Callable[[Values], Number]:
    return lambda i: plain(value(i))


def _no_copy(i: Values, output: str) -> Number:
    return plain(Fraction(rl_memory(**vars(i))[output]) - i.parameters * decimal(i.weight_bytes))


def _without_copy(output: str) -> Callable[[Values], Any]:
    return lambda i: None if i.offload else _no_copy(i, output)


AS_SFT = Text("only the trained policy is counted, as in supervised fine-tuning", "只算了训练中的策略模型，和 SFT 一样")
WITH_CRITIC = Text("a critic is counted, which GRPO does without", "算上了 critic，而 GRPO 不需要")
NO_CRITIC = Text("the critic's states are left out", "漏了 critic 的训练状态")
NO_REFERENCE = Text("the frozen reference is left out", "漏了冻结的参考模型")
NO_ROLLOUT = Text("the inference engine's copy of the weights is left out", "漏了推理引擎里的那份权重")
NO_KV = Text("the rollout's KV cache is left out", "漏了 rollout 的 KV cache")
REFERENCE_TRAINED = Text("the reference is given gradients and optimizer states", "给参考模型也算了梯度和优化器状态")
OFFLOADED = Text(
    "idle copies are taken to be on the host, though all stay resident", "以为不用的副本都卸载到主机，而这里全部常驻"
)
RESIDENT = Text(
    "all copies are taken to stay resident, though idle ones are offloaded", "按全部常驻算了，而不用的副本已卸载"
)
ONE_GPU = Text("the sum over all GPUs is given for one", "把所有卡的总和当成了单卡")
SUMS = ("total", "peak", "per_gpu")

SLIPS = (
    Slip("as_sft", "total", AS_SFT, _fixed(_sft)),
    Slip("as_sft", "peak", AS_SFT, _fixed(_sft)),
    Slip("as_sft", "per_gpu", AS_SFT, lambda i: plain(_sft(i) / i.gpus)),
    Slip("as_sft", "over_sft", AS_SFT, lambda _: 1),
    *(
        changed(rl_memory, output, name, about, change)
        for output in SUMS
        for name, about, change in (
            ("with_critic", WITH_CRITIC, lambda i: None if i.critic else {"critic": i.parameters}),
            ("no_critic", NO_CRITIC, lambda i: {"critic": 0} if i.critic else None),
            ("no_reference", NO_REFERENCE, lambda i: {"reference": False} if i.reference else None),
            ("no_kv", NO_KV, lambda i: {"kv": 0} if i.kv else None),
        )
    ),
    *(Slip("no_rollout_copy", output, NO_ROLLOUT, _without_copy(output)) for output in ("total", "peak")),
    Slip(
        "reference_trained",
        "total",
        REFERENCE_TRAINED,
        lambda i: (
            rl_memory(**vars(i))["total"] + plain(i.parameters * (decimal(i.state_bytes) - decimal(i.weight_bytes)))
            if i.reference
            else None
        ),
    ),
    *(
        changed(rl_memory, output, name, about, change)
        for output in ("rollout", "log_probs", "update", "peak", "per_gpu", "over_sft")
        for name, about, change in (
            ("offloaded", OFFLOADED, lambda i: None if i.offload else {"offload": True}),
            ("resident", RESIDENT, lambda i: {"offload": False} if i.offload else None),
        )
    ),
    changed(rl_memory, "rollout", "no_kv", NO_KV, lambda i: {"kv": 0} if i.kv else None),
    changed(rl_memory, "per_gpu", "one_gpu", ONE_GPU, lambda i: {"gpus": 1} if i.gpus > 1 else None),
)


def _sum(parts: list[Number], total: Number) -> str:
    return f"{' + '.join(figures.size(part) for part in parts if part)} = {figures.size(total)}"


def _judge(i: Values) -> Number:
    return plain(i.reward * decimal(i.weight_bytes))


def _resident(i: Values, o: Values) -> list[Number]:
    return [o.states, o.reference, _judge(i), o.rollout_weights]


def _states_worked(i: Values, o: Values) -> str:
    trained = f"({i.parameters:,} + {i.critic:,})" if i.critic else f"{i.parameters:,}"
    return f"{figures.number(i.state_bytes)}·{trained} = {figures.size(o.states)}"


def _rollout_worked(i: Values, o: Values) -> str:
    return _sum([o.rollout_weights, i.kv] if i.offload else [*_resident(i, o), i.kv], o.rollout)


def _update_worked(i: Values, o: Values) -> str:
    if not i.offload:
        return _sum([*_resident(i, o), i.activations], o.update)
    larger = plain(max(i.parameters, i.critic) * decimal(i.state_bytes))
    return _sum([larger, i.activations], o.update)


def _output(name: str, en: str, zh: str, formula: str, worked: Callable[[Values, Values], str]) -> Output:
    return Output(name, Text(en, zh), "byte", formula, worked)


RL_MEMORY = Calculator(
    name="rl_memory",
    title=Text("RL memory by phase (GRPO, PPO)", "强化学习各阶段显存（GRPO、PPO）"),
    inputs=(
        MODEL,
        PARAMETERS,
        integer(
            "critic",
            Text("parameters of the critic (0 in GRPO)", "critic 的参数量（GRPO 为 0）"),
            unit="parameter",
            low=0,
            default=0,
        ),
        integer("reward", Text("parameters of a reward model", "奖励模型的参数量"), unit="parameter", low=0, default=0),
        flag("reference", Text("a frozen reference for the KL term", "有冻结的参考模型（KL 项）"), default=True),
        bytes_each("state_bytes", Text("bytes a trained parameter", "训练中每参数字节数"), 16),
        bytes_each("weight_bytes", Text("bytes a frozen or rollout weight", "冻结或 rollout 权重每个的字节数"), 2),
        number(
            "kv",
            Text("KV cache of the rollout, all GPUs", "rollout 的 KV cache（所有 GPU）"),
            unit="byte",
            high=1e16,
            default=0,
        ),
        number(
            "activations",
            Text("activations of the update, all GPUs", "更新阶段的激活（所有 GPU）"),
            unit="byte",
            high=1e16,
            default=0,
        ),
        flag("offload", Text("a phase keeps only what it uses on the GPUs", "每个阶段只把用到的放在 GPU 上")),
        integer("gpus", Text("GPUs that share it evenly", "平均分担的 GPU 数"), high=10**6, default=1),
    ),
    outputs=(
        _output(
            "states", "weights, gradients, optimizer of what is trained", "训练状态", "16·(P + critic)", _states_worked
        ),
        _output("reference", "frozen reference", "参考模型", "2·P", lambda _, o: figures.size(o.reference)),
        _output(
            "rollout_weights",
            "the inference engine's weights",
            "推理引擎的权重",
            "2·P",
            lambda i, o: f"{figures.number(i.weight_bytes)}·{i.parameters:,} = {figures.size(o.rollout_weights)}",
        ),
        _output(
            "total",
            "all copies and the cache",
            "全部副本与 KV cache",
            "16·P + 2·P + 2·P + KV",
            lambda i, o: _sum([*_resident(i, o), i.kv], o.total),
        ),
        _output("rollout", "rollout", "rollout 阶段", "resident: total; offload: 2·P + KV", _rollout_worked),
        _output(
            "log_probs",
            "log-probabilities",
            "算 log-prob 阶段",
            "resident: total − KV; offload: the largest model's weights",
            lambda _, o: figures.size(o.log_probs),
        ),
        _output(
            "update",
            "update",
            "更新阶段",
            "resident: total − KV + activations; offload: 16·P + activations",
            _update_worked,
        ),
        _output(
            "peak",
            "largest phase",
            "峰值阶段",
            "max(rollout, log_probs, update)",
            lambda _, o: f"max({figures.size(o.rollout)}, {figures.size(o.log_probs)}, {figures.size(o.update)})",
        ),
        _output(
            "per_gpu",
            "peak of a GPU",
            "每卡峰值",
            "peak/gpus",
            lambda i, o: f"{figures.size(o.peak)}/{i.gpus} = {figures.size(o.per_gpu)}",
        ),
        Output(
            "over_sft",
            Text("peak over supervised fine-tuning", "峰值是 SFT 的几倍"),
            "",
            "peak/(16·P + activations)",
            lambda _, o: figures.number(o.over_sft),
        ),
    ),
    compute=rl_memory,
    convention=Text(
        "sums over all GPUs, copies kept apart; with offload idle ones are on the host",
        "按所有 GPU 合计，各副本分开算；offload 时不用的副本放在主机内存",
    ),
    slips=tuple(when_distinct(rl_memory, slip) for slip in SLIPS),
    sources=(
        Reference("Shao et al. 2024, DeepSeekMath, §4.1", "https://arxiv.org/abs/2402.03300"),
        Reference("verl, docs/algo/grpo.md", "https://github.com/volcengine/verl/blob/main/docs/algo/grpo.md"),
        Reference(
            "verl, docs/perf/best_practices.rst",
            "https://github.com/volcengine/verl/blob/main/docs/perf/best_practices.rst",
        ),
    ),
)

CALCULATORS = (RL_MEMORY,)
