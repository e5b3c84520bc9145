"""What stands on the screens: keys, grades, help."""

from quiz.language import Text

WORDS = {
    "too_small": Text(
        "the terminal is {columns}×{rows}; make it at least {least}, or use quiz review --plain",
        "终端只有 {columns}×{rows}；请放大到至少 {least}，或用 quiz review --plain",
    ),
    "counts": Text("new {new}  due {due}  ⟳ {again}  ✓ {done}", "新 {new}  到期 {due}  ⟳ {again}  ✓ {done}"),
    "counts_narrow": Text("{new}·{due}·{again} ✓{done}", "{new}·{due}·{again} ✓{done}"),
    "enter": Text("Enter", "回车"),
    "space": Text("Space", "空格"),
    "answer_in": Text("answer in {unit}", "单位 {unit}"),
    "check": Text("check", "核对"),
    "reveal": Text("reveal", "看答案"),
    "type": Text("type an answer", "打字作答"),
    "compare": Text("compare", "对答案"),
    "new_line": Text("new line", "换行"),
    "back": Text("back", "返回"),
    "hint": Text("hint", "提示"),
    "skip": Text("skip", "跳过"),
    "bury": Text("not today", "今天不问"),
    "undo": Text("undo", "撤销"),
    "keys": Text("keys", "按键"),
    "other_language": Text("中文", "English"),
    "accept": Text("accept ({had} of {of} → grade {grade})", "接受（{of} 中 {had} → {grade} 分）"),
    "accept_narrow": Text("grade {grade}", "{grade} 分"),
    "toggle": Text("tick points", "勾选要点"),
    "choose": Text("another grade", "另打分"),
    "save_note": Text("save the note (empty removes it)", "保存笔记（空则删除）"),
    "save_flag": Text("flag: what is wrong?", "标记：哪里不对？"),
    "leave": Text("leave", "离开"),
    "enter_takes": Text("Enter ▸", "回车 ▸"),
    "and": Text(", ", "、"),
    "grade_0": Text("blank", "空白"),
    "grade_1": Text("wrong", "错"),
    "grade_2": Text("nearly", "差一点"),
    "grade_3": Text("effort", "费力"),
    "grade_4": Text("right", "答对"),
    "grade_5": Text("at once", "秒答"),
    "help": Text(
        """**Keys**

- Enter: check the number, type an answer, accept the proposed grade
- Space: show the answer; then page down
- 0–5: the grade; with key points, 1–7 tick what you had and 0 opens the grades
- h hint (one grade less) · s skip · b not today · x suspend
- u undo, any number of times, also after the last card
- n your own note · f flag a wrong card
- k the calculator of a number just answered, to change its inputs
- l 中文/English · ↑ ↓ PgUp PgDn scroll · q leave, everything is saved

**Grades**: 0 blank, 1 wrong, 2 nearly, 3 with effort, 4 right, 5 at once. Below 3 the card starts again tomorrow; below 4 it comes again today. The small number under a grade is the next interval.

While the answer line is empty, letters are keys; once you type, they are text. Esc empties the line.""",
        """**按键**

- 回车：核对数字、开始打字作答、接受建议的分数
- 空格：看答案；之后向下翻页
- 0–5：打分；有要点时 1–7 勾选答到的点，0 打开分数栏
- h 提示（降一分）· s 跳过 · b 今天不再问 · x 暂停
- u 撤销，可以连续撤，最后一张之后也行
- n 自己的笔记 · f 标记有误的卡
- k 打开刚答过的数值题的计算器，改输入看结果
- l 中文/English · ↑ ↓ PgUp PgDn 滚动 · q 离开，进度都已保存

**分数**：0 空白，1 错，2 差一点，3 费力，4 答对，5 秒答。3 分以下明天重新开始，4 分以下今天还会再问。分数下面的小字是下次间隔。

答案行为空时字母是按键，开始输入后就是文字。Esc 清空这一行。""",
    ),
}
