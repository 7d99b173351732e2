#![no_main]

#[path = "../targets/owned.rs"]
mod owned;

libfuzzer_sys::fuzz_target!(|data: &[u8]| owned::run(data));
