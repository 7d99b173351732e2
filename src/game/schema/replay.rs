use super::event::GameEventContainer;
use super::info::Game;
use crate::game::runtime::macros::message;

message! {
    /// A recorded game: what [`ReplayDownload`](crate::game::payload::ReplayDownload) holds, and a
    /// file `replay_7.cor`.
    ///
    /// ```
    /// use portreeve::game::GameReplay;
    ///
    /// let replay = GameReplay::parse(b"\x08\x07\x1a\x02\x20\x00\x1a\x02\x20\x05\x20\x06")?;
    /// assert_eq!((replay.replay_id(), replay.duration_seconds()), (7, 6));
    /// for events in replay.event_list() {
    ///     println!("after {} s", events?.seconds_elapsed());
    /// }
    /// # Ok::<(), portreeve::game::DecodeError>(())
    /// ```
    pub struct GameReplay = "GameReplay" {
        /// Number of the recording.
        replay_id: optional uint64 = 1;
        /// The game as it was when the recording began.
        game_info: optional message Game = 2;
        /// What happened, with the seconds since the recording began.
        event_list: repeated message GameEventContainer = 3;
        /// Length in seconds.
        duration_seconds: optional uint32 = 4;
    }
}
