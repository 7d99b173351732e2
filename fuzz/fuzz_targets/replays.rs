#![no_main]

#[path = "../targets/message.rs"]
mod message;
#[path = "../targets/replays.rs"]
mod replays;

libfuzzer_sys::fuzz_target!(|data: &[u8]| replays::run(data));
