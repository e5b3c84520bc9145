"""The words that name units and what is counted, in English and Chinese."""

from __future__ import annotations

from fractions import Fraction

NOUNS = {
    "token": "token tokens tok toks tk tks 词元",
    "parameter": "parameter parameters param params weight weights 参数 参数量 权重",
    "element": "element elements elem elems elt elts value values entry entries number numbers 元素 数值",
    "GPU": (
        "gpu gpus card cards device devices accelerator accelerators chip chips rank ranks npu npus tpu tpus xpu xpus "
        "卡 张卡 块卡 显卡 加速卡"
    ),
    "node": "node nodes host hosts server servers machine machines box boxes 节点 机器 台机器 服务器 单机",
    "layer": "layer layers 层",
    "request": "request requests req reqs query queries 请求 查询",
    "step": "step steps iteration iterations iter iters it 步 迭代",
    "sample": "sample samples example examples 样本",
    "sequence": "sequence sequences seq seqs prompt prompts 序列",
    "user": "user users session sessions 用户 会话",
    "microbatch": "microbatch microbatches micro-batch micro-batches micro_batch micro_batches 微批 微批次",
    "batch": "batch batches 批 批次",
    "head": "head heads 头",
    "expert": "expert experts 专家",
    "replica": "replica replicas instance instances worker workers copy copies 副本 实例",
    "block": "block blocks cta ctas 线程块",
    "page": "page pages 页",
    "slot": "slot slots 槽 槽位",
    "thread": "thread threads 线程",
    "warp": "warp warps",
    "SM": "sm sms",
    "core": "core cores 核 核心",
    "lane": "lane lanes",
    "register": "register registers reg regs 寄存器",
    "sector": "sector sectors 扇区",
    "bank": "bank banks",
    "way": "way ways 路",
    "transaction": "transaction transactions 事务",
    "access": "access accesses 访问",
    "cycle": "cycle cycles 时钟周期",
    "instruction": "instruction instructions 指令",
    "stage": "stage stages 级",
    "chunk": "chunk chunks",
    "tile": "tile tiles",
    "row": "row rows 行",
    "column": "column columns col cols 列",
    "message": "message messages 消息",
    "image": "image images 图片 图像",
    "character": "character characters char chars 字符",
    "group": "group groups",
    "epoch": "epoch epochs 轮",
    "link": "link links",
    "channel": "channel channels 通道",
    "position": "position positions 位置",
    "failure": "failure failures 故障",
    "version": "version versions 版本",
    "rollout": "rollout rollouts",
    "pair": "pair pairs",
}
CHIPS = frozenset({
    "a10", "a100", "a800", "h100", "h200", "h800", "h20", "b100", "b200", "b300", "gb200", "gb300", "v100", "p100", "t4",
    "l4", "l20", "l40", "l40s", "mi250", "mi250x", "mi300", "mi300x", "mi325x", "mi355x",
})  # fmt: skip

TIME_SYMBOLS = {"s": 0, "ms": -1, "us": -2, "µs": -2, "μs": -2, "ns": -3, "ps": -4}
TIME_WORDS: dict[str, int | Fraction] = {
    "s sec secs second seconds 秒 秒钟": 1,
    "ms msec msecs 毫秒": Fraction(1, 10**3),
    "us usec usecs 微秒": Fraction(1, 10**6),
    "ns nsec nsecs 纳秒": Fraction(1, 10**9),
    "皮秒": Fraction(1, 10**12),
    "min mins minute minutes 分钟 分": 60,
    "h hr hrs hour hours 小时 钟头": 3600,
    "d day days 天 日": 86_400,
    "wk wks week weeks 周 星期": 604_800,
    "yr yrs year years 年": 31_557_600,
}
MONEY_WORDS = {
    "$ usd dollar dollars 美元 美金": ("USD", Fraction(1)),
    "¢ cent cents 美分": ("USD", Fraction(1, 100)),
    "¥ cny rmb yuan 元 块钱 人民币": ("CNY", Fraction(1)),
}
SIZE_WORDS = {
    "byte bytes 字节": (Fraction(1), 0),
    "bit bits 比特 位": (Fraction(1, 8), 0),
    "千字节": (Fraction(10**3), 1),
    "兆字节": (Fraction(10**6), 2),
    "吉字节": (Fraction(10**9), 3),
    "太字节": (Fraction(10**12), 4),
}
SCALES = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million mn mln 百万": 10**6,
    "billion bn bln": 10**9,
    "trillion tn trn": 10**12,
}
