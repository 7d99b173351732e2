use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{CallError, End, RefusedError};
use crate::game::schema::command::CommandKind;

/// A note of the client itself among the events: see [`Received::as_note`](super::Received::as_note).
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// The connection was lost here, and the client [reconnects](super::Settings::reconnect). Events
    /// are missing from here on, until the server sends its current state.
    Gap(End),
    /// The session is restored. The events of the login precede this, including the seats that were given
    /// back in running games ([`GameJoined`](crate::game::event::GameJoined)).
    Restored,
    /// The server refused to restore a part of the session: a room or a list. [`Restored`](Self::Restored)
    /// follows nevertheless, and the part is requested again after the next gap.
    NotRestored {
        /// The command that the server refused.
        command: CommandKind,
        /// The number of the room that was to be joined again.
        room_id: Option<i32>,
        /// Why.
        refused: RefusedError,
    },
    /// A replay was [saved](super::Replays) to this file.
    ReplaySaved(PathBuf),
    /// A replay could not be saved.
    ReplayNotSaved {
        /// The number of the replay.
        replay_id: i32,
        /// Why.
        error: Arc<SaveError>,
    },
    /// The session ended before the server announced the replay of a game that was played. It may come once all have
    /// left: [`save_all_replays`](super::Client::save_all_replays) saves it then.
    ReplayNotAnnounced {
        /// The number of the game.
        game_id: i32,
    },
}

/// Why a replay was not saved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// There was no answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server refused to send it.
    #[error(transparent)]
    Refused(#[from] RefusedError),
    /// The answer of the server contains no replay.
    #[error("the game server's answer contains no replay")]
    Missing,
    /// A different file with this name exists, possibly a replay of another server.
    #[error(
        "cannot save the replay: {path:?} exists with different content; use a separate folder for each server"
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The connection was lost this many times while the replay was being downloaded: the server sends something that
    /// ends it, such as a replay over the [limit for messages](crate::game::connection::Connector::message_limit).
    #[error(
        "the connection to the game server was lost {0} times while the replay was being downloaded; it may be longer than the limit for messages"
    )]
    ConnectionsLost(u32),
    /// The session ended before the replay was saved.
    #[error("the session ended before the replay was saved: {0}")]
    Ended(#[source] End),
    /// Too many replays are waiting to be saved.
    #[error("too many replays are waiting to be saved")]
    TooMany,
    /// The file could not be written.
    #[error("cannot save the replay as {path:?}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}
