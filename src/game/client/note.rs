use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::{CallError, End, Refused};

/// What a client itself has to say among the events: see [`Received::as_note`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Note {
    /// The connection was lost here, and [is made again](super::ClientBuilder::reconnect): what
    /// happened at the server from here on is not told, until it sends the state of things.
    Gap(End),
    /// The session goes on: what belongs to the login stands before this, the seats in running games
    /// that were resumed ([`GameJoined`](crate::game::event::GameJoined)) too.
    Restored,
    /// A replay was [saved](super::ClientBuilder::save_replays) in this file.
    ReplaySaved(PathBuf),
    /// A replay could not be saved.
    ReplayNotSaved {
        /// Which one.
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
    /// The server does not hand it out.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The server's answer holds none.
    #[error("the answer of the game server holds no replay")]
    Missing,
    /// There is another file of this name: a replay of another server, perhaps.
    #[error(
        "{path:?} exists and has other content; keep the replays of each server in a folder of their own"
    )]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// More replays wait to be saved than a client keeps.
    #[error("too many replays are to be saved at once")]
    TooMany,
    /// The file cannot be written.
    #[error("cannot write {path:?}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}
