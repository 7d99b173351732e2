//! The messages of a server, from the same JSON as in scripts.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::game::client::message_from_json;
use crate::game::runtime::decode::Decode;
use crate::game::schema::{ResponseCode, ServerMessage};

/// What a command is answered with: `RespOk` and the payload `Response_…` of this name, if any, or why it is refused.
pub(super) type Reply = Result<Option<(&'static str, Value)>, ResponseCode>;

pub(super) fn answer(cmd_id: u64, reply: Reply) -> Bytes {
    let code = reply.as_ref().err().unwrap_or(&ResponseCode::RespOk);
    let mut response = json!({"cmd_id": cmd_id, "response_code": code.name()});
    if let Ok(Some((name, payload))) = reply {
        response[format!("[Response_{name}.ext]")] = payload;
    }
    encode(&json!({"message_type": "RESPONSE", "response": response}))
}

pub(super) fn session_event(name: &str, event: Value) -> Bytes {
    let event = json!({format!("[Event_{name}.ext]"): event});
    encode(&json!({"message_type": "SESSION_EVENT", "session_event": event}))
}

pub(super) fn room_event(room: i32, name: &str, event: Value) -> Bytes {
    let event = json!({"room_id": room, format!("[Event_{name}.ext]"): event});
    encode(&json!({"message_type": "ROOM_EVENT", "room_event": event}))
}

fn encode(message: &Value) -> Bytes {
    let message = message.as_object().expect("a message is an object");
    let bytes = message_from_json(ServerMessage::DESCRIPTION, message);
    bytes.expect("this server knows the schema").into()
}
