"""The command line: help, options, and what is said about a command that cannot be run."""

from quiz.language import Text

WORDS = {
    "help_backup": Text(
        "copy the record to a file, also while a review runs", "把学习记录备份到文件，复习进行中也可以"
    ),
    "help_restore": Text(
        "put a backup in the record's place; what it replaces is kept", "用备份恢复学习记录，被替换的会留一份"
    ),
    "help_sync": Text(
        "exchange answers with other machines through a folder that something carries (Syncthing, Dropbox, git, USB)",
        "通过一个会被搬运的目录（Syncthing、网盘、git、U 盘）与其他机器交换作答记录",
    ),
    "help_export": Text(
        "write to a file, by its ending: the log (.jsonl), or cards as a table (.csv), study sheets (.md), "
        "an Anki package (.apkg)",
        "写到文件，按扩展名决定内容：日志（.jsonl），或卡片的表格（.csv）、可打印的学习资料（.md）、Anki 牌组包（.apkg）",
    ),
    "help_import": Text(
        "take over a file: a log (.jsonl), or cards into a deck of your own: Anki (.apkg, .colpkg, its text export "
        ".txt) or a table (.csv, .tsv); shows first what it will do, twice is once",
        "导入文件：日志（.jsonl），或把卡片导入自己的牌组：Anki（.apkg、.colpkg、文本导出 .txt）或表格（.csv、.tsv）；"
        "先显示会做什么，重复导入不会重复计",
    ),
    "import_as": Text(
        "The deck's name; without it the file's. A deck that exists is kept as it is, new cards go beside it.",
        "牌组名，不给则用文件名。已有的牌组保持不变，新卡放进另一个文件。",
    ),
    "import_history": Text(
        "Anki's reviews as well: Again becomes grade 1, Hard 3, Good 4, Easy 5.",
        "连同 Anki 的复习记录：重来记 1 分，困难 3 分，良好 4 分，简单 5 分。",
    ),
    "yes": Text("Do it at once, without asking.", "不询问，直接执行。"),
    "backup_file": Text("a database file, such as quiz-backup.db", "数据库文件，如 quiz-backup.db"),
    "sync_folder": Text("the folder that is carried", "用来同步的目录"),
    "export_file": Text("the file to write", "要写的文件"),
    "import_file": Text("the file to read", "要读的文件"),
    "force": Text("replace a file that exists", "覆盖已有文件"),
    "help": Text(
        "Spaced-repetition quiz for AI-infrastructure interviews. Without a command: today's review.",
        "面向 AI Infra 面试的间隔重复练习。不带命令时开始今天的复习。",
    ),
    "help_review": Text("Today's review: answer, check, grade.", "今天的复习：作答、核对、打分。"),
    "help_due": Text("What is due today, what is held back and why.", "今天有多少要复习，哪些被留后以及原因。"),
    "help_decks": Text("The decks and how far you are in each.", "所有牌组及各自的进度。"),
    "help_companies": Text("The companies and how many cards each asks.", "公司列表及各自考到的卡片数。"),
    "help_cards": Text("Search the cards, in either language.", "搜索卡片，中英文都可以。"),
    "help_show": Text("One card, question and answer.", "查看一张卡的题目和答案。"),
    "help_answer": Text("Check one answer to a numeric card; logs nothing.", "核对一道数值题的答案，不记入日志。"),
    "help_calc": Text("Run a calculator; without a name, list them.", "运行计算器；不给名字则列出全部。"),
    "help_log": Text("What you did, oldest first.", "你做过的事，按时间先后。"),
    "help_why": Text("Why a card is due when it is.", "一张卡为什么在那一天到期。"),
    "help_note": Text("Your own note on a card; without a text, show it.", "给卡片写自己的笔记；不给文字则显示。"),
    "help_flag": Text("Mark a card as wrong or doubtful.", "标记一张有误或存疑的卡。"),
    "help_suspend": Text("Take a card out of the queue until you bring it back.", "暂停一张卡，直到你恢复它。"),
    "help_undo": Text("Take back the last thing you did; any number of times.", "撤销上一步，可以连续撤销。"),
    "help_verify": Text("Check file, log and states.", "检查文件、日志与状态。"),
    "help_lint": Text(
        "Check deck files; all faults as file:line:column.", "检查牌组文件，以 文件:行:列 列出全部问题。"
    ),
    "help_config": Text("Show or change a setting.", "查看或修改设置。"),
    "json": Text("One JSON document instead of text.", "输出一个 JSON 文档而不是文字。"),
    "deck": Text("Only this deck (repeatable).", "只要这个牌组（可重复）。"),
    "company": Text("Only what this company asks (repeatable).", "只要这家公司考的（可重复）。"),
    "tag": Text("Only cards with this tag (repeatable).", "只要带这个标签的卡（可重复）。"),
    "decks": Text("A folder or file with decks of your own (repeatable).", "你自己的牌组目录或文件（可重复）。"),
    "seed": Text("Draw and order by this number, to repeat a session.", "按这个数抽题和排序，可以重现一次练习。"),
    "card": Text("The card's id.", "卡片 id。"),
    "version": Text("Print the version.", "显示版本。"),
    "lang": Text("Language of what you read.", "界面语言。"),
    "new": Text("So many more new cards now, whatever the day's limit.", "现在再学这么多张新卡，不受每日上限限制。"),
    "limit": Text("At most so many cards in this session.", "这次最多这么多张。"),
    "cram": Text("All the chosen cards now, without moving the schedule.", "立刻过一遍选中的全部卡，不改动日程。"),
    "plain": Text("Line by line instead of on a screen.", "逐行问答，不用全屏界面。"),
    "query": Text("Words to look for.", "要找的词。"),
    "kind": Text(
        "Only this kind: numeric, concept, design, code, experience.",
        "只要这一类：numeric、concept、design、code、experience。",
    ),
    "flagged": Text("Only cards that you flagged.", "只要你标记过的卡。"),
    "text": Text("The answer as you would type it.", "照你平时的写法输入答案。"),
    "set": Text("Fix an input instead of drawing it (repeatable).", "指定某个输入而不是抽取（可重复）。"),
    "calculator": Text("The calculator.", "计算器名。"),
    "inputs": Text(
        "Its inputs, units allowed: tokens=8192 bandwidth=3.35TB/s.",
        "输入，可以带单位：tokens=8192 bandwidth=3.35TB/s。",
    ),
    "screen": Text("On a screen, where the outputs follow as you type.", "在界面里打开，边输入边出结果。"),
    "config_file": Text(
        "A model's own config.json, for the inputs of its shape.", "模型自己的 config.json，用来填形状相关的输入。"
    ),
    "note_text": Text("The note; an empty one removes it.", "笔记内容；空字符串表示删除。"),
    "flag_text": Text("What is wrong with the card.", "这张卡哪里不对。"),
    "clear": Text("Remove the flag.", "去掉标记。"),
    "unsuspend": Text("Bring the card back.", "恢复这张卡。"),
    "rebuild": Text("Rewrite the states from the log.", "按日志重写状态。"),
    "paths": Text("Deck files or folders; without any, all decks.", "牌组文件或目录；不给则检查全部。"),
    "key": Text("The setting.", "设置项。"),
    "value": Text("Its new value.", "新的值。"),
    "unknown_language": Text("no language {language}; there are en and zh", "没有语言 {language}，可选 en 和 zh"),
    "no_such_option": Text(
        "{command} has no option {option}; see {command} --help", "{command} 没有选项 {option}，请看 {command} --help"
    ),
    "no_such_option_near": Text(
        "{command} has no option {option}; near it: {near}", "{command} 没有选项 {option}，相近的有：{near}"
    ),
    "missing_argument": Text(
        "{command} needs {name}; see {command} --help", "{command} 缺少 {name}，请看 {command} --help"
    ),
    "bad_value": Text(
        "{name} needs a whole number; see {command} --help", "{name} 需要一个整数；请看 {command} --help"
    ),
    "bad_number": Text(
        "{name} needs a whole number, {low} at least; see {command} --help",
        "{name} 需要一个不小于 {low} 的整数；请看 {command} --help",
    ),
    "no_such_command": Text("no command {name}; near it: {near}", "没有命令 {name}，相近的有：{near}"),
    "usage": Text("{why} See {command} --help", "{why} 请看 {command} --help"),
    "system": Text("the system says: {why}", "系统报错：{why}"),
    "no_such_home": Text("there is no such user folder: {path}", "没有这个用户目录：{path}"),
    "no_screen": Text(
        "there is no terminal for a screen here; leave --screen out", "这里没有可用的终端界面，请去掉 --screen"
    ),
    "no_such_path": Text("there is no {path}", "没有 {path}"),
    "bad_assignment": Text("{text}: write it as name=value", "{text}：请写成 名字=值"),
    "no_key_points": Text(
        "{card} has no key points to look for; study it with: quiz review",
        "{card} 没有可核对的要点，请用 quiz review 练习",
    ),
    "set_numeric_only": Text("--set and --seed belong to numeric cards", "--set 和 --seed 只用于数值题"),
    "unknown_kind": Text("no kind {kind}; there are: {near}", "没有类型 {kind}，可选：{near}"),
}
