"""What is said about deck files: how they are written, what they hold, what lint finds in them."""

from quiz.language import Text

WORDS = {
    "two_sides": Text(
        "opposites are two lists: [[more, …], [less, …]]", "反义词要写成两个列表：[[更多, …], [更少, …]]"
    ),
    "no_such_row": Text(
        "{card} draws {names} together, and no row of it has these values; set all of them or others",
        "{card} 的 {names} 是成组抽取的，没有一组是这样的取值；请一起指定，或换个值",
    ),
    # reading YAML
    "too_large": Text("the file is over {megabytes} MB: split the deck", "文件超过 {megabytes} MB，请拆成几个题库"),
    "not_utf8": Text(
        "byte 0x{byte} is not UTF-8: save the file as UTF-8", "字节 0x{byte} 不是 UTF-8，请把文件存成 UTF-8"
    ),
    "unsafe": Text("control or bidirectional character {code}: remove it", "含控制字符或双向控制字符 {code}，请删掉"),
    "more_unsafe": Text(
        "{count} more control characters: is this a text file?", "另有 {count} 个控制字符，这是文本文件吗？"
    ),
    "not_yaml": Text("not YAML: {why}", "不是合法的 YAML：{why}"),
    "colon_in_text": Text(
        "a colon and a space inside text: put the text in quotes or after |",
        "文字里有“冒号加空格”，请加引号或写在 | 后面",
    ),
    "bad_start": Text(
        "text cannot start with this character (a tab cannot indent): put it in quotes",
        "文字不能以这个字符开头（缩进也不能用制表符），请加引号",
    ),
    "unclosed_quote": Text("a quote opened before is never closed", "前面的引号没有闭合"),
    "unclosed_bracket": Text(
        "a bracket or brace opened before is not closed, or a comma is missing", "前面的括号没有闭合，或者漏了逗号"
    ),
    "bad_indent": Text(
        "this does not line up with the lines above: check the indentation and the quotes",
        "与上面各行没有对齐，请检查缩进和引号",
    ),
    "second_document": Text("a second document (---): one file holds one", "出现第二个文档（---），一个文件只能有一个"),
    "directive": Text("a YAML directive (%…): remove it", "含 YAML 指令（%…），请删掉"),
    "alias": Text("alias *{name}: write the value out", "用了别名 *{name}，请把内容写全"),
    "anchor": Text("anchor &{name}: remove it", "用了锚点 &{name}，请删掉"),
    "tag": Text(
        "tag {name}: remove it, the deck format decides the type", "用了标签 {name}，请删掉，类型由题库格式决定"
    ),
    "too_deep": Text("nested deeper than {deepest} levels", "嵌套超过 {deepest} 层"),
    "key_not_text": Text("a key has to be text", "键必须是文字"),
    "duplicate_key": Text("{name} is given twice, first on line {line}", "{name} 写了两次，第一次在第 {line} 行"),
    # the schema
    "empty": Text(
        "the file is empty: a deck has deck, area, title and cards", "文件是空的，题库要有 deck、area、title 和 cards"
    ),
    "unknown_key": Text("unknown key {name}; nearest: {near}", "没有 {name} 这个键，最接近的是：{near}"),
    "comma_in_text": Text(
        "{name} reads as a key without a value: put text with a comma in quotes",
        "{name} 被当成了没有值的键：文字里有半角逗号时请加引号",
    ),
    "missing_key": Text("{name} is missing", "缺少 {name}"),
    "not_mapping": Text("has to hold keys with values", "这里应为若干“键: 值”"),
    "not_list": Text("has to be a list", "这里应为列表"),
    "not_text": Text("has to be text, not a list or keys", "这里应为文字，不能是列表或键值"),
    "no_text": Text("is empty", "内容为空"),
    "no_language": Text("has to hold en, zh or both", "应写 en、zh 或两者"),
    "plain_string": Text("has to be written by language: {en: …, zh: …}", "要按语言分开写：{en: …, zh: …}"),
    "bad_id": Text(
        "{value} is no id: small letters, digits and single hyphens, 80 at most",
        "{value} 不能作 id：只用小写字母、数字和单个连字符，最长 80",
    ),
    "bad_source": Text("{value} is no source id such as handbook:28", "{value} 不是题源编号，应形如 handbook:28"),
    "bad_choice": Text("{value} is none of {known}; nearest: {near}", "{value} 不在 {known} 之中，最接近的是：{near}"),
    "bad_integer": Text(
        "{value} has to be a whole number from {low} to {high}, without a leading 0",
        "{value} 应为 {low} 到 {high} 的整数，不带前导 0",
    ),
    "bad_number": Text("{value} has to be a number from {low} to {high}", "{value} 应为 {low} 到 {high} 的数"),
    "leading_zero": Text(
        "{value} has a leading 0, which some read as octal: write {plain}",
        "{value} 带前导 0，有人会读成八进制，请写 {plain}",
    ),
    "too_long_number": Text("a number of more than 40 characters", "数字超过 40 个字符"),
    "bad_date": Text(
        "{value} is no date such as 2026-11 or 2026-11-30", "{value} 不是日期，应形如 2026-11 或 2026-11-30"
    ),
    "bad_url": Text("{value} is no https:// or http:// address", "{value} 不是 https:// 或 http:// 地址"),
    "twice": Text("{value} stands here twice", "{value} 出现了两次"),
    "empty_list": Text("the list is empty", "列表是空的"),
    "only_numeric": Text("{name} belongs to numeric cards only", "{name} 只用于 numeric 题"),
    # over all decks
    "duplicate_id": Text("{id} is already the id of a card at {where}", "id {id} 已用于 {where} 的题"),
    "duplicate_deck": Text("{id} is already the deck at {where}", "题库 {id} 已在 {where}"),
    "unreadable_file": Text("cannot be read: {why}", "读不了：{why}"),
    "unknown_card": Text("no card {name}; near it: {near}", "没有题 {name}，相近的有：{near}"),
    "unknown_deck": Text("no deck {name}; near it: {near}", "没有题库 {name}，相近的有：{near}"),
    "unknown_company": Text("no company {name}; near it: {near}", "没有公司 {name}，相近的有：{near}"),
    "unknown_tag": Text("no tag {name}; near it: {near}", "没有标签 {name}，相近的有：{near}"),
    # drawing
    "exhausted": Text(
        "{card}: a usual mistake gives nearly the right value on every draw: widen the draws or lower rtol",
        "{card}：每次抽到的数都有常见错误落在正确值附近，请增加取值或减小 rtol",
    ),
    "not_numeric": Text("{card} is no numeric card", "{card} 不是 numeric 题"),
    "not_a_number": Text(
        "{calculator} answers {output} with {value}, which is no number",
        "{calculator} 的 {output} 得到 {value}，不是数",
    ),
}
