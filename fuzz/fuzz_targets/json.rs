#![no_main]

#[path = "../targets/json.rs"]
mod json;

libfuzzer_sys::fuzz_target!(|data: &[u8]| json::run(data));
