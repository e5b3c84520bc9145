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
    "would_import": Text(
        "{taken} events are new and would be taken, {known} are here already",
        "其中 {taken} 条是新的，将导入；另有 {known} 条本来就有",
    ),
    "imported": Text("done; quiz undo takes it back", "已完成；quiz undo 可撤回"),
    "go_ahead": Text("Do it? y/N > ", "要执行吗？y/是，其他键取消 > "),
    "yes_words": Text("y|yes|j|ja", "是|好|是的"),
    "only_shown": Text("nothing was changed; with --yes it is done", "没有做任何改动；加 --yes 才会执行"),
    "not_done": Text("nothing was changed", "没有做任何改动"),
    "nothing_new": Text("there is nothing new in it", "里面没有新的内容"),
    "unknown_format": Text(
        "{path}: write to or read from a file that ends in {endings}", "{path}：文件名请以 {endings} 结尾"
    ),
    "log_is_whole": Text(
        "{path}: the log goes out whole; leave --deck, --company and --tag out, or export cards (.csv, .md, .apkg)",
        "{path}：日志只能整份导出；请去掉 --deck、--company、--tag，或改为导出卡片（.csv、.md、.apkg）",
    ),
    "log_has_no_cards": Text(
        "{path}: a log makes no deck; leave --as and --history out",
        "{path}：日志不会生成牌组；请去掉 --as 和 --history",
    ),
    "history_only_anki": Text(
        "{path}: --history belongs to Anki's packages ({endings})", "{path}：--history 只用于 Anki 的包（{endings}）"
    ),
    "no_genanki": Text(
        "writing Anki packages needs genanki; install it with: pip install 'infra-quiz[anki]'",
        "写 Anki 包需要 genanki；请安装：pip install 'infra-quiz[anki]'",
    ),
    "no_zstandard": Text(
        "{path}: this Anki package needs zstandard; install it with: pip install 'infra-quiz[anki]', "
        "or export from Anki with support for older versions",
        "{path}：读这种 Anki 包需要 zstandard；请安装：pip install 'infra-quiz[anki]'，或在 Anki 导出时勾选支持旧版本",
    ),
    "exported_cards": Text("{cards} cards written to {path}", "已写出 {cards} 张卡到 {path}"),
    "exported_notes": Text(
        "{notes} notes for Anki (a numeric card has up to three); a later export updates them",
        "共 {notes} 条 Anki 笔记（数值题最多三条）；以后再导出会更新它们",
    ),
    "left_out": Text("left out: {what}", "未导出：{what}"),
    "sheet_title": Text("Study sheets", "学习资料"),
    "sheet_answer": Text("Answer", "答案"),
    "sheet_references": Text("References", "参考资料"),
    "would_make": Text(
        "{path}: {new} new cards for the deck {deck}; {known} are here already",
        "{path}：{new} 张新卡，放入牌组 {deck}；另有 {known} 张本来就有",
    ),
    "more_cards": Text("  and {count} more", "  还有 {count} 张"),
    "encoded": Text("read as {encoding}", "按 {encoding} 编码读取"),
    "skipped": Text("left out: {count} {why}: {examples}", "未采用：{count} 张{why}：{examples}"),
    "skip_empty": Text("without a question or an answer", "没有题目或没有答案"),
    "skip_only_media": Text("whose question or answer is only a picture or a sound", "题目或答案只有图片或声音"),
    "skip_long": Text("longer than a card can be", "太长"),
    "skip_many": Text("beyond what one import takes", "超出一次导入的数量"),
    "skip_twice": Text("that are in the file twice", "在文件里重复出现"),
    "skip_damaged": Text("that are damaged", "已损坏"),
    "quotes": Text("“{what}”", "“{what}”"),
    "quotes_between": Text("”, “", "”“"),
    "no_media": Text("{count} pictures and sounds are dropped", "丢弃 {count} 个图片和声音"),
    "would_take_reviews": Text(
        "{new} reviews from Anki would be taken, {known} are here already, {other} are left out "
        "(set by hand, rescheduled, from filtered decks, or of cards that are left out)",
        "将导入 Anki 的 {new} 次复习，另有 {known} 次本来就有，{other} 次不采用"
        "（手动设置、重新安排、来自筛选牌组，或卡片未采用）",
    ),
    "mapping": Text(
        "Anki's buttons become grades: Again 1, Hard 3, Good 4, Easy 5",
        "Anki 的按钮对应的分数：重来 1，困难 3，良好 4，简单 5",
    ),
    "made_deck": Text("deck {deck}: {path}", "牌组 {deck}：{path}"),
    "deck_kept": Text(
        "{path} was changed since the import and is kept; delete it yourself if it is to go",
        "{path} 在导入之后被修改过，予以保留；如不需要请自行删除",
    ),
    "columns_question": Text("front|question|q|term|prompt", "正面|问题|题目|题干|提问"),
    "columns_answer": Text("back|answer|a|definition|response", "背面|答案|回答|解答|释义"),
    "columns_tags": Text("tags|tag|labels", "标签|标记"),
    "columns_key": Text("guid|id|key", "编号|标识"),
    "not_taken": Text("{path} was not taken: {why}", "没有导入 {path}：{why}"),
    "why_no_package": Text(
        "it is no Anki package, or a damaged one; export it from Anki again",
        "这不是 Anki 包，或已损坏；请从 Anki 重新导出",
    ),
    "why_no_collection": Text("there is no Anki collection in it", "里面没有 Anki 集合"),
    "why_damaged": Text("its database is damaged; export it from Anki again", "其中的数据库已损坏；请从 Anki 重新导出"),
    "why_traversal": Text(
        "it holds a name that leads out of the archive; take no packages from there",
        "里面有指向包外的文件名；请不要使用这个来源的包",
    ),
    "why_bomb": Text(
        "it unpacks to more than any collection, {megabytes} MB or many times its size",
        "解压后大得不正常（超过 {megabytes} MB 或原大小的许多倍）",
    ),
    "why_too_large": Text(
        "it is larger than {megabytes} MB; export single decks", "它超过 {megabytes} MB；请按单个牌组导出"
    ),
    "why_too_many_files": Text("it holds more than {count} files", "里面的文件多于 {count} 个"),
    "why_too_many_rows": Text("it has more than {count} rows; split it", "它多于 {count} 行；请拆成几个文件"),
    "why_too_many_reviews": Text(
        "it holds more than {count} reviews; export single decks", "里面的复习多于 {count} 次；请按单个牌组导出"
    ),
    "why_no_text": Text("it is no text in UTF-8, GB 18030 or UTF-16", "它不是 UTF-8、GB 18030 或 UTF-16 的文本"),
    "why_line": Text("it has a line longer than {megabytes} MB", "里面有一行超过 {megabytes} MB"),
    "why_record": Text(
        "it has a record longer than {megabytes} MB; is a quotation mark missing?",
        "里面有一条记录超过 {megabytes} MB；是不是少了一个引号？",
    ),
    "why_no_columns": Text(
        "its first line names no columns for question and answer (front and back, or question and answer)",
        "第一行没有标明题目列和答案列（正面、背面，或 front、back）",
    ),
}
