use crate::game::runtime::macros::message;

message! {
    /// Asks for the recorded matches.
    pub struct ReplayList = "Command_ReplayList" {}

    /// Asks for a recorded game.
    pub struct ReplayDownload = "Command_ReplayDownload" {
        /// Number of the recording.
        replay_id: optional sint32 = 1, default -1;
    }

    /// Keeps a recorded match, or no longer.
    pub struct ReplayModifyMatch = "Command_ReplayModifyMatch" {
        /// Number of the match.
        game_id: optional sint32 = 1, default -1;
        /// Whether it is kept.
        do_not_hide: optional bool = 2;
    }

    /// Deletes a recorded match from one's list.
    pub struct ReplayDeleteMatch = "Command_ReplayDeleteMatch" {
        /// Number of the game.
        game_id: optional sint32 = 1, default -1;
    }

    /// Asks for a code that gives others access to a recorded match.
    pub struct ReplayGetCode = "Command_ReplayGetCode" {
        /// Number of the game.
        game_id: optional sint32 = 1, default -1;
    }

    /// Gets access to a recorded match by a code.
    pub struct ReplaySubmitCode = "Command_ReplaySubmitCode" {
        /// The code.
        replay_code: optional string = 1, is secret;
    }
}
