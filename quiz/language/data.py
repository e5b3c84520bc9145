"""What is said about copies of the record, other machines, and files that come in or go out."""

from quiz.language import Text

WORDS = {
    "backed_up": Text("{events} events copied to {path}", "已把 {events} 条记录备份到 {path}"),
    "exists": Text(
        "{path} exists already; give another name, or --force to replace it",
        "{path} 已存在；请换个名字，或加 --force 覆盖",
    ),
    "no_file": Text("there is no file {path}", "没有文件 {path}"),
    "is_record": Text("{path} is the record in use; give another file", "{path} 就是正在用的记录，请换一个文件"),
    "no_backup": Text("{path} cannot be restored: {why}", "{path} 无法恢复：{why}"),
    "backup_damaged": Text(
        "{path} is damaged ({what}); take another backup, nothing was changed",
        "{path} 已损坏（{what}）；请换一份备份，什么都没有改动",
    ),
    "kept_gone": Text(
        "the record that was kept then, {path}, is gone; this cannot be taken back",
        "当时留下的记录 {path} 已不在，无法撤销",
    ),
    "restored": Text(
        "{events} events restored from {path}; what was replaced is kept in {kept}, quiz undo brings it back",
        "已从 {path} 恢复 {events} 条记录；被替换的保存在 {kept}，quiz undo 可撤回",
    ),
    "synced": Text(
        "sent {sent} events, took {taken} from {devices} other machines",
        "发出 {sent} 条，从另外 {devices} 台机器收到 {taken} 条",
    ),
    "synced_cards": Text("{cards} cards were brought up to date", "更新了 {cards} 张卡"),
    "sync_folder": Text(
        "cannot sync with {path} ({why}); is the folder there and writable?",
        "无法与 {path} 同步（{why}）；目录存在且可写吗？",
    ),
    "refused": Text("{file}, line {line}: left out, {why}", "{file} 第 {line} 行：未采用，{why}"),
    "refused_more": Text("{count} more lines were left out", "另有 {count} 行未采用"),
    "clock_ahead": Text(
        "the clock of machine {device} is ahead of this one by {span}; set the clocks, or its answers count as later",
        "机器 {device} 的时钟比本机快 {span}；请校准时钟，否则它的作答会排在后面",
    ),
    "minutes": Text("{count} min", "{count} 分钟"),
    "hours": Text("{count} h", "{count} 小时"),
    "days": Text("{count} days", "{count} 天"),
    "exported_log": Text("{events} events written to {path}", "已写出 {events} 条记录到 {path}"),
    "imported_log": Text("{taken} events taken, {known} were here already", "导入 {taken} 条，另有 {known} 条本来就有"),
    "would_import": Text(
        "{taken} events would be taken, {known} are here already; nothing was changed",
        "将导入 {taken} 条，另有 {known} 条本来就有；没有做任何改动",
    ),
    "unknown_format": Text(
        "{path}: write to or read from a file that ends in {endings}", "{path}：文件名请以 {endings} 结尾"
    ),
}
