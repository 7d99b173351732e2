#![no_main]

#[path = "../targets/authorization.rs"]
mod authorization;

libfuzzer_sys::fuzz_target!(|data: &[u8]| authorization::run(data));
