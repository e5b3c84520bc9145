"""How many parameters a language model has, and how many of them a token passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quiz.calculators.base import Calculator, Output, Slip, Values
from quiz.calculators.distinct import when_distinct
from quiz.calculators.model_shape import mlp_parameters
from quiz.calculators.parameter_count import INPUTS, heads_of, layer_parameters, model_parameters, shape_of
from quiz.calculators.slips import again, changed
from quiz.language import Text
from quiz.reference import Reference

Change = Callable[[Values], dict[str, Any] | None]


def _all_heads(i: Values) -> dict[str, Any] | None:
    return {"kv_heads": i.heads} if i.kv_heads and i.kv_heads != i.heads and not i.mla_latent else None


def _two_matrices(i: Values) -> dict[str, Any] | None:
    return {"gated": False} if i.gated else None


def _hidden_over_heads(i: Values) -> dict[str, Any] | None:
    other = not i.mla_latent and i.hidden % i.heads == 0 and heads_of(vars(i))[2] != i.hidden // i.heads
    return {"head_dim": i.hidden // i.heads} if other else None


def _tokens(i: Values, output: str) -> Any:
    tokens = (i.batch or 1) * (i.sequence or 1)
    return tokens * again(model_parameters, output, i) if tokens > 1 else None


TIED_TWICE = Text("the shared embedding is counted a second time as the head", "共享的词表矩阵又按输出头算了一份")
UNTIED_ONCE = Text("the head is left out, though it is a matrix of its own", "漏了输出头，而它不与词表矩阵共享")
ALL_HEADS = Text(
    "every query head gets a key and a value of its own, as without GQA", "没考虑 GQA，K、V 按 query 头数算了"
)
TWO_MATRICES = Text(
    "the MLP is counted with two matrices; a gated one has three", "MLP 按两个矩阵算了，门控 MLP 有三个"
)
HEAD_SIZE = Text(
    "hidden/heads is taken for the head size, though the configuration sets another",
    "把 hidden/heads 当成 head_dim，而配置里另有取值",
)
NO_SHARED = Text("the shared expert is left out", "漏了共享专家")
ALL_LAYERS = Text(
    "every layer is given experts, though the first ones have a dense MLP", "所有层都按 MoE 算了，而前几层是稠密 MLP"
)
ONE_EXPERT = Text("one routed expert is counted, not top_k", "每层只算了一个路由专家，应为 top_k 个")
BATCH = Text(
    "batch and sequence are multiplied in; parameters do not depend on them",
    "把 batch 和序列长度乘进去了，参数量与它们无关",
)
NO_EMBEDDING = Text("the embedding and the head are left out", "漏了词表矩阵和输出头")
TOTAL = Text("all experts are counted, not only those that a token passes", "算了所有专家，而不是一个 token 经过的那些")
ACTIVE = Text(
    "only the experts that a token passes are counted; all of them are parameters",
    "只算了一个 token 经过的专家，而所有专家都是参数",
)


def _wrong(output: str, name: str, about: Text, change: Change) -> Slip:
    return changed(model_parameters, output, name, about, change)


def _slips(output: str) -> tuple[Slip, ...]:
    """The usual mistakes as they show in a count of the whole model."""
    other, about = ("active", ACTIVE) if output == "total" else ("total", TOTAL)
    found = (
        _wrong(output, "tied_twice", TIED_TWICE, lambda i: {"tied": False} if i.tied else None),
        _wrong(output, "untied_once", UNTIED_ONCE, lambda i: None if i.tied else {"tied": True}),
        _wrong(output, "gqa_ignored", ALL_HEADS, _all_heads),
        _wrong(output, "two_matrices", TWO_MATRICES, _two_matrices),
        _wrong(output, "hidden_over_heads", HEAD_SIZE, _hidden_over_heads),
        _wrong(output, "no_shared_expert", NO_SHARED, lambda i: {"shared_experts": 0} if i.shared_experts else None),
        _wrong(output, "experts_in_all_layers", ALL_LAYERS, lambda i: {"dense_layers": 0} if i.dense_layers else None),
        Slip(f"{other}_instead", output, about, lambda i: again(model_parameters, other, i) if i.experts else None),
        Slip(
            "no_embedding",
            output,
            NO_EMBEDDING,
            lambda i: again(model_parameters, output, i) - again(model_parameters, "embedding", i),
        ),
        Slip("batch_and_sequence", output, BATCH, lambda i: _tokens(i, output)),
    )
    return tuple(when_distinct(model_parameters, slip) for slip in found)


def _layers(i: Values, o: Values) -> str:
    model = shape_of(vars(i))
    dense = i.dense_layers if i.experts else i.layers
    parts = [f"{dense}·{layer_parameters(model, 0):,}"] if dense else []
    return " + ".join([*parts, f"{i.layers - dense}·{o.layer:,}"] if i.layers > dense else parts)


def _total_worked(i: Values, o: Values) -> str:
    model = shape_of(vars(i))
    norm = o.total_without_embedding - sum(layer_parameters(model, layer) for layer in range(model.layers))
    return f"{o.embedding:,} + {_layers(i, o)} + {norm:,} = {o.total:,}"


def _active_worked(i: Values, o: Values) -> str:
    if not i.experts:
        return f"{o.total:,}"
    one = mlp_parameters(shape_of(vars(i)), i.expert_ffn)
    return f"{o.total:,} − {i.layers - i.dense_layers}·({i.experts}−{i.top_k})·{one:,} = {o.active:,}"


def _table_worked(i: Values, o: Values) -> str:
    if i.tied:
        return f"{o.active:,}"
    return f"{o.active:,} − {i.vocab:,}·{i.hidden:,} = {o.active_without_embedding:,}"


def _embedding_worked(i: Values, o: Values) -> str:
    positions = f" + {i.positions:,}·{i.hidden:,}" if i.positions else ""
    return f"{'' if i.tied else '2·'}{i.vocab:,}·{i.hidden:,}{positions} = {o.embedding:,}"


def _attention_worked(i: Values, o: Values) -> str:
    heads, kv_heads, head_dim = heads_of(vars(i))
    h, sum_ = f"{i.hidden:,}", f"{o.attention:,}"
    if i.mla_latent:
        wide, r = f"{heads}·({head_dim}+{i.mla_rope})", i.mla_rope
        query = f"{h}·{i.mla_query} + {i.mla_query} + {i.mla_query}·{wide}" if i.mla_query else f"{h}·{wide}"
        down = f"{h}·({i.mla_latent}+{r}) + {i.mla_latent}"
        return f"{query} + {down} + {i.mla_latent}·{heads}·2·{head_dim} + {heads}·{head_dim}·{h} = {sum_}"
    matrices = 2 * i.hidden * (heads + kv_heads) * head_dim
    rest = f" + {o.attention - matrices:,}" if o.attention != matrices else ""
    return f"2·{h}·{heads}·{head_dim} + 2·{h}·{kv_heads}·{head_dim}{rest} = {sum_}"


def _mlp_worked(i: Values, o: Values) -> str:
    if not i.experts:
        matrices = (3 if i.gated else 2) * i.hidden * i.ffn
        rest = f" + {o.mlp - matrices:,}" if o.mlp != matrices else ""
        return f"{3 if i.gated else 2}·{i.hidden:,}·{i.ffn:,}{rest} = {o.mlp:,}"
    each = mlp_parameters(shape_of(vars(i)), i.expert_ffn)
    experts = i.experts + i.shared_experts
    return f"{o.mlp - experts * each:,} + ({i.experts}+{i.shared_experts})·{each:,} = {o.mlp:,}"


def _output(name: str, en: str, zh: str, formula: str, worked: Callable[[Values, Values], str]) -> Output:
    return Output(name, Text(en, zh), "parameter", formula, worked)


MODEL_PARAMETERS = Calculator(
    name="model_parameters",
    title=Text("Parameters of a model", "模型参数量"),
    inputs=INPUTS,
    outputs=(
        _output("total", "all parameters", "总参数量", "embeddings + Σ layers + last norm", _total_worked),
        _output("active", "what a token passes", "激活参数量", "total − Σ layers (E − top_k)·expert", _active_worked),
        _output(
            "total_without_embedding",
            "all but embedding, head and positions",
            "不含词表、输出头和位置的参数量",
            "total − embedding",
            lambda _, o: f"{o.total:,} − {o.embedding:,} = {o.total_without_embedding:,}",
        ),
        _output(
            "active_without_embedding",
            "what a token passes but the input embedding",
            "不含输入词表的激活参数量",
            "active − V·h (tied: active)",
            _table_worked,
        ),
        _output("embedding", "embedding, head and positions", "词表、输出头和位置", "V·h·(1 or 2)", _embedding_worked),
        _output(
            "attention",
            "attention of one layer",
            "一层的注意力",
            "2·h·n·d + 2·h·k·d (MLA: queries h·q + q + q·n·(d+r), latent h·(c+r) + c, up c·n·2·d, output n·d·h)",
            _attention_worked,
        ),
        _output(
            "mlp",
            "MLP of one layer, or all its experts and the router",
            "一层的 MLP（MoE 层为全部专家加路由）",
            "3·h·f; h·E + (E + shared)·3·h·f_expert",
            _mlp_worked,
        ),
        _output(
            "layer",
            "one layer",
            "一层",
            "attention + MLP + 2 norms",
            lambda _, o: f"{o.attention:,} + {o.mlp:,} + {o.layer - o.attention - o.mlp:,} = {o.layer:,}",
        ),
    ),
    compute=model_parameters,
    convention=Text(
        "active is with the input embedding, active_without_embedding is not (DeepSeek-V3: 37.55B and 36.63B); its "
        "685B on Hugging Face adds the multi-token-prediction module, which is not counted here",
        "active 含输入词表，active_without_embedding 不含（DeepSeek-V3 分别为 37.55B、36.63B）；"
        "Hugging Face 上的 685B 还含 MTP 模块，这里不计",
    ),
    slips=(
        *_slips("total"),
        *_slips("active"),
        _wrong("active", "one_expert", ONE_EXPERT, lambda i: {"top_k": 1} if i.experts and i.top_k > 1 else None),
        _wrong("attention", "gqa_ignored", ALL_HEADS, _all_heads),
        _wrong("attention", "hidden_over_heads", HEAD_SIZE, _hidden_over_heads),
        _wrong("mlp", "two_matrices", TWO_MATRICES, _two_matrices),
        _wrong("embedding", "tied_twice", TIED_TWICE, lambda i: {"tied": False} if i.tied else None),
        _wrong("embedding", "untied_once", UNTIED_ONCE, lambda i: None if i.tied else {"tied": True}),
        _wrong("layer", "gqa_ignored", ALL_HEADS, _all_heads),
        _wrong("layer", "two_matrices", TWO_MATRICES, _two_matrices),
    ),
    sources=(
        Reference(
            "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, Eq. 2",
            "https://arxiv.org/abs/2104.04473",
        ),
        Reference("DeepSeek-V3 Technical Report, §2.1", "https://arxiv.org/abs/2412.19437"),
        Reference(
            "Megatron-LM, theoretical_memory_usage.py",
            "https://github.com/NVIDIA/Megatron-LM/blob/main/megatron/training/theoretical_memory_usage.py",
        ),
    ),
)

CALCULATORS = (MODEL_PARAMETERS,)
