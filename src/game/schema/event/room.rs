use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::info::{Game, User};

message! {
    /// A user left the room.
    pub struct LeaveRoom = "Event_LeaveRoom" {
        /// Name of the user.
        name: optional string = 1;
    }

    /// A user entered the room.
    pub struct JoinRoom = "Event_JoinRoom" {
        /// The user.
        user_info: optional message User = 1;
    }

    /// Something was said in the room.
    pub struct RoomSay = "Event_RoomSay" {
        /// Who says it; nobody for history and welcome.
        name: optional string = 1;
        /// The text.
        message: optional string = 2;
        /// Where it comes from.
        message_type: optional enum RoomMessageType = 3;
        /// When, in milliseconds since 1970.
        time_of: optional uint64 = 4;
    }

    /// A game that is new or has changed, to be merged; gone if it is closed.
    pub struct ListGames = "Event_ListGames" {
        /// The games.
        game_list: repeated message Game = 1;
    }

    /// The last messages of a user are to be removed.
    pub struct RemoveMessages = "Event_RemoveMessages" {
        /// Name of the user.
        name: optional string = 1;
        /// How many.
        amount: optional uint32 = 2;
    }
}

enumeration! {
    /// Where a line in a room comes from.
    pub enum RoomMessageType {
        /// A user says it now.
        UserMessage = 0,
        /// The room's welcome.
        Welcome = 1,
        /// It was said before the client came.
        ChatHistory = 2,
    }
}
