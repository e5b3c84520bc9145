"""What a review says, on the screen and line by line."""

from quiz.language import Text

WORDS = {
    "counts": Text(
        "new {new}  due {due}  again {again}  done {done}", "新卡 {new}  到期 {due}  重练 {again}  已答 {done}"
    ),
    "plain_number": Text("answer{unit} (Enter shows it, ? for keys) > ", "答案{unit}（回车看答案，? 看按键）> "),
    "plain_open": Text(
        "say it aloud or type it (Enter shows the answer, ? for keys) > ",
        "说出来或打出来（回车看答案，? 看按键）> ",
    ),
    "plain_points": Text("points you had, such as 1 3 (Enter: none) > ", "你答到了哪几点，如 1 3（回车：没有）> "),
    "plain_confirm": Text(
        "points you had (Enter: {proposed}; 0: none) > ", "你答到了哪几点（回车：{proposed}；0：没有）> "
    ),
    "none": Text("none", "没有"),
    "opposite": Text("you may have said the opposite: “{quote}”", "你可能说反了：“{quote}”"),
    "found_in": Text("found in: “{quote}”", "依据：“{quote}”"),
    "quote_gap": Text("” … “", "”……“"),
    "flag_keywords": Text(
        "This reads like a list of keywords, so nothing is proposed: say what they do.",
        "这像是在罗列关键词，所以不替你勾选：请说清楚它们起什么作用。",
    ),
    "flag_contrary": Text(
        "You may have said the opposite of a point (≠), so nothing is proposed: tick those that you had.",
        "有要点你可能说反了（≠），所以不替你勾选：答到的请自己勾。",
    ),
    "flag_copied": Text("Much of this is the card's own answer, word for word.", "这里大段是卡片答案的原文。"),
    "flag_short": Text("That is very short for an interview answer.", "作为面试回答太短了。"),
    "flag_long": Text("That is longer than an interviewer would listen to.", "太长了，面试官听不完。"),
    "plain_grade": Text("grade 0–5 ({choices}) [{proposed}] > ", "打分 0–5（{choices}）[{proposed}] > "),
    "plain_bad_points": Text("{text}: give the numbers of the points, such as 1 3", "{text}：请给要点的编号，如 1 3"),
    "plain_bad_grade": Text(
        "{text} is no grade: 0 blank, 1 wrong, 2 nearly, 3 effort, 4 right, 5 at once",
        "{text} 不是分数：0 空白，1 错，2 差一点，3 费力，4 答对，5 秒答",
    ),
    "plain_help": Text(
        "h hint · s skip · b not today · x suspend · u undo · l 中文 · q quit",
        "h 提示 · s 跳过 · b 今天不再问 · x 暂停 · u 撤销 · l English · q 结束",
    ),
    "second_try": Text("Once more: change the answer, or Enter shows it.", "再试一次：改一下答案，或回车看答案。"),
    "right_value": Text("right: {value}", "正确值：{value}"),
    "pitfall": Text("**Tempting, but wrong.** {text}", "**容易答错。**{text}"),
    "key_points": Text("Key points", "要点"),
    "note": Text("Your note: {text}", "你的笔记：{text}"),
    "flagged": Text("You flagged this card: {text}", "你标记了这张卡：{text}"),
    "as_of": Text("as of {when}", "截至 {when}"),
    "hint_formula": Text("hint: {formula}", "提示：{formula}"),
    "hint_point": Text("hint: {count} points; the first: {point}", "提示：共 {count} 点，第一点：{point}"),
    "no_hint": Text("there is no hint for this card", "这张卡没有提示"),
    "days": Text("{days} d", "{days} 天"),
    "undone": Text("taken back: {what}, {card}", "已撤销：{what}，{card}"),
    "summary": Text("{done} answered, {right} of them graded 3 or more", "答了 {done} 次，其中 {right} 次在 3 分以上"),
    "summary_none": Text("nothing was answered", "这次没有作答"),
    "required": Text("needed", "必填"),
    "lint": Text("{errors} errors, {warnings} warnings", "{errors} 个错误，{warnings} 个警告"),
}
