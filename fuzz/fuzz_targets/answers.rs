//! libFuzzer's way into `neardup_fuzz::answers`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::answers::run(data));
