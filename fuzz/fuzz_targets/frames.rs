#![no_main]

#[path = "../targets/frames.rs"]
mod frames;

libfuzzer_sys::fuzz_target!(|data: &[u8]| frames::run(data));
