use crate::game::runtime::macros::message;
use crate::game::schema::info::{Game, Room, User, Zone};

message! {
    /// Answer to joining a room.
    pub struct JoinRoom = "Response_JoinRoom" {
        /// The room, with its games and users.
        room_info: optional message Room = 1;
    }

    /// Everybody who is logged in.
    pub struct ListUsers = "Response_ListUsers" {
        /// The users.
        user_list: repeated message User = 1;
    }

    /// The games that a user is in.
    pub struct GetGamesOfUser = "Response_GetGamesOfUser" {
        /// Rooms of the games.
        room_list: repeated message Room = 1;
        /// The games.
        game_list: repeated message Game = 2;
    }

    /// What is known of a user.
    pub struct GetUserInfo = "Response_GetUserInfo" {
        /// The user.
        user_info: optional message User = 1;
    }

    /// Cards of a zone that was looked into.
    pub struct DumpZone = "Response_DumpZone" {
        /// The zone.
        zone_info: optional message Zone = 1;
    }
}
