"""What stands on the home screen."""

from quiz.language import Text

WORDS = {
    "streak": Text("streak {days}", "连续 {days} 天"),
    "today": Text("Today", "今天"),
    "load": Text("{due} due   {new} new   {again} again", "到期 {due}   新卡 {new}   重练 {again}"),
    "about": Text("about {minutes} min", "约 {minutes} 分钟"),
    "nothing": Text("nothing left; the next card is due on {day}", "已完成；下一张在 {day} 到期"),
    "nothing_at_all": Text("nothing left", "已完成"),
    "seen": Text("{seen} of {total} seen", "学过 {seen}/{total}"),
    "weak": Text("{weak} weak", "薄弱 {weak}"),
    "legend": Text("█ 3 weeks and more   ▓ below   ▒ learning   ░ new", "█ 三周以上   ▓ 三周以内   ▒ 在学   ░ 未学"),
    "first_time": Text(
        "Welcome. Press Enter: a question from a real interview comes, you answer it, say how well it went, and the "
        "program decides when to ask again. A few minutes a day are enough.",
        "欢迎。按回车开始：出现一道真实面试题，你作答，给自己打分，之后什么时候再问由程序安排。每天几分钟就够。",
    ),
    "review": Text("review", "复习"),
    "calculators": Text("calculators", "计算器"),
    "leave": Text("quit", "退出"),
    "help": Text(
        """**Home**

- Enter: today's review
- k: the calculators behind the numbers
- l: 中文/English
- q: quit

From the command line: `quiz review --company bytedance`, `quiz cards`, `quiz why CARD`, `quiz sync DIR`; `quiz --help` lists all.""",
        """**首页**

- 回车：今天的复习
- k：数值题背后的计算器
- l：中文/English
- q：退出

命令行里还有 `quiz review --company bytedance`、`quiz cards`、`quiz why 卡片`、`quiz sync 目录`；`quiz --help` 列出全部。""",
    ),
}
