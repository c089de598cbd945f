//! libFuzzer's way into `neardup_fuzz::csv`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::csv::run(data));
