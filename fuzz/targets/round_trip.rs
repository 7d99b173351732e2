//! What is encoded reads as what was encoded.

use portreeve::game::{Message, Response, ServerMessage, json};

pub(crate) fn run(data: &[u8]) {
    if let Ok(response) = Response::parse(data) {
        let bytes = response.to_vec();
        assert_eq!(bytes.len(), response.encoded_len());
        let again = Response::parse(&bytes).unwrap();
        assert_eq!(again.to_vec(), bytes);
        assert_eq!(json::to_string(&again).ok(), json::to_string(&response).ok());
    }
    if let Ok(message) = ServerMessage::parse(data) {
        let bytes = message.to_vec();
        assert_eq!(bytes.len(), message.encoded_len());
        let again = ServerMessage::parse(&bytes).unwrap();
        assert_eq!(again.to_vec(), bytes);
        assert_eq!(json::to_string(&again).ok(), json::to_string(&message).ok());
    }
}
