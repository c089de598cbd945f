//! libFuzzer's way into `neardup_fuzz::json_array`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::json_array::run(data));
