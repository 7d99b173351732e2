#![no_main]

#[path = "../targets/forward.rs"]
mod forward;
#[allow(dead_code, unused_imports)]
#[path = "../../src/labels.rs"]
mod labels;

libfuzzer_sys::fuzz_target!(|data: &[u8]| forward::run(data));
