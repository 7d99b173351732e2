//! Saving replays once their game has ended.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{CallError, Client, End, Note, SaveError, session_event};
use crate::game::schema::command::{self, Command};
use crate::game::schema::event::ReplayAdded;
use crate::game::schema::payload::ReplayDownload;

/// The maximum number of replays that wait to be saved. A game of many rounds has a few dozen.
const WAITING: usize = 1024;

/// The replays to save, and where to.
pub(super) struct Replays {
    folder: PathBuf,
    ids: mpsc::Receiver<i32>,
    /// The one being saved.
    current: Option<i32>,
}

impl Client {
    /// Downloads a replay and stores its bytes unchanged in `folder` as `replay_<id>.cor`, as the official
    /// client does; [`GameReplay`](crate::game::GameReplay) reads them. A file with the same bytes is left
    /// alone. `folder` must exist.
    ///
    /// # Errors
    /// [`SaveError`] if the server does not send it, or it cannot be stored.
    pub async fn save_replay(&self, replay_id: i32, folder: &Path) -> Result<PathBuf, SaveError> {
        let download = Command::session(command::ReplayDownload {
            replay_id: Some(replay_id),
            ..command::ReplayDownload::default()
        });
        let answer = self.send(download).await?.accepted()?;
        let replay = answer.get::<ReplayDownload<'_>>();
        let replay = replay.and_then(|replay| replay.replay_data);
        let replay = replay.ok_or(SaveError::Missing)?.to_vec();
        let path = folder.join(format!("replay_{replay_id}.cor"));
        let stored = tokio::task::spawn_blocking(move || match store(&path, &replay) {
            Ok(true) => Ok(path),
            Ok(false) => Err(SaveError::Exists { path }),
            Err(error) => Err(SaveError::File { path, error }),
        });
        // A runtime that shuts down drops the task.
        stored
            .await
            .unwrap_or(Err(SaveError::Call(CallError::Unknown(End::Closed))))
    }
}

/// Writes the file atomically; returns whether it has this content now.
fn store(path: &Path, content: &[u8]) -> io::Result<bool> {
    match std::fs::read(path) {
        Ok(there) => return Ok(there == content),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let part = path.with_extension("cor.part");
    std::fs::write(&part, content)?;
    std::fs::rename(&part, path)?;
    Ok(true)
}

// === impl Replays ===

impl Replays {
    /// Saves replays to `folder`; the sender takes their numbers.
    pub(super) fn new(folder: PathBuf) -> (mpsc::Sender<i32>, Self) {
        let (sender, ids) = mpsc::channel(WAITING);
        let current = None;
        (
            sender,
            Self {
                folder,
                ids,
                current,
            },
        )
    }
}

/// Saves replays whenever the session is ready. If the connection is lost meanwhile, the replay is retried
/// over the next one.
pub(super) async fn save(
    replays: &mut Option<Replays>,
    client: Client,
    note: impl Fn(Note),
    ready: &CancellationToken,
) -> End {
    ready.cancelled().await;
    let Some(replays) = replays else {
        return std::future::pending().await;
    };
    loop {
        let replay_id = match replays.current {
            Some(replay_id) => replay_id,
            None => match replays.ids.recv().await {
                Some(replay_id) => *replays.current.insert(replay_id),
                None => return std::future::pending().await,
            },
        };
        let saved = client.save_replay(replay_id, &replays.folder).await;
        replays.current = None;
        note(match saved {
            Ok(path) => Note::ReplaySaved(path),
            Err(error) => Note::ReplayNotSaved {
                replay_id,
                error: Arc::new(error),
            },
        });
    }
}

/// The replays that a message announces.
pub(super) fn added(bytes: &[u8]) -> Vec<i32> {
    let Ok(Some(added)) = session_event::<ReplayAdded<'_>>(bytes) else {
        return Vec::new();
    };
    let Ok(Some(game)) = added.match_info() else {
        return Vec::new();
    };
    let replays = game.replay_list().take(WAITING);
    replays.flatten().map(|replay| replay.replay_id()).collect()
}
