"""What can be set, and what is wrong with a value."""

from quiz.language import Text

WORDS = {
    "new": Text("new cards a day", "每天新卡数"),
    "reviews": Text("reviews of due cards a day", "每天复习的到期卡数"),
    "rollover": Text("hour at which a study day ends", "学习日在几点结束"),
    "language": Text("language of everything you read", "界面语言"),
    "theme": Text("colours of the screen", "界面配色"),
    "mouse": Text("whether the mouse works on the screen", "界面是否响应鼠标"),
    "unknown": Text("no setting {name}; there are: {near}", "没有设置项 {name}，可用的有：{near}"),
    "bad": Text("{name} cannot be {value}; it can be {good}", "{name} 不能设为 {value}，可以是 {good}"),
    "in_file": Text(
        "{path}: {why}; quiz config NAME VALUE mends the file", "{path}：{why}；quiz config 名称 值 可修好该文件"
    ),
    "unreadable": Text(
        "cannot read the settings in {path} ({why}); mend or remove the file",
        "读不了设置文件 {path}（{why}）；请修好或删掉它",
    ),
    "unwritable": Text("cannot write the settings to {path} ({why})", "写不了设置文件 {path}（{why}）"),
}
