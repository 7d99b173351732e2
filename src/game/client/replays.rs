//! Saving replays once their game has ended.
//!
//! A server announces a replay before it has stored it, and the announcement may follow the answer to the command that
//! ended the game. So a replay is requested again for a while, and closing waits for it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};

use super::{CallError, Client, End, Note, SaveError, session_event};
use crate::game::schema::ResponseCode;
use crate::game::schema::ServerMessage;
use crate::game::schema::command::{self, Command, CommandContainer, CommandKind, GameCommandKind};
use crate::game::schema::event::{GameEventKind, ReplayAdded};
use crate::game::schema::payload::ReplayDownload;

/// The maximum number of replays that wait to be saved. A game of many rounds has a few dozen.
const WAITING: usize = 1024;

/// The time for which a replay that the server does not have yet is requested again, and the pauses in between. Each is
/// twice as long as the one before.
const PATIENCE: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The number of connections that may be lost during the download of one replay: the answer may be what ends them.
const LOST_CONNECTIONS: u32 = 3;

/// The time after the end of a game in which its replay is usually announced.
const ANNOUNCEMENT: Duration = Duration::from_secs(2);

/// The replays to save, and where to; nothing is saved without a folder.
pub(super) struct Replays {
    folder: Option<PathBuf>,
    /// Locked while a replay is downloaded and stored, one after the other.
    client: Arc<Mutex<Client>>,
    /// The numbers of those that are being saved.
    waiting: Vec<i32>,
    saving: FuturesUnordered<BoxFuture<'static, (i32, Note)>>,
    /// Until when another replay may be announced, because a game has ended.
    pub(super) expected_until: Option<Instant>,
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
        // A server whose database has no bytes for it yet sends none.
        let replay = replay.filter(|replay| !replay.is_empty());
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
    pub(super) fn new(folder: Option<PathBuf>, client: Client) -> Self {
        Self {
            folder,
            client: Arc::new(Mutex::new(client)),
            waiting: Vec::new(),
            saving: FuturesUnordered::new(),
            expected_until: None,
        }
    }

    /// Begins to save the replays that a message announces; returns notes on those for which there is no room.
    pub(super) fn received(&mut self, message: &[u8], now: Instant) -> Vec<Note> {
        let Some(folder) = &self.folder else {
            return Vec::new();
        };
        if closes_game(message) {
            self.expected_until = Some(now + ANNOUNCEMENT);
        }
        let mut rejected = Vec::new();
        for id in added(message) {
            self.expected_until = None;
            if self.waiting.contains(&id) {
            } else if self.waiting.len() < WAITING {
                self.waiting.push(id);
                let save = save(self.client.clone(), id, folder.clone());
                self.saving.push(save.map(move |note| (id, note)).boxed());
            } else {
                rejected.push(not_saved(id, SaveError::TooMany));
            }
        }
        rejected
    }

    /// Takes note of a command that is being written, which may end a game.
    pub(super) fn sent(&mut self, container: &CommandContainer<'_>, now: Instant) {
        let leaves = |kind| kind == CommandKind::Game(GameCommandKind::LeaveGame);
        if self.folder.is_some() && container.kinds().any(leaves) {
            self.expected_until = Some(now + ANNOUNCEMENT);
        }
    }

    /// Waits for the next one that was saved, or was given up; `None` if there is none.
    pub(super) async fn next_saved(&mut self) -> Option<Note> {
        let (id, note) = self.saving.next().await?;
        self.waiting.retain(|waiting| *waiting != id);
        Some(note)
    }

    /// Whether no replay is left to be saved, and none is expected any more.
    pub(super) fn is_settled(&self, now: Instant) -> bool {
        self.waiting.is_empty() && self.expected_until.is_none_or(|until| until <= now)
    }

    /// Gives up the replays that are left when the session has ended.
    pub(super) fn end(&mut self, end: &End) -> Vec<Note> {
        self.saving.clear();
        let unsaved = self.waiting.drain(..);
        unsaved
            .map(|id| not_saved(id, SaveError::Ended(end.clone())))
            .collect()
    }
}

/// Saves a replay, over several connections if necessary. It is not polled between them.
async fn save(client: Arc<Mutex<Client>>, id: i32, folder: PathBuf) -> Note {
    let mut since = None;
    let mut pause = FIRST_PAUSE;
    let mut lost = 0;
    loop {
        let saved = client.lock().await.save_replay(id, &folder).await;
        match saved {
            Ok(path) => return Note::ReplaySaved(path),
            Err(error) if is_not_there_yet(&error) => {
                let since = since.get_or_insert_with(Instant::now);
                if since.elapsed() + pause > PATIENCE {
                    return not_saved(id, error);
                }
                sleep(pause).await;
                lost = 0;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(SaveError::Call(CallError::NotSent(_))) => {}
            Err(SaveError::Call(CallError::Unknown(_))) => {
                lost += 1;
                if lost == LOST_CONNECTIONS {
                    return not_saved(id, SaveError::ConnectionsLost(lost));
                }
            }
            Err(error) => return not_saved(id, error),
        }
    }
}

fn not_saved(replay_id: i32, error: SaveError) -> Note {
    let error = Arc::new(error);
    Note::ReplayNotSaved { replay_id, error }
}

/// Whether the server may still be storing the replay: it announces one first, then stores its bytes, then who has
/// access to it.
fn is_not_there_yet(error: &SaveError) -> bool {
    use ResponseCode::{RespAccessDenied, RespInternalError, RespNameNotFound};
    match error {
        SaveError::Missing => true,
        SaveError::Refused(refused) => matches!(
            refused.code,
            Some(RespAccessDenied | RespNameNotFound | RespInternalError)
        ),
        _ => false,
    }
}

/// The replays that a message announces.
fn added(bytes: &[u8]) -> Vec<i32> {
    let Ok(Some(added)) = session_event::<ReplayAdded<'_>>(bytes) else {
        return Vec::new();
    };
    let Ok(Some(game)) = added.match_info() else {
        return Vec::new();
    };
    let replays = game.replay_list().take(WAITING);
    replays.flatten().map(|replay| replay.replay_id()).collect()
}

/// Whether a message says that a game of the user is closed.
fn closes_game(bytes: &[u8]) -> bool {
    let message = ServerMessage::parse(bytes);
    let Ok(Some(container)) = message.and_then(|message| message.game_event_container()) else {
        return false;
    };
    let mut events = container.event_list().flatten();
    events.any(|event| event.kind() == Some(GameEventKind::GameClosed))
}
