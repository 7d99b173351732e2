#![no_main]

#[path = "../targets/event_filter.rs"]
mod event_filter;

libfuzzer_sys::fuzz_target!(|data: &[u8]| event_filter::run(data));
