#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| regate_fuzz::engine::check(data));
