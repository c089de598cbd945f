//! libFuzzer's way into `neardup_fuzz::bands`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::bands::run(data));
