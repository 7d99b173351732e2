use crate::game::runtime::macros::message;

message! {
    /// Figures about a server. Newer than the recorded server.
    pub struct GetServerStats = "Response_GetServerStats" {
        /// Users online.
        users_count: optional uint64 = 1;
        /// Moderators online.
        mods_count: optional uint64 = 2;
        /// Games.
        games_count: optional uint64 = 3;
        /// Bytes sent.
        tx_bytes: optional uint64 = 4;
        /// Bytes received.
        rx_bytes: optional uint64 = 5;
        /// Seconds since it was started.
        uptime_secs: optional uint64 = 6;
        /// When these figures were taken.
        timest: optional uint64 = 7;
    }
}
