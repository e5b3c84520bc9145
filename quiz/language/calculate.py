"""What the calculator screens say."""

from quiz.language import Text

WORDS = {
    "pick": Text("Calculators: type to narrow", "计算器：输入文字筛选"),
    "none": Text("no calculator fits", "没有符合的计算器"),
    "open": Text("open", "打开"),
    "move": Text("move", "移动"),
    "next": Text("next input", "换输入"),
    "scroll": Text("scroll", "滚动"),
}
