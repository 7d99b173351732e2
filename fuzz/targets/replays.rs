//! Replays: read, checked, shown, encoded again.

use portreeve::game::{GameReplay, Message, json};

use crate::message;

pub(crate) fn run(data: &[u8]) {
    let Ok(message) = GameReplay::parse(data) else {
        return;
    };
    let (bytes, written) = message::hold(&message, data);
    let again = GameReplay::parse(&bytes).unwrap();
    assert_eq!(again.to_vec(), bytes);
    assert_eq!(json::to_string(&again).ok(), written);
}
