use crate::game::runtime::macros::message;

message! {
    /// Says something to one user.
    pub struct UserMessage = "Command_Message" {
        /// Name of the user.
        user_name: optional string = 1;
        /// The text.
        message: optional string = 2;
    }

    /// Asks who is online, and to be told from then on who comes and goes.
    pub struct ListUsers = "Command_ListUsers" {}

    /// Asks in which games a user is.
    pub struct GetGamesOfUser = "Command_GetGamesOfUser" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Asks about a user; about oneself without a name.
    pub struct GetUserInfo = "Command_GetUserInfo" {
        /// Name of the user; empty for oneself.
        user_name: optional string = 1;
    }

    /// Puts a user on a list of one's own.
    pub struct AddToList = "Command_AddToList" {
        /// Name of the list: `buddy` or `ignore`.
        list: optional string = 1;
        /// Name of the user.
        user_name: optional string = 2;
    }

    /// Takes a user off a list of one's own.
    pub struct RemoveFromList = "Command_RemoveFromList" {
        /// Name of the list: `buddy` or `ignore`.
        list: optional string = 1;
        /// Name of the user.
        user_name: optional string = 2;
    }

    /// Asks for the rooms, and to be told of changes.
    pub struct ListRooms = "Command_ListRooms" {}

    /// Enters a room.
    pub struct JoinRoom = "Command_JoinRoom" {
        /// Number of the room.
        room_id: optional uint32 = 1;
    }
}
