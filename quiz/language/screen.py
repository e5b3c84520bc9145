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
    "answer_in": Text("unit: {unit}", "单位：{unit}"),
    "check": Text("check", "核对"),
    "reveal": Text("reveal", "看答案"),
    "type": Text("type", "打字作答"),
    "compare": Text("compare", "对答案"),
    "new_line": Text("new line", "换行"),
    "back": Text("back", "返回"),
    "hint": Text("hint", "提示"),
    "skip": Text("skip", "跳过"),
    "bury": Text("not today", "今天不问"),
    "undo": Text("undo", "撤销"),
    "keys": Text("keys", "按键"),
    "other_language": Text("中文", "English"),
    "accept": Text("accept ({had} of {of}{hint} → grade {grade})", "接受（{of} 点中 {had} 点{hint} → {grade} 分）"),
    "grade_it": Text("grade it", "打分"),
    "hint_costs": Text(", hint −1", "，提示减 1"),
    "tick_points": Text("Key points: tick those you had", "要点：勾选你答到的"),
    "confirm_points": Text(
        "Key points found in your answer: digits correct, Enter accepts", "在你的答案里找到的要点：数字键更正，回车接受"
    ),
    "has_note": Text("✎ your note comes with the answer", "✎ 你的笔记会和答案一起显示"),
    "level": Text("level {level}", "难度 {level}"),
    "level_narrow": Text("L{level}", "难度{level}"),
    "schedule_stays": Text("schedule stays", "不改日程"),
    "empty_line": Text("Type an answer, or Space shows it.", "请输入答案，或按空格看答案。"),
    "did_skip": Text("skipped: {card} comes later", "已跳过：{card} 稍后再问"),
    "did_bury": Text("not today: {card}; u takes it back", "今天不再问：{card}，按 u 可撤销"),
    "did_suspend": Text("suspended: {card}; u takes it back", "已暂停：{card}，按 u 可撤销"),
    "kept_note": Text("note kept; it comes with the answer", "笔记已保存，会和答案一起显示"),
    "kept_flag": Text("flag kept; quiz cards --flagged lists them", "标记已保存，quiz cards --flagged 可列出"),
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

A letter alone is a key; letters typed in a row are an answer. Esc empties the line; Ctrl+L switches the language while you type.

In the title: new, due and ⟳ again today; ✓ answered; level 1 to 3.""",
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

单按一个字母是按键，连着打就是答案。Esc 清空这一行；正在输入时用 Ctrl+L 切换语言。

标题行：新卡、到期、⟳ 今天再练、✓ 已答；难度 1 到 3。""",
    ),
}
