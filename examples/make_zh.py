"""Makes comments-zh.jsonl: short Chinese comments of our own, with planted near-duplicates.

Run `python examples/make_zh.py` to write the two files again; equal seeds give equal bytes.
"""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

SEED, BASES, VARIANTS = 20, 240, 120

GOODS = {
    "电饭煲": ("煮出来的米饭粒粒分明", "内胆很厚", "预约功能每天都用", "米汤偶尔会溢出来"),
    "保温杯": (
        "早上灌的热水晚上还烫嘴",
        "杯盖拧紧以后倒过来也不漏",
        "杯口的边有点割手",
        "放进书包侧袋刚刚好",
    ),
    "跑鞋": ("跑完十公里脚底不酸", "鞋面透气", "雨天踩在瓷砖上会打滑", "后跟磨了两天才跟脚"),
    "茉莉花茶": (
        "第一泡香气就出来了",
        "泡到第四遍还有味道",
        "茶叶里碎末偏多",
        "包装的小罐可以留着装别的",
    ),
    "机械键盘": ("回弹干脆", "半夜打字也不会吵醒室友", "空格键的声音有些空", "灯光可以一键关掉"),
    "蓝牙耳机": (
        "地铁里也听得清人声",
        "充电盒合上的手感很好",
        "戴久了右耳有点胀",
        "电话那头说我的声音很清楚",
    ),
    "台灯": ("光线柔和不刺眼", "灯杆能弯到任何角度", "底座稍微轻了一点", "孩子写作业正合适"),
    "旅行箱": (
        "轮子推起来几乎没有声音",
        "隔层分得很细",
        "托运一次就多了两道划痕",
        "密码锁设置起来很简单",
    ),
    "砂锅": ("小火炖汤特别香", "盖子上的孔不会扑锅", "刚买来要先煮一次粥", "锅柄包了布还是烫"),
    "山地车": ("变速清脆", "上坡比旧车省力", "坐垫硬得需要换", "安装说明写得像天书"),
    "绘本": (
        "纸张厚实不怕撕",
        "每一页的颜色都很温暖",
        "故事短到睡前能读三遍",
        "书角做成圆的很贴心",
    ),
    "加湿器": ("雾气细得看不见", "水箱够用一整夜", "换水时容易洒到桌面", "夜灯可以单独打开"),
}
OPENINGS = (
    "替{who}挑的{good}，用了{n}天才来写评价",
    "{month}月做活动时入手的{good}，{n}块钱",
    "这是家里第{k}个{good}了",
    "犹豫了{n}天，最后还是选了这款{good}",
    "同事推荐的{good}，到手比图片上还好看",
    "原来的{good}坏了，临时下单应急",
    "对比了{k}家店，这个{good}最合心意",
    "搬新家添置的{good}，{color}和客厅很搭",
)
SERVICE = (
    "快递{n}小时就送到楼下",
    "客服说话客气，问什么答什么",
    "外箱压瘪了一角，好在里面没事",
    "换货走了{k}天流程，运费由店家出",
    "发票是{month}月{k}号补寄过来的",
    "送货师傅还帮忙搬上了{k}楼",
    "包装里塞满了纸屑，拆完扫了半天",
    "下单{n}分钟以后就显示已经出库",
)
PEOPLE = (
    "{who}用过之后说下次也要买一个",
    "周末带去{place}，朋友都来问链接",
    "连平时最挑剔的{who}也点了头",
    "放在{place}里，谁都能顺手用上",
    "{who}嫌颜色太素，我倒觉得耐看",
    "现在每次去{place}都会想起它",
)
CLOSINGS = (
    "总的来说对得起这个价钱",
    "扣一分是因为说明书太小",
    "等用满{k}个月再来追评",
    "如果能多一个{color}可选就更好了",
    "不后悔，已经放进{who}的生日清单",
    "给{k}颗星，剩下的看以后耐不耐用",
    "希望店家一直保持这样的做工",
    "预算在{n}元上下的可以放心选",
)
SLOTS: dict[str, tuple[str, ...]] = {
    "who": ("妈妈", "外公", "室友", "表妹", "丈母娘", "邻居老李", "刚上学的儿子", "隔壁组的小陈"),
    "place": ("办公室", "露营地", "奶奶家", "图书馆", "健身房", "学校宿舍", "海边", "阳台"),
    "color": ("米白色", "墨绿色", "雾蓝色", "深灰色", "奶茶色"),
}
HOMOPHONES = (
    ("的", "得"),
    ("在", "再"),
    ("做", "作"),
    ("已", "以"),
    ("很", "狠"),
    ("像", "象"),
    ("刚", "钢"),
)
FILLERS = ("顺便说一句，", "说实话，", "补充一点，")
EXTRA = ("以上都是个人感受", "照片随后补上", "希望能帮到正在挑选的人", "这条评价没有收任何好处")


def base(rng: random.Random) -> str:
    """One comment: an opening, two remarks on the goods, and whatever else came to mind."""
    good = rng.choice(list(GOODS))
    parts = [rng.choice(OPENINGS), *rng.sample(GOODS[good], 2)]
    parts += [rng.choice(SERVICE), rng.choice(PEOPLE), rng.choice(CLOSINGS)]
    slots = {name: rng.choice(words) for name, words in SLOTS.items()}
    numbers = {"n": rng.randint(11, 298), "k": rng.randint(2, 6), "month": rng.randint(1, 12)}
    return "，".join(parts).format(good=good, **slots, **numbers) + "。"


def typos(rng: random.Random, text: str) -> str:
    """One character dropped and two neighbours swapped."""
    cut = rng.randrange(1, len(text) // 2)
    text = text[:cut] + text[cut + 1 :]
    swap = rng.randrange(len(text) // 2, len(text) - 2)
    return text[:swap] + text[swap + 1] + text[swap] + text[swap + 2 :]


def width(_rng: random.Random, text: str) -> str:
    """Half-width punctuation, as some keyboards write it."""
    return text.translate(str.maketrans("，。", ",."))


def full_width_digits(_rng: random.Random, text: str) -> str:
    """Digits as wide as a Chinese character; a text without digits gets wide spaces."""
    wide = re.sub(r"[0-9]", lambda match: chr(ord(match[0]) + 0xFEE0), text)
    return wide if wide != text else text.replace("，", "，\u3000")


def inserted(rng: random.Random, text: str) -> str:
    """A sentence more at the end."""
    return text + rng.choice(FILLERS) + rng.choice(EXTRA) + "。"


def homophones(rng: random.Random, text: str) -> str:
    """Up to two characters written as another of the same sound."""
    for right, wrong in rng.sample(
        [pair for pair in HOMOPHONES if pair[0] in text] or HOMOPHONES, 1
    ):
        text = text.replace(right, wrong, 2)
    return text


def reordered(rng: random.Random, text: str) -> str:
    """Two neighbouring clauses change places."""
    clauses = text.rstrip("。").split("，")
    at = rng.randrange(1, len(clauses) - 1)
    clauses[at], clauses[at + 1] = clauses[at + 1], clauses[at]
    return "，".join(clauses) + "。"


CHANGES: tuple[Callable[[random.Random, str], str], ...] = (
    typos,
    width,
    full_width_digits,
    inserted,
    homophones,
    reordered,
)


def shingles(text: str) -> set[tuple[str, ...]]:
    """Three words in a row; a Han character is a word (normalised by nfkc and casefold)."""
    words = re.findall(
        r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+", unicodedata.normalize("NFKC", text).casefold()
    )
    return {tuple(words[i : i + 3]) for i in range(len(words) - 2)}


def jaccard(a: set[tuple[str, ...]], b: set[tuple[str, ...]]) -> float:
    """Common shingles over all shingles."""
    return len(a & b) / len(a | b)


def make(seed: int = SEED) -> tuple[list[dict[str, str]], list[tuple[str, str, str, float]]]:
    """The documents in their final order, and the planted pairs with their change and Jaccard."""
    rng = random.Random(seed)
    bases: list[str] = []
    seen: list[set[tuple[str, ...]]] = []
    while len(bases) < BASES:
        text = base(rng)
        cut = shingles(text)
        if all(jaccard(cut, other) < 0.6 for other in seen):
            bases.append(text)
            seen.append(cut)
    texts = list(bases)
    planted = []
    for number, origin in enumerate(rng.sample(range(BASES), VARIANTS)):
        change = CHANGES[number % len(CHANGES)]
        copy = change(rng, bases[origin])
        while copy == bases[origin]:  # nothing there to change in this way: take another
            change = rng.choice(CHANGES)
            copy = change(rng, bases[origin])
        planted.append((origin, len(texts), change.__name__))
        texts.append(copy)
    order = list(range(len(texts)))
    rng.shuffle(order)
    names = {old: f"zh-{new:04d}" for new, old in enumerate(order)}
    documents = [{"id": names[old], "text": texts[old]} for old in order]
    pairs = []
    for origin, copy, change_name in planted:
        a, b = sorted((names[origin], names[copy]))
        pairs.append((a, b, change_name, jaccard(shingles(texts[origin]), shingles(texts[copy]))))
    return documents, sorted(pairs)


def main() -> None:
    """Write both files beside this script."""
    here = Path(__file__).parent
    documents, pairs = make()
    lines = (json.dumps(document, ensure_ascii=False) + "\n" for document in documents)
    (here / "comments-zh.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    rows = (f"{a}\t{b}\t{similarity:.6f}\t{change}\n" for a, b, change, similarity in pairs)
    head = "id_a\tid_b\tjaccard\tchange\n"
    (here / "comments-zh.pairs.tsv").write_text(
        head + "".join(rows), encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    main()
