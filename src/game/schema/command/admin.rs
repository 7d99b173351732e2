use crate::game::runtime::macros::message;

message! {
    /// Has the server read its message of the day again.
    pub struct UpdateServerMessage = "Command_UpdateServerMessage" {}

    /// Stops the server, after some minutes.
    pub struct ShutdownServer = "Command_ShutdownServer" {
        /// Reason.
        reason: optional string = 1;
        /// In how many minutes; 0 is at once.
        minutes: optional uint32 = 2;
    }

    /// Has the server read its configuration again.
    pub struct ReloadConfig = "Command_ReloadConfig" {}

    /// Makes a user a moderator or a judge, or no longer.
    pub struct AdjustMod = "Command_AdjustMod" {
        /// Name of the user.
        user_name: required string = 1;
        /// Whether a moderator.
        should_be_mod: optional bool = 2;
        /// Whether a judge.
        should_be_judge: optional bool = 3;
        /// Whether a developer. Newer than the recorded server.
        should_be_developer: optional bool = 4;
    }

    /// Gives a user a new password.
    pub struct ResetUserPassword = "Command_ResetUserPassword" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Asks for figures about the server.
    ///
    /// Newer than the recorded server.
    pub struct GetServerStats = "Command_GetServerStats" {}

    /// Searches the chat log.
    ///
    /// Newer than the recorded server.
    pub struct GetLogHistory = "Command_GetLogHistory" {
        /// Who said it.
        user_name: optional string = 1;
        /// Network address.
        ip_address: optional string = 2;
        /// Name of the game.
        game_name: optional string = 3;
        /// Number of the game.
        game_id: optional string = 4;
        /// A part of what was said.
        message: optional string = 5;
        /// Where it was said: `room`, `game` or `chat`.
        log_location: repeated string = 6;
        /// How many days back.
        date_range: required uint32 = 7;
        /// How many lines at most.
        maximum_results: optional uint32 = 8;
    }
}
