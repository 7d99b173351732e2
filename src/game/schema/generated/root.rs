// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::event::GameEventContainer;
use crate::game::schema::generated::event::RoomEvent;
use crate::game::schema::generated::event::SessionEvent;
use crate::game::schema::generated::info::Game;
use crate::game::schema::response::Response;

message! {
    /// A recorded game, as in a `Response_ReplayDownload` or a file `replay_7.cor`.
    pub struct GameReplay = "GameReplay" {
        /// Number of the recording.
        replay_id: optional uint64 = 1;
        /// The game at the start of the recording.
        game_info: optional message Game = 2;
        /// The events, with the seconds since the recording began.
        event_list: repeated message GameEventContainer = 3;
        /// Duration in seconds.
        duration_seconds: optional uint32 = 4;
    }

    /// The envelope: the message in each frame of a server.
    pub struct ServerMessage = "ServerMessage" {
        /// Which of the other fields is present.
        message_type: optional enum MessageType = 1;
        /// The answer to a command.
        response: optional message Response = 2;
        /// An event of the session.
        session_event: optional message SessionEvent = 3;
        /// Events in a game.
        game_event_container: optional message GameEventContainer = 4;
        /// An event in a room.
        room_event: optional message RoomEvent = 5;
    }
}

enumeration! {
    /// The type of a `ServerMessage`.
    pub enum MessageType {
        /// The answer to a command.
        Response = 0 ("RESPONSE"),
        /// An event of the session.
        SessionEvent = 1 ("SESSION_EVENT"),
        /// Events in a game.
        GameEventContainer = 2 ("GAME_EVENT_CONTAINER"),
        /// An event in a room.
        RoomEvent = 3 ("ROOM_EVENT"),
    }
}
