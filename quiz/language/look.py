"""What the looking commands say."""

from quiz.language import Text

WORDS = {
    "due": Text("today: {due} due, {new} new, {again} again", "今天：到期 {due}，新卡 {new}，重练 {again}"),
    "nothing_due": Text("nothing is due; the next card is due on {day}", "今天没有要复习的；下一张在 {day} 到期"),
    "done_today": Text("today's share is done", "今天的量已经完成"),
    "nothing_at_all": Text("nothing is due and no card is waiting", "没有要复习的，也没有排上日程的卡"),
    "held_new": Text(
        "new cards waiting: {count}; the limit is {limit} a day (quiz config new, or --new N for N more now)",
        "还有 {count} 张新卡在等：每天最多 {limit} 张（quiz config new 可改，--new N 可现在再学 N 张）",
    ),
    "held_due": Text(
        "due cards waiting: {count}; the limit is {limit} reviews a day (quiz config reviews)",
        "还有 {count} 张到期卡在等：每天最多复习 {limit} 张（quiz config reviews 可改）",
    ),
    "held_buried": Text("put off until tomorrow: {count}", "{count} 张已推到明天"),
    "held_suspended": Text(
        "suspended: {count} (quiz suspend CARD --clear brings one back)",
        "{count} 张已暂停（quiz suspend 卡片 --clear 可恢复）",
    ),
    "deck": Text("deck", "牌组"),
    "area": Text("area", "方向"),
    "cards": Text("cards", "卡片"),
    "seen": Text("seen", "学过"),
    "due_head": Text("due", "到期"),
    "title": Text("title", "标题"),
    "company": Text("company", "公司"),
    "name": Text("name", "名称"),
    "part_of": Text("part of", "所属"),
    "area_training": Text("training", "训练"),
    "area_inference": Text("inference", "推理"),
    "area_hardware": Text("hardware", "硬件"),
    "area_platform": Text("platform", "平台"),
    "problems": Text(
        "faults in decks: {count}, their cards are left out; quiz lint shows all. The first: {first}",
        "牌组里有 {count} 处问题，相关卡片没有载入；quiz lint 可看全部。第一处：{first}",
    ),
    "seed": Text(
        "seed {seed} (quiz answer … --seed {seed} asks these numbers)",
        "种子 {seed}（quiz answer … --seed {seed} 问的就是这组数）",
    ),
    "no_cards": Text("no card fits", "没有符合的卡片"),
}
