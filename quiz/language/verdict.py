"""What is said about an answer: right, not yet, cannot be read; and what usually gives such a number."""

from quiz.language import Text

WORDS = {
    "correct": Text("right: {value}", "正确：{value}"),
    "unreadable": Text("{why}", "{why}"),
    "too_high": Text("not yet: {value} is too high", "还不对：{value} 偏大"),
    "too_low": Text("not yet: {value} is too low", "还不对：{value} 偏小"),
    "percent_high": Text("not yet: {value} is {by} % over", "还不对：{value} 偏大 {by} %"),
    "percent_low": Text("not yet: {value} is {by} % short", "还不对：{value} 偏小 {by} %"),
    "times_high": Text("not yet: {value} is {by} times the right value", "还不对：{value} 是正确值的 {by} 倍"),
    "times_low": Text("not yet: {value} is 1/{by} of the right value", "还不对：{value} 只有正确值的 1/{by}"),
    "near": Text("not yet: {value} is close, but this has to be exact", "还不对：{value} 很接近，但这里要精确值"),
    "sign": Text("not yet: {value} has the wrong sign", "还不对：{value} 正负号不对"),
    "dimension": Text(
        "not yet: {value} is {typed}, {asked} is asked for", "还不对：{value} 是{typed}，要求的是{asked}"
    ),
    "value_in": Text("a value in {unit}", "以 {unit} 为单位的量"),
    "inverse": Text(
        "{typed} is the inverse of what is asked for, {asked}: give it in {asked}",
        "{typed} 与所问的 {asked} 互为倒数，请换算成 {asked}",
    ),
    "named": Text("this is what you get if {about}", "这个数通常是这样来的：{about}"),
    "inverse_slip": Text(
        "this is what you get if numerator and denominator change places", "分子分母颠倒时会得到这个值"
    ),
    "double": Text(
        "this is what you get if a factor of 2 is counted once too often (K and V, multiply and add, both directions)",
        "多乘一个 2 时会得到这个值（K 与 V、乘与加、双向）",
    ),
    "half": Text(
        "this is what you get if a factor of 2 is left out (K and V, multiply and add, both directions)",
        "漏乘一个 2 时会得到这个值（K 与 V、乘与加、双向）",
    ),
    "bits": Text("this is what you get if bits are taken for bytes", "把 bit 当成字节时会得到这个值"),
    "bytes": Text("this is what you get if bytes are taken for bits", "把字节当成 bit 时会得到这个值"),
    "eight": Text(
        "this is what you get if a factor of 8 is counted once too often (GPUs of a node, bits of a byte)",
        "多乘一个 8 时会得到这个值（单机卡数、一字节的位数）",
    ),
    "eighth": Text(
        "this is what you get if a factor of 8 is left out (GPUs of a node, bits of a byte)",
        "漏乘一个 8 时会得到这个值（单机卡数、一字节的位数）",
    ),
    "percent_up": Text("this is what you get if a percentage is taken for a ratio", "把百分数当成比值时会得到这个值"),
    "percent_down": Text("this is what you get if a ratio is taken for a percentage", "把比值当成百分数时会得到这个值"),
    "binary_up": Text(
        "this is what you get if {binary} is written where {si} is meant", "该写 {si} 却写成 {binary} 时会得到这个值"
    ),
    "binary_down": Text(
        "this is what you get if {si} is written where {binary} is meant", "该写 {binary} 却写成 {si} 时会得到这个值"
    ),
    "hours_up": Text(
        "this is what you get if hours and seconds are mixed up (× 3600)", "小时与秒混淆时会得到这个值（× 3600）"
    ),
    "hours_down": Text(
        "this is what you get if hours and seconds are mixed up (÷ 3600)", "小时与秒混淆时会得到这个值（÷ 3600）"
    ),
    "yi_up": Text("this is what you get if a billion is taken for 亿 (10⁸)", "把十亿（billion）当成亿时会得到这个值"),
    "yi_down": Text("this is what you get if 亿 (10⁸) is taken for a billion", "把亿当成十亿（billion）时会得到这个值"),
    "ten_up": Text(
        "this is what you get if the point or the prefix is off: 10{power} times too much",
        "小数点或单位前缀错位时会得到这个值：大了 10{power} 倍",
    ),
    "ten_down": Text(
        "this is what you get if the point or the prefix is off: 10{power} times too little",
        "小数点或单位前缀错位时会得到这个值：小了 10{power} 倍",
    ),
}

DIMENSIONS = {
    "": Text("a number without a unit", "不带单位的数"),
    "byte": Text("a size in bytes", "字节数"),
    "byte/s": Text("a bandwidth", "带宽"),
    "FLOP": Text("a number of operations", "运算次数"),
    "FLOP/s": Text("a rate of operations", "每秒运算次数"),
    "FLOP/byte": Text("an arithmetic intensity", "算术强度"),
    "s": Text("a time", "时间"),
    "GPU·s": Text("GPU time", "卡时"),
    "GPU": Text("a number of GPUs", "GPU 数量"),
    "token": Text("a number of tokens", "token 数"),
    "token/s": Text("a token rate", "token 吞吐"),
    "parameter": Text("a number of parameters", "参数量"),
    "USD": Text("an amount in dollars", "美元金额"),
    "CNY": Text("an amount in yuan", "人民币金额"),
    "J/s": Text("a power", "功率"),
    "J": Text("an energy", "能量"),
}
