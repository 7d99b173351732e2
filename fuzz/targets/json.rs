//! What is written as JSON is JSON, and is written exactly if the full check passes.

use portreeve::game::{Response, ServerMessage};

use crate::message;

pub(crate) fn run(data: &[u8]) {
    if let Ok(response) = Response::parse(data) {
        message::hold(&response, data);
    }
    if let Ok(message) = ServerMessage::parse(data) {
        message::hold(&message, data);
    }
}
