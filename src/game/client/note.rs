use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{CallError, End, Refused};

/// A note of the client itself among the events: see [`Received::as_note`](super::Received::as_note).
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// The connection was lost here, and the client [reconnects](super::ClientBuilder::reconnect). Events
    /// are missing from here on, until the server sends its current state.
    Gap(End),
    /// The session is restored. The events of the login precede this, including the seats that were given
    /// back in running games ([`GameJoined`](crate::game::event::GameJoined)).
    Restored,
    /// A replay was [saved](super::ClientBuilder::save_replays) to this file.
    ReplaySaved(PathBuf),
    /// A replay could not be saved.
    ReplayNotSaved {
        /// The number of the replay.
        replay_id: i32,
        /// Why.
        error: Arc<SaveError>,
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
    Refused(#[from] Refused),
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
