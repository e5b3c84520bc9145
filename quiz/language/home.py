"""What can be wrong with the learner's files."""

from quiz.language import Text

WORDS = {
    "unwritable": Text(
        "cannot write {path} ({why}); make it writable, or set QUIZ_HOME to a folder that is",
        "写不进 {path}（{why}）；请修改权限，或用 QUIZ_HOME 指定一个可写的目录",
    ),
    "newer": Text(
        "{path} was written by a newer version of quiz; update quiz to open it, nothing was changed",
        "{path} 由更新版本的 quiz 写成；请先升级 quiz 再打开，文件未作任何改动",
    ),
    "no_database": Text(
        "{path} is not a database; move it away or set QUIZ_HOME to another folder, nothing was changed",
        "{path} 不是数据库；请把它移走，或用 QUIZ_HOME 换一个目录，文件未作任何改动",
    ),
    "foreign": Text(
        "{path} is a database of another program; set QUIZ_HOME to another folder, nothing was changed",
        "{path} 是其他程序的数据库；请用 QUIZ_HOME 换一个目录，文件未作任何改动",
    ),
    "damaged": Text(
        "{path} is damaged; copy it away before anything else, then restore a backup over it",
        "{path} 已损坏；请先把它复制到别处，再用备份覆盖",
    ),
    "damaged_event": Text(
        "event {number} of the log is damaged; quiz verify tells more, restore a backup to mend it",
        "日志第 {number} 条已损坏；quiz verify 可看详情，恢复备份可修复",
    ),
    "locked": Text(
        "{path} is in use by another program that does not let go; close it and try again, nothing was changed",
        "{path} 被另一个程序占用且迟迟不释放；请关掉它再试，文件未作任何改动",
    ),
}
