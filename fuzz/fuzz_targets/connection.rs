#![no_main]

#[path = "../targets/connection.rs"]
mod connection;

libfuzzer_sys::fuzz_target!(|data: &[u8]| connection::run(data));
