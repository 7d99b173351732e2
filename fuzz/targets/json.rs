//! What is written as JSON is JSON, and is written exactly if the full check passes.

use portreeve::game::{Message, Response, ServerMessage, check, json};
use serde::de::{Deserialize, IgnoredAny};

pub(crate) fn run(data: &[u8]) {
    if let Ok(response) = Response::parse(data) {
        test(&response);
    }
    if let Ok(message) = ServerMessage::parse(data) {
        test(&message);
    }
}

fn test<'a, M: Message<'a>>(message: &M) {
    let written = json::to_string(message);
    assert_eq!(written.as_ref().err(), check(message).err().as_ref());
    if let Ok(text) = written {
        let mut reader = serde_json::Deserializer::from_str(&text);
        reader.disable_recursion_limit();
        IgnoredAny::deserialize(&mut reader).unwrap();
    }
    let _ = format!("{message:?}");
}
