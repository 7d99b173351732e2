use crate::game::runtime::macros::message;
use crate::game::schema::info::ReplayMatch;

message! {
    /// The recorded matches of the user.
    pub struct ReplayList = "Response_ReplayList" {
        /// The matches.
        match_list: repeated message ReplayMatch = 1;
    }

    /// A recorded game.
    pub struct ReplayDownload = "Response_ReplayDownload" {
        /// The recording, a message of its own.
        replay_data: optional bytes = 1;
    }

    /// A code that gives others access to a recording.
    pub struct ReplayGetCode = "Response_ReplayGetCode" {
        /// The code.
        replay_code: optional string = 1, is secret;
    }

    /// A recorded game, by the number of the game. An addition of newer servers.
    pub struct ReplayDownloadByGameId = "Response_ReplayDownloadByGameId" {
        /// The recording, a message of its own.
        replay_data: optional bytes = 1;
        /// Number of the recording.
        replay_id: optional sint32 = 2;
    }
}
