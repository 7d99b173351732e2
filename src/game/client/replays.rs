//! Saving replays once their game has ended.
//!
//! A server announces a replay before it has stored it, and the announcement may follow the answer to the command that
//! ended the game. So a replay is requested again for a while, and closing waits for it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::time::Instant;

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
    waiting: Vec<Replay>,
    /// The download in progress.
    saving: Option<BoxFuture<'static, (i32, Result<PathBuf, SaveError>)>>,
    /// Until when another replay may be announced, because a game has ended.
    expected_until: Option<Instant>,
}

#[derive(Debug)]
struct Replay {
    id: i32,
    /// When it was requested first.
    since: Option<Instant>,
    /// When to request it next.
    due: Instant,
    pause: Duration,
    /// The number of requests whose outcome is unknown, since the connection was lost.
    lost: u32,
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
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            waiting: Vec::new(),
            saving: None,
            expected_until: None,
        }
    }

    /// Takes in the replays that a message announces; returns notes on those for which there is no room.
    pub(super) fn received(&mut self, message: &[u8], now: Instant) -> Vec<Note> {
        if self.folder.is_none() {
            return Vec::new();
        }
        if closes_game(message) {
            self.expected_until = Some(now + ANNOUNCEMENT);
        }
        let mut rejected = Vec::new();
        for id in added(message) {
            self.expected_until = None;
            if self.waiting.iter().any(|replay| replay.id == id) {
            } else if self.waiting.len() < WAITING {
                self.waiting.push(Replay::new(id, now));
            } else {
                rejected.push(not_saved(id, SaveError::TooMany));
            }
        }
        rejected
    }

    /// Takes note of a command that is being written, which may end a game.
    pub(super) fn sent(&mut self, container: &[u8], now: Instant) {
        let leaves = |kind| kind == CommandKind::Game(GameCommandKind::LeaveGame);
        let parsed = CommandContainer::parse(container);
        if self.folder.is_some() && parsed.is_ok_and(|sent| sent.kinds().any(leaves)) {
            self.expected_until = Some(now + ANNOUNCEMENT);
        }
    }

    /// Requests the next replay, if one is due; returns a note if it is given up instead.
    pub(super) fn request(&mut self, now: Instant, client: &Client) -> Option<Note> {
        let folder = self.folder.clone().filter(|_| self.saving.is_none())?;
        let next = self.waiting.iter_mut().min_by_key(|replay| replay.due)?;
        if next.due > now {
            return None;
        }
        let id = next.id;
        next.since.get_or_insert(now);
        next.lost += 1;
        if next.lost > LOST_CONNECTIONS {
            return Some(self.give_up(id, SaveError::ConnectionsLost(LOST_CONNECTIONS)));
        }
        let client = client.clone();
        let save = async move { (id, client.save_replay(id, &folder).await) };
        self.saving = Some(save.boxed());
        None
    }

    /// Waits for the download in progress; returns a note unless it is to be repeated.
    pub(super) async fn saved(&mut self) -> Option<Note> {
        let Some(saving) = &mut self.saving else {
            return std::future::pending().await;
        };
        let (id, outcome) = saving.await;
        self.saving = None;
        match outcome {
            Ok(path) => {
                self.waiting.retain(|replay| replay.id != id);
                Some(Note::ReplaySaved(path))
            }
            Err(error) if is_not_there_yet(&error) && self.postpone(id) => None,
            Err(error) => Some(self.give_up(id, error)),
        }
    }

    /// Plans another request for a replay that is not there yet, unless that has taken too long.
    fn postpone(&mut self, id: i32) -> bool {
        let mut waiting = self.waiting.iter_mut();
        let replay = waiting.find(|replay| replay.id == id);
        replay.is_some_and(|replay| replay.postpone(Instant::now()))
    }

    /// The connection was lost: the download is repeated over the next one.
    pub(super) fn interrupt(&mut self) {
        self.saving = None;
    }

    /// When a replay is to be requested next, or none is expected any more.
    pub(super) fn next_due(&self) -> Option<Instant> {
        let due = self.waiting.iter().map(|replay| replay.due).min();
        due.filter(|_| self.saving.is_none())
            .or(self.expected_until)
    }

    /// Whether no replay is left to be saved, and none is expected any more.
    pub(super) fn is_settled(&self, now: Instant) -> bool {
        self.waiting.is_empty() && self.expected_until.is_none_or(|until| until <= now)
    }

    /// Gives up the replays that are left when the session has ended.
    pub(super) fn end(&mut self, end: &End) -> Vec<Note> {
        let left = self.waiting.drain(..);
        left.map(|replay| not_saved(replay.id, SaveError::Ended(end.clone())))
            .collect()
    }

    fn give_up(&mut self, id: i32, error: SaveError) -> Note {
        self.waiting.retain(|replay| replay.id != id);
        not_saved(id, error)
    }
}

fn not_saved(replay_id: i32, error: SaveError) -> Note {
    let error = Arc::new(error);
    Note::ReplayNotSaved { replay_id, error }
}

// === impl Replay ===

impl Replay {
    fn new(id: i32, now: Instant) -> Self {
        Self {
            id,
            since: None,
            due: now,
            pause: FIRST_PAUSE,
            lost: 0,
        }
    }

    /// Plans another request, unless that has taken too long.
    fn postpone(&mut self, now: Instant) -> bool {
        self.lost = 0;
        self.due = now + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.since
            .is_some_and(|since| self.due.duration_since(since) <= PATIENCE)
    }
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
