#![no_main]

#[path = "../targets/events.rs"]
mod events;
#[path = "../targets/message.rs"]
mod message;

libfuzzer_sys::fuzz_target!(|data: &[u8]| events::run(data));
