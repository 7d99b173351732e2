#![no_main]

#[path = "../targets/parse.rs"]
mod parse;

libfuzzer_sys::fuzz_target!(|data: &[u8]| parse::run(data));
