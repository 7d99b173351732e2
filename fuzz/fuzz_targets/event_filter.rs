#![no_main]

#[path = "../targets/event_filter.rs"]
mod event_filter;
#[allow(dead_code, unused_imports)]
#[path = "../../src/labels.rs"]
mod labels;

libfuzzer_sys::fuzz_target!(|data: &[u8]| event_filter::run(data));
