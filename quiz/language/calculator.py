"""What calculators say about their inputs."""

from quiz.language import Text

WORDS = {
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
    "not_whole": Text("{name} is {value}, but has to be a whole number", "{name} 是 {value}，应为整数"),
    "not_a_number": Text("{name}: cannot read {value} as a number. {why}", "{name}：{value} 读不成数。{why}"),
}
