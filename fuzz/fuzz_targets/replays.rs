//! Replays: read, checked, shown, encoded again.

#![no_main]

#[path = "../shared/message.rs"]
mod message;

use libfuzzer_sys::fuzz_target;
use portreeve::game::{GameReplay, Message, json};

fuzz_target!(|data: &[u8]| {
    let Ok(message) = GameReplay::parse(data) else {
        return;
    };
    let (bytes, written) = message::hold(&message);
    let again = GameReplay::parse(&bytes).unwrap();
    assert_eq!(again.to_vec(), bytes);
    assert_eq!(json::to_string(&again).ok(), written);
});
