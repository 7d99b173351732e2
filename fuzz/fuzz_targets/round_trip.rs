#![no_main]

#[path = "../targets/round_trip.rs"]
mod round_trip;

libfuzzer_sys::fuzz_target!(|data: &[u8]| round_trip::run(data));
