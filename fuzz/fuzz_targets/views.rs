#![no_main]

#[path = "../targets/message.rs"]
mod message;
#[path = "../targets/views.rs"]
mod views;

libfuzzer_sys::fuzz_target!(|data: &[u8]| views::run(data));
