#![no_main]

#[path = "../targets/game_input.rs"]
mod game_input;

libfuzzer_sys::fuzz_target!(|data: &[u8]| game_input::run(data));
