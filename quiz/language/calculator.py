"""What calculators say about their inputs."""

from quiz.language import Text

WORDS = {
    "config_misses": Text(
        "the configuration has no {name}; give a decoder's own config.json, or its shape as inputs",
        "配置里没有 {name}；请给解码器模型自己的 config.json，或直接写出各项输入",
    ),
    "config_bad": Text(
        "the configuration's {name} is {value}, which no calculator here can count; give the shape as inputs",
        "配置里的 {name} 是 {value}，这里的计算器算不了；请直接写出各项输入",
    ),
    "config_type": Text(
        "not every parameter of model_type {kind} is known here; known are {known}; or give the shape as inputs",
        "这里不能逐个数清 model_type {kind} 的参数，能数的有 {known}；也可以直接写出各项输入",
    ),
    "config_layers": Text(
        "the configuration has layers of a kind that is not counted here: {kinds}",
        "配置里有这里不会算的层类型：{kinds}",
    ),
    "config_window": Text(
        "the configuration has a sliding window but does not say for which layers; give window and window_layers",
        "配置里有滑动窗口却没说用在哪些层；请直接给 window 和 window_layers",
    ),
    "config_unreadable": Text("cannot read {path} as a JSON object ({why})", "{path} 不是可读的 JSON 对象（{why}）"),
    "unknown": Text("no calculator {name}; near it: {near}", "没有计算器 {name}，相近的有：{near}"),
    "unknown_input": Text(
        "{calculator} has no input {name}; it has: {near}", "{calculator} 没有输入 {name}，它有：{near}"
    ),
    "unknown_output": Text(
        "{calculator} has no output {name}; it has: {near}", "{calculator} 没有输出 {name}，它有：{near}"
    ),
    "unknown_choice": Text("{name} cannot be {value}; it can be: {near}", "{name} 不能是 {value}，可选：{near}"),
    "missing": Text("{calculator} needs {name}: {about}", "{calculator} 缺少 {name}：{about}"),
    "no_value": Text("{calculator} has no value there: {why}", "{calculator} 在这组输入下没有值：{why}"),
    "out_of_range": Text(
        "{name} is {value}, but has to lie between {low} and {high} {unit}",
        "{name} 是 {value}，应在 {low} 到 {high} {unit} 之间",
    ),
    "wrong_unit": Text("{name}: {value} is no value in {unit}", "{name}：{value} 不是以 {unit} 为单位的量"),
    "no_unit": Text("a plain number", "纯数"),
    "not_whole": Text("{name} is {value}, but has to be a whole number", "{name} 是 {value}，应为整数"),
    "not_a_number": Text("{name}: cannot read {value} as a number. {why}", "{name}：{value} 读不成数。{why}"),
}
