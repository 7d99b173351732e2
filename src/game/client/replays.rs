//! Saving replays once their game has ended.
//!
//! A server announces a replay before it has stored it, and the announcement may follow the answer to the command that
//! ended the game. So a replay is requested again for a while, and closing waits for it.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

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

/// The replays to save, and where to.
#[derive(Debug)]
pub(super) struct Replays {
    folder: PathBuf,
    state: watch::Sender<State>,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Replay>,
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
    /// Saves replays to `folder`.
    pub(super) fn new(folder: PathBuf) -> Self {
        let state = watch::Sender::new(State::default());
        Self { folder, state }
    }

    /// Queues the replays that a message announces; returns those for which there is no room.
    pub(super) fn received(&self, message: &[u8]) -> Vec<i32> {
        let now = Instant::now();
        if closes_game(message) {
            self.expect(now);
        }
        let added = added(message);
        let mut rejected = Vec::new();
        if !added.is_empty() {
            self.state.send_modify(|state| {
                state.expected_until = None;
                for id in added {
                    if state.waiting.iter().any(|replay| replay.id == id) {
                    } else if state.waiting.len() < WAITING {
                        state.waiting.push_back(Replay::new(id, now));
                    } else {
                        rejected.push(id);
                    }
                }
            });
        }
        rejected
    }

    /// Takes note of a command that is being written, which may end a game.
    pub(super) fn sent(&self, container: &[u8]) {
        let leaves = |kind| kind == CommandKind::Game(GameCommandKind::LeaveGame);
        if CommandContainer::parse(container).is_ok_and(|sent| sent.kinds().any(leaves)) {
            self.expect(Instant::now());
        }
    }

    fn expect(&self, now: Instant) {
        let until = Some(now + ANNOUNCEMENT);
        self.state.send_modify(|state| state.expected_until = until);
    }

    /// Saves replays as they are announced. If the connection is lost meanwhile, they are requested over the next one.
    pub(super) async fn save(&self, client: &Client, note: impl Fn(Note)) {
        let mut changes = self.state.subscribe();
        loop {
            let next = changes.borrow_and_update().next();
            let due = next.map(|(_, due)| due);
            let (Some((id, _)), true) = (next, due.is_some_and(|due| due <= Instant::now())) else {
                wait(&mut changes, due).await;
                continue;
            };
            if self.change(id, Replay::begin) {
                let error = SaveError::ConnectionsLost(LOST_CONNECTIONS);
                note(self.not_saved(id, error));
                continue;
            }
            match client.save_replay(id, &self.folder).await {
                Ok(path) => {
                    self.remove(id);
                    note(Note::ReplaySaved(path));
                }
                Err(error) if is_not_there_yet(&error) && !self.change(id, Replay::postpone) => {}
                Err(error) => note(self.not_saved(id, error)),
            }
        }
    }

    /// Waits until no replay is left to be saved, and none is expected any more.
    pub(super) async fn settled(&self) {
        let mut changes = self.state.subscribe();
        loop {
            let until = {
                let state = changes.borrow_and_update();
                let until = state.expected_until.filter(|&until| until > Instant::now());
                if state.waiting.is_empty() && until.is_none() {
                    return;
                }
                until.filter(|_| state.waiting.is_empty())
            };
            wait(&mut changes, until).await;
        }
    }

    /// Gives up the replays that are left when the session has ended.
    pub(super) fn give_up(&self, end: &End) -> Vec<Note> {
        let waiting = self
            .state
            .borrow()
            .waiting
            .iter()
            .map(|replay| replay.id)
            .collect::<Vec<_>>();
        let waiting = waiting.into_iter();
        waiting
            .map(|id| self.not_saved(id, SaveError::Ended(end.clone())))
            .collect()
    }

    fn not_saved(&self, replay_id: i32, error: SaveError) -> Note {
        self.remove(replay_id);
        let error = Arc::new(error);
        Note::ReplayNotSaved { replay_id, error }
    }

    fn remove(&self, id: i32) {
        self.state
            .send_modify(|state| state.waiting.retain(|replay| replay.id != id));
    }

    /// Changes a replay; returns what `change` does.
    fn change(&self, id: i32, change: impl FnOnce(&mut Replay) -> bool) -> bool {
        let mut result = false;
        self.state.send_modify(|state| {
            let mut waiting = state.waiting.iter_mut();
            result = waiting.find(|replay| replay.id == id).is_some_and(change);
        });
        result
    }
}

// === impl State ===

impl State {
    /// The replay to request next, and when.
    fn next(&self) -> Option<(i32, Instant)> {
        let next = self.waiting.iter().min_by_key(|replay| replay.due)?;
        Some((next.id, next.due))
    }
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

    /// Begins a request, unless too many connections were lost during earlier ones: then returns `true`.
    fn begin(&mut self) -> bool {
        self.since.get_or_insert_with(Instant::now);
        self.lost += 1;
        self.lost > LOST_CONNECTIONS
    }

    /// Plans another request for a replay that is not there yet, or returns `true` if that has taken too long.
    fn postpone(&mut self) -> bool {
        self.lost = 0;
        self.due = Instant::now() + self.pause;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        self.since
            .is_some_and(|since| self.due.duration_since(since) > PATIENCE)
    }
}

/// Waits for a change, or until `until`.
async fn wait(changes: &mut watch::Receiver<State>, until: Option<Instant>) {
    let Some(until) = until else {
        // Fails only if the sender is gone, and with it whoever waits here.
        let _ = changes.changed().await;
        return;
    };
    tokio::select! {
        _ = changes.changed() => {}
        () = sleep_until(until) => {}
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
