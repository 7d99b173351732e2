use super::game::{Game, GameType};
use super::user::User;
use crate::game::runtime::macros::message;

message! {
    /// A room.
    pub struct Room = "ServerInfo_Room" {
        /// Number of the room.
        room_id: optional sint32 = 1;
        /// Name.
        name: optional string = 2;
        /// What it is for.
        description: optional string = 3;
        /// Games in it.
        game_count: optional uint32 = 4;
        /// Users in it.
        player_count: optional uint32 = 5;
        /// Whether clients join it by themselves.
        auto_join: optional bool = 6;
        /// The games.
        game_list: repeated message Game = 7;
        /// The users.
        user_list: repeated message User = 8;
        /// The kinds of games it offers.
        gametype_list: repeated message GameType = 9;
        /// What a user must be to see it.
        permissionlevel: optional string = 10;
        /// Which privilege a user needs to join it.
        privilegelevel: optional string = 11;
    }
}
