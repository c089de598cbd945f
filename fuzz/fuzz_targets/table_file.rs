//! libFuzzer's way into `neardup_fuzz::table_file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| neardup_fuzz::table_file::run(data));
