use crate::game::runtime::macros::message;

message! {
    /// Leaves the room.
    pub struct LeaveRoom = "Command_LeaveRoom" {}

    /// Says something in the room.
    pub struct RoomSay = "Command_RoomSay" {
        /// The text.
        message: optional string = 1;
    }

    /// Makes a game in the room, and joins it.
    pub struct CreateGame = "Command_CreateGame" {
        /// What it is called.
        description: optional string = 1;
        /// Password of the game.
        password: optional string = 2, is secret;
        /// Seats.
        max_players: optional uint32 = 3;
        /// Whether only buddies may join.
        only_buddies: optional bool = 4;
        /// Whether only registered users may join.
        only_registered: optional bool = 5;
        /// Whether it may be watched.
        spectators_allowed: optional bool = 6;
        /// Whether spectators need the password.
        spectators_need_password: optional bool = 7;
        /// Whether spectators may talk.
        spectators_can_talk: optional bool = 8;
        /// Whether spectators see hidden cards.
        spectators_see_everything: optional bool = 9;
        /// Numbers of the room's kinds that it is of.
        game_type_ids: repeated uint32 = 10;
        /// Whether to join as a judge.
        join_as_judge: optional bool = 11;
        /// Whether to join as a spectator.
        join_as_spectator: optional bool = 12;
        /// Life at the start.
        starting_life_total: optional uint32 = 13;
        /// Whether deck lists are shown to all when loaded.
        share_decklists_on_load: optional bool = 14;
    }

    /// Joins a game of the room.
    pub struct JoinGame = "Command_JoinGame" {
        /// Number of the game.
        game_id: optional sint32 = 1, default -1;
        /// Password of the game.
        password: optional string = 2, is secret;
        /// Whether as a spectator.
        spectator: optional bool = 3;
        /// Whether to join in spite of restrictions. For moderators.
        override_restrictions: optional bool = 4;
        /// Whether to join as a judge.
        join_as_judge: optional bool = 5;
    }
}
