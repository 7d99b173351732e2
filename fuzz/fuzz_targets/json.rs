#![no_main]

#[path = "../targets/json.rs"]
mod json;
#[path = "../targets/message.rs"]
mod message;

libfuzzer_sys::fuzz_target!(|data: &[u8]| json::run(data));
