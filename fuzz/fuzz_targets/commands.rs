#![no_main]

#[path = "../targets/commands.rs"]
mod commands;
#[path = "../targets/message.rs"]
mod message;

libfuzzer_sys::fuzz_target!(|data: &[u8]| commands::run(data));
