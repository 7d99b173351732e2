use super::event::{GameEventContainer, RoomEvent, SessionEvent};
use super::response::Response;
use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;

message! {
    /// The envelope: what each frame of a server holds.
    ///
    /// ```
    /// use portreeve::game::event::ServerIdentification;
    /// use portreeve::game::{MessageType, ServerMessage};
    ///
    /// let message = ServerMessage::parse(b"\x08\x01\x1a\x08\xa2\x1f\x05\x0a\x03den")?;
    /// assert_eq!(message.message_type(), MessageType::SessionEvent);
    /// let event = message.session_event()?.expect("it is present");
    /// let server = event.get::<ServerIdentification>()?.expect("it is present");
    /// assert_eq!(server.server_name()?, "den");
    /// assert!(message.response()?.is_none());
    /// # Ok::<(), portreeve::game::DecodeError>(())
    /// ```
    pub struct ServerMessage = "ServerMessage" {
        /// Which of the other fields is there.
        message_type: optional enum MessageType = 1;
        /// The answer to a command.
        response: optional message Response = 2;
        /// Something about the session.
        session_event: optional message SessionEvent = 3;
        /// Something in a game.
        game_event_container: optional message GameEventContainer = 4;
        /// Something in a room.
        room_event: optional message RoomEvent = 5;
    }
}

enumeration! {
    /// What a [`ServerMessage`] holds.
    pub enum MessageType {
        /// The answer to a command.
        Response = 0 ("RESPONSE"),
        /// Something about the session.
        SessionEvent = 1 ("SESSION_EVENT"),
        /// Something in a game.
        GameEventContainer = 2 ("GAME_EVENT_CONTAINER"),
        /// Something in a room.
        RoomEvent = 3 ("ROOM_EVENT"),
    }
}
