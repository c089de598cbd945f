//! libFuzzer's way into `neardup_fuzz::columns`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::columns::run(data));
