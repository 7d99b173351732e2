use super::user::User;
use crate::game::runtime::macros::message;

message! {
    /// A game in a room.
    pub struct Game = "ServerInfo_Game" {
        /// Number of the server.
        server_id: optional sint32 = 1, default -1;
        /// Number of the room.
        room_id: optional sint32 = 2, default -1;
        /// Number of the game.
        game_id: optional sint32 = 3, default -1;
        /// What its creator calls it.
        description: optional string = 4;
        /// Whether players need a password.
        with_password: optional bool = 5;
        /// Seats.
        max_players: optional uint32 = 6;
        /// Numbers of the room's kinds that it is of.
        game_types: repeated sint32 = 7;
        /// Who made it.
        creator_info: optional message User = 8;
        /// Whether only buddies of the creator may join.
        only_buddies: optional bool = 9;
        /// Whether only registered users may join.
        only_registered: optional bool = 10;
        /// Whether it may be watched.
        spectators_allowed: optional bool = 11;
        /// Whether spectators need the password.
        spectators_need_password: optional bool = 12;
        /// Whether spectators may talk.
        spectators_can_chat: optional bool = 13;
        /// Whether spectators see hidden cards.
        spectators_omniscient: optional bool = 14;
        /// Whether deck lists are shown to all when loaded.
        share_decklists_on_load: optional bool = 15;
        /// Players at the table.
        player_count: optional uint32 = 30;
        /// Spectators.
        spectators_count: optional uint32 = 31;
        /// Whether it has begun.
        started: optional bool = 50;
        /// When it was made, in seconds since 1970.
        start_time: optional uint32 = 51;
        /// Whether it is over.
        closed: optional bool = 52;
        /// Who may change it now.
        host_info: optional message User = 53;
    }

    /// A kind of game that a room offers.
    pub struct GameType = "ServerInfo_GameType" {
        /// Number of the kind within the room.
        game_type_id: optional sint32 = 1;
        /// Name of the kind.
        description: optional string = 2;
    }
}
