//! What specs and shinglers must hold to.

use super::tokenize::{UNITS, Unit};
use super::*;
use crate::hash;

const DEFAULT: &str = "nfkc,casefold,collapse-space";

fn shingler(normalize: &str, shingle: &str) -> Shingler {
    Shingler::new(&TextSpec::parse(normalize, shingle, "xxh3").unwrap())
}

/// `size` above the least of a unit.
fn shingle_of(unit: Unit, size: usize) -> String {
    format!("{}:{}", unit.name, unit.numbers().0[0] + size - 1)
}

fn options<'a>(shingle: &'a str) -> Options<'a> {
    Options {
        normalize: DEFAULT,
        shingle,
        hash: "xxh3",
        key: None,
        stopwords: None,
        stem: None,
        fraction: None,
        tokenizer: None,
    }
}

/// Whatever changes shingles changes the identity, and each thing is named.
#[test]
fn identities_tell_all_apart() {
    let plain = options("word:3");
    let others = [
        plain,
        Options { hash: "murmur3", ..plain },
        Options { hash: "siphash", key: Some([1; 16]), ..plain },
        Options { hash: "siphash", key: Some([2; 16]), ..plain },
        Options { stopwords: Some("en"), ..plain },
        Options { stem: Some("en"), ..plain },
        Options { stem: Some("porter"), ..plain },
        Options { fraction: Some(0.5), ..plain },
        Options { fraction: Some(0.25), ..plain },
        Options { tokenizer: Some("jieba"), ..plain },
        Options { normalize: "t2s", ..plain },
        Options { normalize: "pinyin", ..plain },
        options("chunk:300"),
        options("chunk:301"),
    ];
    let identities: Vec<String> =
        others.iter().map(|&options| TextSpec::new(options).unwrap().identity()).collect();
    let distinct: std::collections::HashSet<&String> = identities.iter().collect();
    assert_eq!(distinct.len(), others.len());
    let all = Options { stopwords: Some("en"), stem: Some("en"), fraction: Some(0.5), ..plain };
    let expected = "normalize=nfkc,casefold,collapse-space;shingle=word:3;hash=xxh3;unicode=18.0;\
                    stopwords=en@stop-words-0.10.1;stem=en@snowball_stemmers_rs-1.0.1;fraction=0.5";
    assert_eq!(TextSpec::new(all).unwrap().identity(), expected);
}

#[test]
fn what_needs_words_says_so() {
    for shingle in ["char:3", "byte:3", "line:1", "chunk:4096"] {
        for bad in [
            Options { stem: Some("en"), ..options(shingle) },
            Options { stopwords: Some("en"), ..options(shingle) },
            Options { tokenizer: Some("jieba"), ..options(shingle) },
        ] {
            let message = TextSpec::new(bad).err().unwrap().to_string();
            assert!(message.contains(shingle) && message.contains("word:N"), "{message}");
        }
    }
}

#[test]
fn words_are_filtered_before_they_are_shingled() {
    let with = Options { stopwords: Some("en"), stem: Some("en"), ..options("word:2") };
    for hash in ["xxh3", "murmur3_32"] {
        let mut one = Shingler::new(&TextSpec::new(Options { hash, ..with }).unwrap());
        let mut plain = Shingler::new(&TextSpec::parse(DEFAULT, "word:2", hash).unwrap());
        for text in ["The fishing of the boats", "the boats fished", "the", ""].repeat(3) {
            let left = one.tokens(text);
            let document = one.run(text);
            assert_eq!(document.tokens, left.len());
            assert_eq!(document.shingles, plain.run(&left.join(" ")).shingles);
            assert_eq!(one.words(), text.split_whitespace().count());
        }
    }
}

#[test]
fn given_tokens_stand_for_those_of_the_unit() {
    let with = Options { tokenizer: Some("jieba"), ..options("word:2") };
    let mut one = Shingler::new(&TextSpec::new(with).unwrap());
    let mut tokens = given::Tokens::default();
    ["我", "喜欢", " ", "健身"].iter().for_each(|token| tokens.push(token));
    tokens.end_row();
    let document = one.run(Input { text: "我喜欢 健身", tokens: Some(tokens.row(0)) });
    let words = ["我", "喜欢", "健身"].map(|word| hash::token(word.as_bytes()));
    let mut expected = words.to_vec();
    shingle::shingle(Tier::SCALAR, words::UNIT, 2, &mut expected);
    assert_eq!((document.tokens, document.shingles), (3, expected.as_slice()));
    assert_eq!(one.words(), 5);
}

#[test]
fn a_fraction_keeps_the_same_shingles_of_every_text() {
    let with = Options { fraction: Some(0.25), ..options("word:1") };
    let mut some = Shingler::new(&TextSpec::new(with).unwrap());
    let mut all = shingler(DEFAULT, "word:1");
    let text = (0..2000).map(|i| format!("w{i} ")).collect::<String>();
    let (half, _) = text.split_at(text.len() / 2);
    let whole = some.set(&text).to_vec();
    assert!(some.set(half).iter().all(|x| whole.contains(x)));
    assert!(whole.iter().all(|x| all.set(&text).contains(x)));
    assert!((400..600).contains(&whole.len()), "{}", whole.len());
    assert_eq!(some.run(&text).tokens, 2000);
}

#[test]
fn identity_is_canonical() {
    let spec = TextSpec::parse("nfkc, casefold", "word:3", "xxh3").unwrap();
    let expected = "normalize=nfkc,casefold;shingle=word:3;hash=xxh3;unicode=18.0";
    assert_eq!(spec.identity(), expected);
}

#[test]
fn errors_list_what_is_valid() {
    for bad in ["word", "word:0", "word:+3", "word:", "word:1001", "chunk:9", "Word:3", "word:3 "] {
        let message = TextSpec::parse(DEFAULT, bad, "xxh3").err().unwrap().to_string();
        assert!(message.contains("whitespace:N") && message.contains(bad), "{message}");
    }
    let message = TextSpec::parse(DEFAULT, "word:3", "md5").err().unwrap().to_string();
    assert!(message.contains("xxh3"), "{message}");
}

#[test]
fn words_of_a_sentence() {
    let mut shingler = shingler(DEFAULT, "word:3");
    let document = shingler.run("  The CAT\u{a0}sat, the ﬁsh: ");
    assert_eq!(document.normalized, "the cat sat, the fish:".as_bytes());
    assert_eq!((document.tokens, document.shingles.len()), (5, 3));
    assert_eq!(shingler.tokens("The CAT"), ["the", "cat"]);
    assert_eq!(shingler.run("Cat").shingles, [hash::token(b"cat")]);
    assert_eq!(shingler.set("a b c a b c a b").len(), 3);
}

#[test]
fn chars_collapse_even_under_none() {
    assert_eq!(shingler("none", "char:2").tokens(" a \n b"), ["a", " ", "b"]);
    assert_eq!(shingler("none", "char:2").normalize(" a \n b"), " a \n b");
    assert_eq!(shingler("remove-space", "char:2").tokens(" a \n b"), ["a", "b"]);
    assert_eq!(shingler("collapse-space,remove-punct", "char:2").tokens("a - b").len(), 3);
    assert_eq!(shingler("none", "byte:2").tokens(" é"), ["20", "c3", "a9"]);
    let (mut one, mut other) = (shingler(DEFAULT, "char:2"), shingler(DEFAULT, "char:2"));
    let (a, b) = (one.set("我喜欢健身"), other.set("我喜欢普洱茶"));
    let both = a.iter().filter(|x| b.contains(x)).count();
    assert_eq!((both, a.len() + b.len() - both), (2, 7));
}

#[test]
fn numbers_and_words_of_any_spec() {
    for shingle in ["word:3", "char:2", "line:1"] {
        let mut one = shingler(DEFAULT, shingle);
        one.run("Pay 40 EUR by 2024年3月, not 41; 40 is ４０ and v2");
        assert_eq!(one.words(), 15);
        let mut expected: Vec<u64> =
            [&b"40"[..], b"2024", b"3", b"41", b"v2"].map(hash::token).into();
        expected.sort_unstable();
        assert_eq!(one.numbers(), expected);
        one.run("no figures here");
        assert!(one.numbers().is_empty());
    }
}

#[test]
fn blank_texts_have_no_token_under_any_spec() {
    for normalize in ["none", DEFAULT, "remove-space,nfkc", "remove-punct", "mask-digits,lower"] {
        for unit in UNITS {
            for size in [1, 3, 9] {
                let mut shingler = shingler(normalize, &shingle_of(unit, size));
                for blank in ["", " ", "\r\n\t \u{3000}\u{85}\u{1c}", &" \n".repeat(500)] {
                    let document = shingler.run(blank);
                    assert_eq!((document.tokens, document.shingles.len()), (0, 0));
                }
            }
        }
    }
}

#[test]
fn every_tier_gives_the_same_document() {
    let text = "Ünïcode and plain ASCII, 字字 and a-long-token_of_more_than_16_bytes\n\n\t end. ";
    for unit in UNITS {
        for size in [1, 2, 3, 5, 12] {
            for normalize in ["none", DEFAULT, "lower", "strip-accents,remove-punct"] {
                let shingle = shingle_of(unit, size);
                let spec = TextSpec::parse(normalize, &shingle, "xxh3").unwrap();
                let all: Vec<_> = Tier::available()
                    .into_iter()
                    .map(|tier| {
                        let mut shingler = Shingler::with_tier(&spec, tier);
                        let document = shingler.run(&text.repeat(40));
                        (document.normalized.to_vec(), document.shingles.to_vec())
                    })
                    .collect();
                assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
            }
        }
    }
}
