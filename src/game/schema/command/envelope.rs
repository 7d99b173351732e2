use super::{
    AdminCommandPayload, DeveloperCommandPayload, GameCommandPayload, ModeratorCommandPayload,
    RoomCommandPayload, SessionCommandPayload,
};
use crate::game::runtime::macros::message;

message! {
    /// What each frame of a client holds. A server carries out commands of one kind only, the last
    /// one first, and gives one answer.
    pub struct CommandContainer = "CommandContainer" {
        /// Number that the answer repeats. A server keeps 31 bits of it.
        cmd_id: optional uint64 = 1;
        /// Number of the game, for commands in a game.
        game_id: optional uint32 = 10;
        /// Number of the room, for commands in a room.
        room_id: optional uint32 = 20;
        /// Commands about the session.
        session_command: repeated message SessionCommand = 100;
        /// Commands in a game.
        game_command: repeated message GameCommand = 101;
        /// Commands in a room.
        room_command: repeated message RoomCommand = 102;
        /// Commands for moderators.
        moderator_command: repeated message ModeratorCommand = 103;
        /// Commands for administrators.
        admin_command: repeated message AdminCommand = 104;
        /// Commands for developers. Newer than the recorded server.
        developer_command: repeated message DeveloperCommand = 105;
    }

    /// A command about the session.
    pub struct SessionCommand = "SessionCommand" {
        100 to max: SessionCommandPayload;
    }

    /// A command in a room.
    pub struct RoomCommand = "RoomCommand" {
        100 to max: RoomCommandPayload;
    }

    /// A command in a game.
    pub struct GameCommand = "GameCommand" {
        100 to max: GameCommandPayload;
    }

    /// A command for moderators.
    pub struct ModeratorCommand = "ModeratorCommand" {
        100 to max: ModeratorCommandPayload;
    }

    /// A command for administrators.
    pub struct AdminCommand = "AdminCommand" {
        100 to max: AdminCommandPayload;
    }

    /// A command for developers. Newer than the recorded server.
    pub struct DeveloperCommand = "DeveloperCommand" {
        100 to max: DeveloperCommandPayload;
    }
}
