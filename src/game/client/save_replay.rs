//! Downloading replays into a folder.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{CallError, Client, End, SaveError};
use crate::game::schema::command::{self, Command};
use crate::game::schema::payload::{ReplayDownload, ReplayList};

impl Client {
    /// Downloads a replay and stores its bytes unchanged in `folder` as `replay_<id>.cor`, as the official client does;
    /// [`GameReplay`](crate::game::GameReplay) reads them. A file with the same bytes is left alone. `folder` must exist.
    ///
    /// # Errors
    /// [`SaveError`] if the server does not send it, or it cannot be stored.
    pub async fn save_replay(&self, replay_id: i32, folder: &Path) -> Result<PathBuf, SaveError> {
        let download = command::ReplayDownload { replay_id: Some(replay_id), ..Default::default() };
        let answer = self.send(Command::session(download)).await?.into_accepted()?;
        let replay = answer.response.get::<ReplayDownload<'_>>();
        let replay = replay.and_then(|replay| replay.replay_data);
        // A server whose database has no bytes for it yet sends none.
        let replay = replay.filter(|replay| !replay.is_empty()).ok_or(SaveError::Missing)?.to_vec();
        let path = folder.join(file_name(replay_id));
        let stored = tokio::task::spawn_blocking(move || match store(&path, &replay) {
            Ok(true) => Ok(path),
            Ok(false) => Err(SaveError::Exists { path }),
            Err(error) => Err(SaveError::File { path, error }),
        });
        // A runtime that shuts down drops the task.
        let dropped = CallError::Unknown(End::Closed).into();
        stored.await.unwrap_or(Err(dropped))
    }

    /// Saves all replays of the account that `folder` lacks, as [`save_replay`](Self::save_replay) does, and passes the
    /// outcome of each to `report`. Servers list those of the last days.
    ///
    /// # Errors
    /// [`SaveError`] if there is no list.
    pub async fn save_all_replays(
        &self,
        folder: &Path,
        mut report: impl FnMut(i32, Result<PathBuf, SaveError>),
    ) -> Result<(), SaveError> {
        let list = Command::session(command::ReplayList::default());
        let answer = self.send(list).await?.into_accepted()?;
        let list = answer.response.get::<ReplayList<'_>>().unwrap_or_default();
        let replays = list.match_list().flatten().flat_map(|game| game.replay_list().flatten());
        for id in replays.map(|replay| replay.replay_id()) {
            if !folder.join(file_name(id)).exists() {
                report(id, self.save_replay(id, folder).await);
            }
        }
        Ok(())
    }
}

fn file_name(replay_id: i32) -> String {
    format!("replay_{replay_id}.cor")
}

/// Writes the file atomically; returns whether it has this content now. Another process may be doing the same.
fn store(path: &Path, content: &[u8]) -> io::Result<bool> {
    static STORED: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (std::process::id(), STORED.fetch_add(1, Ordering::Relaxed));
    let part = path.with_extension(format!("cor.{process}-{number}.part"));
    // Unlike a renamed file, a linked one never replaces another; not every file system has links.
    let link = || match std::fs::hard_link(&part, path) {
        Err(_) if !path.exists() => std::fs::rename(&part, path),
        _ => Ok(()),
    };
    let stored = std::fs::write(&part, content).and_then(|()| link());
    let _ = std::fs::remove_file(&part);
    stored?;
    Ok(std::fs::read(path)? == content)
}
