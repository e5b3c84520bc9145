"""What lint says about cards that can be read but are not right."""

from quiz.language import Text

WORDS = {
    # over decks
    "retired": Text("{id} is on the register of retired ids: take another", "{id} 在停用 id 登记表里，请另取一个"),
    "retired_for": Text(
        "{id} is on the register of retired ids, {now} took its place", "{id} 在停用 id 登记表里，已由 {now} 取代"
    ),
    "retired_in_use": Text("retired, but still the id of the card at {where}", "已登记停用，但 {where} 的题还在用"),
    "unknown_successor": Text("no card {name}; near it: {near}", "没有题 {name}，相近的有：{near}"),
    "wrong_folder": Text("a deck of {area} lies in the folder {folder}", "{area} 的题库放在了 {folder} 目录"),
    "unknown_follow_up": Text("no card {name}; near it: {near}", "没有题 {name}，相近的有：{near}"),
    "follows_itself": Text("a card cannot follow itself", "追问不能是自己"),
    "unknown_source": Text("no source {name}; near it: {near}", "没有题源 {name}，相近的有：{near}"),
    "companies_off": Text(
        "its sources are asked by {counted}, the card says {said}", "按题源统计应为 {counted}，这里写的是 {said}"
    ),
    "alias_clash": Text("{alias} already means {company}", "{alias} 已经指 {company}"),
    # texts
    "missing_language": Text("{name} is missing", "缺少 {name}"),
    "latex": Text(
        "LaTeX ({found}): write formulas in Unicode, such as 2·(N−1)/N·S",
        "用了 LaTeX（{found}），公式请用 Unicode，如 2·(N−1)/N·S",
    ),
    "few_points": Text("{count} key points, should be 3 to 7", "有 {count} 个要点，应为 3 到 7 个"),
    "no_terms": Text("a key point without terms", "要点没有 terms"),
    "common_words": Text(
        "{terms}: words that stand in nearly any answer; name what is said of them",
        "{terms}：几乎任何答案里都有的词，请写出具体说了什么",
    ),
    "unmet": Text(
        "the {language} answer has none of: {terms}",
        "{language} 答案里一个也没有：{terms}",
    ),
    "no_reference": Text("no reference", "没有参考资料"),
    "uncovered": Text(
        "{figure}: neither given by the question, nor computed under figures, nor covered by a reference",
        "{figure}：题面没给，figures 没有计算，也没有参考资料",
    ),
    # numbers
    "not_among_inputs": Text("{{{name}}} is none of the inputs: {near}", "{{{name}}} 不是输入，输入有：{near}"),
    "not_shown": Text(
        "{name} is drawn, but the {language} question does not show {{{name}}}",
        "{name} 是抽取的，但 {language} 题面没有 {{{name}}}",
    ),
    "refused": Text("with {inputs}: {why}", "取 {inputs} 时：{why}"),
    "refused_more": Text("{count} more draws are refused", "另有 {count} 组取值被拒绝"),
    "runs_out": Text(
        "draws run out ({seeds} of {tried} seeds): on each a usual mistake ({slips}) gives nearly the right value",
        "抽取用尽（{tried} 个种子中有 {seeds} 个）：每次都有常见错误（{slips}）落在正确值附近",
    ),
    "rtol_hides_kib": Text(
        "rtol {rtol} on bytes takes KB for KiB: 0.012 at most", "字节题的 rtol {rtol} 分不清 KB 与 KiB，最大 0.012"
    ),
    "bad_unit": Text("{unit} cannot be read as a unit of {output}: {why}", "{unit} 读不成 {output} 的单位：{why}"),
    "bad_unit_dimension": Text(
        "{unit} does not measure {output}, which is in {base}", "{unit} 不是 {output} 的单位，它以 {base} 计"
    ),
    "says_unread": Text("{says} cannot be read: {why}", "{says} 读不了：{why}"),
    "says_absent": Text("{says} does not stand in the {language} answer", "{language} 答案里没有 {says}"),
    "says_wrong": Text("{says}, but {calculator} gives {value}", "写的是 {says}，{calculator} 算出来是 {value}"),
}
