use crate::game::runtime::macros::message;

message! {
    /// A recorded match: games of the same players.
    pub struct ReplayMatch = "ServerInfo_ReplayMatch" {
        /// The games.
        replay_list: repeated message Replay = 1;
        /// Number of the game that it was.
        game_id: optional sint32 = 2, default -1;
        /// Room in which it was played.
        room_name: optional string = 3;
        /// When it began, in seconds since 1970.
        time_started: optional uint32 = 4;
        /// Length in seconds.
        length: optional uint32 = 5;
        /// What it was called.
        game_name: optional string = 6;
        /// Who played.
        player_names: repeated string = 7;
        /// Whether the user keeps it.
        do_not_hide: optional bool = 8;
    }

    /// A recorded game.
    pub struct Replay = "ServerInfo_Replay" {
        /// Number of the recording.
        replay_id: optional sint32 = 1, default -1;
        /// Name.
        replay_name: optional string = 2;
        /// Length in seconds.
        duration: optional uint32 = 3;
    }
}
