use super::{GameEventPayload, RoomEventPayload, SessionEventPayload};
use crate::game::runtime::macros::message;
use crate::game::schema::context::GameEventContext;

message! {
    /// Something about the session.
    pub struct SessionEvent = "SessionEvent" {
        100 to max: SessionEventPayload;
    }

    /// Something in a room.
    pub struct RoomEvent = "RoomEvent" {
        /// Number of the room.
        room_id: optional sint32 = 1;
        100 to max: RoomEventPayload;
    }

    /// Things that happened in a game, in order.
    pub struct GameEventContainer = "GameEventContainer" {
        /// Number of the game.
        game_id: optional uint32 = 1;
        /// What happened.
        event_list: repeated message GameEvent = 2;
        /// What it was part of.
        context: optional message GameEventContext = 3;
        /// Seconds since the game began. Only in recorded games.
        seconds_elapsed: optional uint32 = 4;
        /// Number of the judge who made it happen.
        forced_by_judge: optional uint32 = 5;
    }

    /// Something that happened in a game, mostly what a player did.
    pub struct GameEvent = "GameEvent" {
        /// Number of the player; -1 if nobody did it.
        player_id: optional sint32 = 1, default -1;
        100 to max: GameEventPayload;
    }
}
