//! The messages of a server, from the same JSON as in scripts.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::game::client::message_from_json;
use crate::game::runtime::decode::Decode;
use crate::game::runtime::error::{DecodeError, TextError};
use crate::game::schema::{ResponseCode, ServerMessage};

/// The answer to a command.
pub(super) struct Reply(Value);

/// Why a command is not executed.
#[derive(Debug)]
pub(super) enum Failure {
    Refused(ResponseCode),
    /// Its payload cannot be read.
    Unreadable,
}

impl From<ResponseCode> for Failure {
    fn from(code: ResponseCode) -> Self {
        Self::Refused(code)
    }
}

impl From<DecodeError> for Failure {
    fn from(_: DecodeError) -> Self {
        Self::Unreadable
    }
}

impl From<TextError> for Failure {
    fn from(_: TextError) -> Self {
        Self::Unreadable
    }
}

impl From<ResponseCode> for Reply {
    fn from(code: ResponseCode) -> Self {
        Self(json!({"response_code": code.name()}))
    }
}

impl Reply {
    /// An answer with the payload `Response_…` of this name.
    pub(super) fn with(code: ResponseCode, name: &str, payload: Value) -> Self {
        Self(json!({"response_code": code.name(), format!("[Response_{name}.ext]"): payload}))
    }

    /// The answer to the command with this `cmd_id`.
    pub(super) fn to_message(&self, cmd_id: u64) -> Bytes {
        let mut response = self.0.clone();
        response["cmd_id"] = cmd_id.into();
        encode(&json!({"message_type": "RESPONSE", "response": response}))
    }
}

/// An event `Event_…` of the session.
pub(super) fn session_event(name: &str, event: Value) -> Bytes {
    let event = json!({format!("[Event_{name}.ext]"): event});
    encode(&json!({"message_type": "SESSION_EVENT", "session_event": event}))
}

/// An event `Event_…` in a room.
pub(super) fn room_event(room: u32, name: &str, event: Value) -> Bytes {
    let event = json!({"room_id": room, format!("[Event_{name}.ext]"): event});
    encode(&json!({"message_type": "ROOM_EVENT", "room_event": event}))
}

/// An event `Event_…` of a game; `player` is `None` if no player caused it.
pub(super) fn game_event(game: u32, player: Option<i32>, name: &str, event: Value) -> Bytes {
    game_event_in(game, player, name, event, Value::Null)
}

/// The same with a context.
pub(super) fn game_event_in(
    game: u32,
    player: Option<i32>,
    name: &str,
    event: Value,
    context: Value,
) -> Bytes {
    let event = json!({"player_id": player, format!("[Event_{name}.ext]"): event});
    let container = json!({"game_id": game, "context": context, "event_list": [event]});
    encode(&json!({
        "message_type": "GAME_EVENT_CONTAINER",
        "game_event_container": container,
    }))
}

fn encode(message: &Value) -> Bytes {
    let message = message.as_object().expect("a message is an object");
    let bytes = message_from_json(ServerMessage::DESCRIPTION, message);
    bytes.expect("this server knows the schema").into()
}
