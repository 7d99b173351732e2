#![no_main]

#[path = "../targets/groupware_json.rs"]
mod groupware_json;

libfuzzer_sys::fuzz_target!(|data: &[u8]| groupware_json::run(data));
