//! What servers send, events of every kind above all: read, checked, shown, encoded again.

use portreeve::game::{Message, ServerMessage, json};

use crate::message;

pub(crate) fn run(data: &[u8]) {
    let Ok(message) = ServerMessage::parse(data) else {
        return;
    };
    let (bytes, written) = message::hold(&message, data);
    let again = ServerMessage::parse(&bytes).unwrap();
    assert_eq!(again.to_vec(), bytes);
    assert_eq!(json::to_string(&again).ok(), written);
    if let Ok(Some(event)) = message.session_event() {
        let _ = event.payload().map(|payload| (payload, event.kind()));
    }
    if let Ok(Some(event)) = message.room_event() {
        let _ = event.payload().map(|payload| (payload, event.kind()));
    }
    if let Ok(Some(container)) = message.game_event_container() {
        for event in container.event_list().flatten() {
            let payload = event.payload();
            // A kind without a payload cannot be; a payload that cannot be read has a kind.
            assert!(!matches!((payload, event.kind()), (Ok(None), Some(_)) | (Ok(Some(_)), None)));
        }
    }
}
