//! libFuzzer's way into `neardup_fuzz::jsonl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::jsonl::run(data));
