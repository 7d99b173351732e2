// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::event::{GameEventContainer, RoomEvent, SessionEvent};
use crate::game::schema::generated::info::Game;
use crate::game::schema::response::Response;

message! {
    GameReplay = "GameReplay", "A recorded game, as in a `Response_ReplayDownload` or a file `replay_7.cor`." {
        replay_id: optional uint64 = 1, "Number of the recording.";
        game_info: optional message Game = 2, "The game at the start of the recording.";
        event_list: repeated message GameEventContainer = 3, "The events, with the seconds since the recording began.";
        duration_seconds: optional uint32 = 4, "Duration in seconds.";
    }

    ServerMessage = "ServerMessage", "The envelope: the message in each frame of a server." {
        message_type: optional enum MessageType = 1, "Which of the other fields is present.";
        response: optional message Response = 2, "The answer to a command.";
        session_event: optional message SessionEvent = 3, "An event of the session.";
        game_event_container: optional message GameEventContainer = 4, "Events in a game.";
        room_event: optional message RoomEvent = 5, "An event in a room.";
    }
}

enumeration! {
    MessageType, "The type of a `ServerMessage`." {
        Response = 0 ("RESPONSE"), "The answer to a command.";
        SessionEvent = 1 ("SESSION_EVENT"), "An event of the session.";
        GameEventContainer = 2 ("GAME_EVENT_CONTAINER"), "Events in a game.";
        RoomEvent = 3 ("ROOM_EVENT"), "An event in a room.";
    }
}
