"""What is said about the learner's record."""

from quiz.language import Text

WORDS = {
    "empty": Text("the log is empty", "日志是空的"),
    "taken_back": Text("(taken back)", "（已撤销）"),
    "kind_review": Text("review", "复习"),
    "kind_drill": Text("drill", "重练"),
    "kind_cram": Text("cram", "突击"),
    "kind_mock": Text("mock", "模拟"),
    "kind_skip": Text("skip", "跳过"),
    "kind_suspend": Text("suspend", "暂停"),
    "kind_unsuspend": Text("resume", "恢复"),
    "kind_bury": Text("put off", "推到明天"),
    "kind_reset": Text("reset", "重置"),
    "kind_note": Text("note", "笔记"),
    "kind_flag": Text("flag", "标记"),
    "kind_unflag": Text("unflag", "去标记"),
    "kind_undo": Text("undo", "撤销"),
    "why_new": Text("New: it was never answered.", "新卡：还没有答过。"),
    "why_suspended": Text("Suspended: it is not asked until you bring it back.", "已暂停：在你恢复之前不会再问。"),
    "why_due": Text(
        "Answered on {last} with grade {grade}: repetition {repetitions}, interval {days} d, ease factor now {ease}; due on {due}.",
        "{last} 答过，{grade} 分：第 {repetitions} 次连续通过，间隔 {days} 天，难度系数现为 {ease}；{due} 到期。",
    ),
    "why_failed": Text(
        "Failed on {last} with grade {grade}: it starts again after {days} d, ease factor stays {ease}; due on {due}.",
        "{last} 没答上来，{grade} 分：{days} 天后重新开始，难度系数仍为 {ease}；{due} 到期。",
    ),
    "why_overdue": Text("It is {days} d overdue.", "已过期 {days} 天。"),
    "why_buried": Text("You put it off until tomorrow.", "你已把它推到明天。"),
    "why_drill": Text("It comes again today, until it gets 4 or more.", "今天还会再练，直到 4 分以上。"),
    "why_leech": Text(
        "It was forgotten {lapses} times: rewrite it in a note of your own, or suspend it.",
        "已忘过 {lapses} 次：写条自己的笔记换个记法，或者先暂停。",
    ),
    "no_note": Text("no note on {card}", "{card} 还没有笔记"),
    "flagged": Text("{card} is flagged; quiz cards --flagged lists such", "{card} 已标记；quiz cards --flagged 可列出"),
    "unflagged": Text("{card} is no longer flagged", "{card} 已去掉标记"),
    "suspended": Text("{card} is suspended", "{card} 已暂停"),
    "unsuspended": Text("{card} is back", "{card} 已恢复"),
    "nothing_to_undo": Text("nothing to take back", "没有可撤销的"),
    "undone": Text("taken back: {what}, {card}, {when}", "已撤销：{what}，{card}，{when}"),
    "mend": Text(
        "states can be mended with quiz verify --rebuild; for the file or the log restore a backup",
        "状态可以用 quiz verify --rebuild 修复；文件或日志坏了请恢复备份",
    ),
    "sound": Text("all sound: {events} events", "一切正常：共 {events} 条记录"),
    "default": Text("(default {value})", "（默认 {value}）"),
    "data_in": Text("progress in {path}, decks of your own in {decks}", "进度在 {path}，自己的牌组放 {decks}"),
    "kept_in": Text("kept in {path}", "保存在 {path}"),
}
