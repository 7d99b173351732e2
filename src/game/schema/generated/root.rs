// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::event::GameEventContainer;
use crate::game::schema::generated::event::RoomEvent;
use crate::game::schema::generated::event::SessionEvent;
use crate::game::schema::generated::info::Game;
use crate::game::schema::response::Response;

message! {
    /// A recorded game: what `Response_ReplayDownload` holds, and a file `replay_7.cor`.
    pub struct GameReplay = "GameReplay" {
        /// Number of the recording.
        replay_id: optional uint64 = 1;
        /// The game as it was when the recording began.
        game_info: optional message Game = 2;
        /// What happened, with the seconds since the recording began.
        event_list: repeated message GameEventContainer = 3;
        /// Length in seconds.
        duration_seconds: optional uint32 = 4;
    }

    /// The envelope: what each frame of a server holds.
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
    /// What a `ServerMessage` holds.
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
