//! Reading an answer's head, its extensions and its unknown fields, whatever the bytes; errors have
//! an offset.

use portreeve::game::{PayloadKind, Response, ServerMessage};

pub(crate) fn run(data: &[u8]) {
    match Response::parse(data) {
        Ok(response) => {
            let mut numbers = response.extensions().map(|(number, _)| number);
            let known = numbers.find_map(PayloadKind::from_number);
            assert_eq!(response.kind(), known);
            for field in response.unknown_fields().iter() {
                assert!(data.as_ptr_range().contains(&field.bytes.as_ptr()));
            }
            assert_eq!(
                response.code().is_some(),
                response.raw_code().is_some() && response.code().is_some()
            );
        }
        Err(error) => {
            assert!(error.offset() <= data.len());
            let _ = error.to_string();
        }
    }
    if let Ok(message) = ServerMessage::parse(data) {
        let _ = message.response();
        let _ = (message.session_event(), message.room_event(), message.game_event_container());
    }
}
