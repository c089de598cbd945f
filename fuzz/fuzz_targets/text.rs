//! libFuzzer's way into `neardup_fuzz::text`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::text::run(data));
