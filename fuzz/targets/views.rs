//! Every view, reached as the getters do: values, text, sub-messages, elements, the depth
//! of a tree left to the reader's own limits. Text is accepted if and only if it is UTF-8, and a
//! message that passes the full check can be read.

use portreeve::game::{Response, ServerMessage, check};

use crate::message;

pub(crate) fn run(data: &[u8]) {
    if let Ok(response) = Response::parse(data) {
        message::hold(&response, data);
        let payload = response.payload();
        if check::<Response<'_>>(data).is_ok() {
            payload.unwrap();
        }
    }
    if let Ok(message) = ServerMessage::parse(data) {
        message::hold(&message, data);
    }
}
