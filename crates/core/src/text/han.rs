//! Chinese characters: traditional to simplified by OpenCC's table, and readings without tones.
//!
//! Both look at one character at a time. `t2s` takes the first of the simplified characters that
//! `data/TSCharacters.txt` (OpenCC, Apache-2.0) gives; `pinyin` the first reading of the crate
//! `pinyin`, in ASCII letters, with `v` for the vowel of nv as it is typed, and nothing in between:
//! so a word written by its sound is the word.

use std::collections::HashMap;
use std::sync::OnceLock;

use pinyin::ToPinyin;

const TABLE: &str = include_str!("../../data/TSCharacters.txt");

/// Versions of the table and of the crate: part of a text spec's identity.
pub const T2S_VERSION: &str = "opencc-1.4.2";
/// See [`T2S_VERSION`].
pub const PINYIN_VERSION: &str = "pinyin-0.11.0";

/// The simplified character of a traditional one; any other is itself.
pub fn simplified(c: char) -> char {
    static PAIRS: OnceLock<HashMap<char, char>> = OnceLock::new();
    let pairs = PAIRS.get_or_init(|| {
        let pair = |line: &str| {
            let (from, to) = line.split_once('\t')?;
            from.chars().next().filter(|&c| c != '#').zip(to.chars().next())
        };
        TABLE.lines().filter_map(pair).collect()
    });
    pairs.get(&c).copied().unwrap_or(c)
}

/// Appends the reading of a character, or the character if it has none.
pub fn push_pinyin(c: char, out: &mut String) {
    let Some(reading) = c.to_pinyin() else { return out.push(c) };
    let letters = reading.plain().chars().filter_map(|letter| match letter {
        'a'..='z' => Some(letter),
        'ü' => Some('v'),
        'ê' => Some('e'),
        'ḿ' => Some('m'),
        'ń' | 'ň' | 'ǹ' => Some('n'),
        _ => None, // a tone on its own
    });
    out.extend(letters);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, step: impl Fn(char, &mut String)) -> String {
        text.chars().fold(String::new(), |mut out, c| {
            step(c, &mut out);
            out
        })
    }

    #[test]
    fn examples() {
        let t2s = |c: char, out: &mut String| out.push(simplified(c));
        assert_eq!(of("漢字與資訊網絡，後來", t2s), "汉字与资讯网络，后来");
        assert_eq!(of("汉字 abc", t2s), "汉字 abc");
        for (text, expected) in [
            ("微信", "weixin"),
            ("薇信", "weixin"),
            ("女人", "nvren"),
            ("绿", "lv"),
            ("装", "zhuang"),
            ("拼音abc，한", "pinyinabc，한"),
            ("〇", "ling"),
        ] {
            assert_eq!(of(text, push_pinyin), expected);
        }
    }

    /// Every reading is ASCII, and none is empty.
    #[test]
    fn every_reading_is_letters() {
        for c in (0x3000..0x3_2000u32).filter_map(char::from_u32) {
            let mut out = String::new();
            push_pinyin(c, &mut out);
            let letters = !out.is_empty() && out.bytes().all(|b| b.is_ascii_lowercase());
            assert!(letters || out.chars().eq([c]), "{c} {out:?}");
        }
    }

    #[test]
    fn every_pair_of_the_table() {
        let pairs: Vec<&str> = TABLE.lines().filter(|line| line.contains('\t')).collect();
        assert_eq!(pairs.len(), 4148);
        for pair in pairs {
            let mut parts = pair.split(['\t', ' ']).map(|part| part.chars().next().unwrap());
            let (from, to) = (parts.next().unwrap(), parts.next().unwrap());
            assert_eq!(simplified(from), to);
        }
    }
}
