"""What tokens cost that one's own GPUs generate."""

from __future__ import annotations

from typing import Any

from quiz.calculators import figures
from quiz.calculators.base import Calculator, Output, Values, integer, number
from quiz.calculators.distinct import when_distinct
from quiz.calculators.exact import Number, decimal, plain
from quiz.calculators.slips import changed, times
from quiz.language import Text
from quiz.reference import Reference

HOUR = 3600
MILLION = 10**6


def cost_per_token(
    *, price_per_hour: Number, gpus: int, tokens_per_second: Number, utilisation: Number
) -> dict[str, Any]:
    """Cost of a generated token on `gpus` rented GPUs that together generate `tokens_per_second` when busy.

        per_hour = price_per_hour·gpus      tokens_per_hour = tokens_per_second·utilisation·3600
        per_token = per_hour/tokens_per_hour      per_million = 10⁶·per_token

    In USD, token and USD/token; `price_per_hour` is of one GPU, `utilisation` the share of the time that it is busy: rent
    runs on when nobody asks. Only tokens that meet the latency targets should be counted.
    Source: DeepSeek-V3/R1 inference system overview (226.75 nodes of 8 at $2: $87,072 a day for 168B output tokens)
    """
    hour = decimal(price_per_hour) * gpus
    tokens = decimal(tokens_per_second) * decimal(utilisation) * HOUR
    return {
        "per_hour": plain(hour),
        "tokens_per_hour": plain(tokens),
        "per_token": float(hour / tokens),
        "per_million": float(MILLION * hour / tokens),
    }


def _dollars(value: Number) -> str:
    return f"${figures.number(value)}"


ONE_GPU = Text("one GPU's price is taken for the tokens of all", "只算了单卡的价格，而 token 是全部卡生成的")
ALWAYS_BUSY = Text("the GPUs are taken to be busy all the time", "按一直跑满算了，漏了利用率")
MINUTES = Text("an hour is counted as 60 seconds", "把一小时当成 60 秒了")


def _slips(output: str) -> tuple[Any, ...]:
    return tuple(
        when_distinct(cost_per_token, slip)
        for slip in (
            changed(cost_per_token, output, "one_gpu", ONE_GPU, lambda i: {"gpus": 1} if i.gpus > 1 else None),
            changed(
                cost_per_token,
                output,
                "always_busy",
                ALWAYS_BUSY,
                lambda i: {"utilisation": 1} if i.utilisation < 1 else None,
            ),
            times(cost_per_token, output, "minutes", MINUTES, lambda _: 60),
        )
    )


def _per_million_worked(i: Values, o: Values) -> str:
    share = f"·{figures.number(i.utilisation)}" if i.utilisation != 1 else ""
    return (
        f"10⁶·{_dollars(i.price_per_hour)}·{i.gpus:,} / ({figures.number(i.tokens_per_second)}{share}·3600) = "
        f"{_dollars(o.per_million)}"
    )


COST_PER_TOKEN = Calculator(
    name="cost_per_token",
    title=Text("Cost of a generated token", "每 token 成本"),
    inputs=(
        number("price_per_hour", Text("price of a GPU for an hour", "单卡每小时价格"), unit="USD", low=0.01, high=1e6),
        integer("gpus", Text("GPUs", "GPU 数"), high=10**7, default=1),
        number(
            "tokens_per_second",
            Text("tokens a second of all GPUs together", "全部 GPU 合计每秒生成的 token 数"),
            unit="token/s",
            low=1e-6,
            high=1e15,
        ),
        number("utilisation", Text("share of the time that they are busy", "忙时占比"), low=0.001, high=1, default=1),
    ),
    outputs=(
        Output(
            "per_hour",
            Text("all GPUs for an hour", "全部卡每小时"),
            "USD",
            "price_per_hour·gpus",
            lambda i, o: f"{_dollars(i.price_per_hour)}·{i.gpus:,} = {_dollars(o.per_hour)}",
        ),
        Output(
            "tokens_per_hour",
            Text("tokens in an hour", "每小时 token 数"),
            "token",
            "tokens_per_second·utilisation·3600",
            lambda i, o: (
                f"{figures.number(i.tokens_per_second)}·{figures.number(i.utilisation)}·3600 = "
                f"{figures.number(o.tokens_per_hour)} token"
            ),
        ),
        Output(
            "per_token",
            Text("a token", "每 token"),
            "USD/token",
            "price_per_hour·gpus/(tokens_per_second·utilisation·3600)",
            _per_million_worked,
        ),
        Output(
            "per_million",
            Text("a million tokens", "每百万 token"),
            "USD",
            "10⁶·price_per_hour·gpus/(tokens_per_second·utilisation·3600)",
            _per_million_worked,
        ),
    ),
    compute=cost_per_token,
    convention=Text(
        "the price is one GPU's, the tokens of all GPUs together; USD, rent only",
        "价格按单卡，token 数按全部卡合计；美元，只含租用成本",
    ),
    slips=(*_slips("per_token"), *_slips("per_million")),
    sources=(
        Reference(
            "DeepSeek-V3/R1 inference system overview",
            "https://github.com/deepseek-ai/open-infra-index/blob/main/202502OpenSourceWeek/day_6_one_more_thing_deepseekV3R1_inference_system_overview.md",
        ),
    ),
)

CALCULATORS = (COST_PER_TOKEN,)
