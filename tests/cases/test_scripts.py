"""Scripts of the world: forms of one letter, Chinese without spaces, marks; no corpus collapses."""

from __future__ import annotations

import random
import unicodedata

import pytest

VIETNAMESE = [
    "Hội đồng nhân dân thành phố họp vào sáng thứ hai để bàn về ngân sách năm tới",
    "Trời hôm nay đẹp quá, chúng ta đi dạo quanh hồ rồi uống cà phê nhé",
]


def test_composed_and_decomposed_are_one(ask):
    texts = [unicodedata.normalize(form, text) for text in VIETNAMESE for form in ("NFC", "NFD")]
    answer = ask(texts)
    assert answer.kept_rows == [0, 2]
    assert {row["reason"] for row in answer.removed} == {"exact"}
    assert ask(texts, normalize="none").kept_rows == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("wide", "plain"), [("ＡＢＣ１２３", "ABC123"), ("ﬁne ﬂow", "fine flow"), ("ｶﾀｶﾅ", "カタカナ")]
)
def test_full_width_is_folded_under_nfkc_only(ask, wide, plain):
    assert ask([wide, plain], normalize="nfkc").kept_rows == [0]
    assert ask([wide, plain], normalize="nfc").kept_rows == [0, 1]


@pytest.mark.parametrize(
    ("shingle", "similarity"),
    [("word:1", 1 / 3), ("char:1", 1 / 3), ("byte:3", 1 / 3), ("whitespace:1", 0), ("line:1", 0)],
)
def test_two_han_characters_have_tokens(ask, shingle, similarity):
    answer = ask(["你好", "你坏"], shingle=shingle, threshold=0.1, bands=128, rows=1)
    assert answer.summary["no_token"] == 0
    assert [pair["similarity"] for pair in answer.pairs] == [similarity] * bool(similarity)


def test_two_of_seven_bigrams(ask):
    answer = ask(
        ["我喜欢健身", "我喜欢普洱茶"], shingle="char:2", threshold=0.28, bands=128, rows=1
    )
    assert [pair["similarity"] for pair in answer.pairs] == [2 / 7]


COMMENTS = [
    "这家店的服务态度非常好发货速度也很快包装完整没有破损下次还会再来买",
    "手机用了一个星期感觉电池续航不错屏幕清晰拍照效果比我想象的要好很多",
    "酒店位置离地铁站很近早餐种类丰富房间干净整洁前台人员热情推荐大家住",
]


def test_two_typos_in_thirty_characters(ask):
    texts = []
    for comment in COMMENTS:
        assert len(comment) >= 30
        texts += [comment, comment[:9] + "某" + comment[10:21] + "某" + comment[22:]]
    answer = ask(texts, shingle="char:2", threshold=0.6)
    assert answer.kept_rows == [0, 2, 4]


SCRIPTS = {
    "Arabic": ("ابتثجحخدذرزسشصضطظعغفقكلمنهوي", "َُِّ"),
    "Thai": ("กขคงจฉชซญดตถทธนบปผพฟภมยรลวสหอฮ", "ะาิีึืุูเแโ่้"),
    "Hindi": ("कखगघचछजझटठडढतथदधनपफबभमयरलवशषसह", "ािीुूेैोौं्"),
    "Korean": ("".join(map(chr, range(0xAC00, 0xAC00 + 11_000, 37))), ""),
    "Japanese": (
        "あいうえおかきくけこさしすせそたちつてとなにぬねの東京都市大学生日本語車電話",
        "カタナハマヤラワ",
    ),
    "Chinese": (
        "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里",
        "",
    ),
    "Burmese": ("ကခဂဃငစဆဇညတထဒဓနပဖဗဘမယရလဝသဟအ", "ါာိီုူေဲံ့း"),
    "Greek": ("αβγδεζηθικλμνξοπρστυφχψω", ""),
}


def sentences(script, count, seed=1):
    """Distinct sentences of eight to sixteen made words, marks after the letters."""
    rng, (letters, marks) = random.Random(seed), SCRIPTS[script]

    def syllable():
        mark = rng.choice(marks) if marks and rng.random() < 0.6 else ""
        return rng.choice(letters) + mark

    def word():
        return "".join(syllable() for _ in range(rng.randint(2, 5)))

    space = "" if script in ("Thai", "Japanese", "Chinese", "Burmese") else " "
    made = {space.join(word() for _ in range(rng.randint(8, 16))) for _ in range(count)}
    assert len(made) == count
    return sorted(made)


@pytest.mark.parametrize("script", SCRIPTS)
def test_distinct_sentences_stay(ask, script):
    answer = ask(sentences(script, 1000))
    assert answer.summary["removed"] == 0
    assert answer.summary["no_token"] == 0


@pytest.mark.parametrize("shingle", ["word:1", "char:3", "byte:4", "whitespace:1"])
@pytest.mark.parametrize("script", ["Hindi", "Thai", "Arabic"])
def test_under_other_shingles(ask, script, shingle):
    assert ask(sentences(script, 1000, seed=2), shingle=shingle).summary["removed"] == 0
