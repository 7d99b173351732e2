//! Saving replays once their game has ended.
//!
//! A server announces a replay before it has stored it, and after the answer to the command that ended the game, or when
//! the last player has left. So a replay is requested again for a while, and closing waits for each game that was played.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, Stream, StreamExt};
use tokio::sync::Mutex;
use tokio::time::{Instant, Sleep, sleep};

use super::{CallError, Client, End, Event, Events, Note, Received, RefusedError, SaveError};
use crate::game::schema::ResponseCode;
use crate::game::schema::event::{GameEventPayload, ReplayAdded, SessionEventPayload};

/// The maximum number of replays that wait to be saved, and of games. A game has a few dozen replays at most.
const WAITING: usize = 1024;

/// For how long a replay that the server does not have yet is requested again, with pauses that double.
const PATIENCE: Duration = Duration::from_secs(60);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The number of connections that may be lost during the download of one replay: the answer may be what ends them.
const LOST_CONNECTIONS: u32 = 3;

/// The time for which closing waits for a replay that was announced.
const DOWNLOAD: Duration = Duration::from_secs(10);

/// The events of a session, whose replays are saved in a folder: when the server announces one, it is downloaded as by
/// [`Client::save_replay`]. The outcome is among the events: [`Note::ReplaySaved`] or [`Note::ReplayNotSaved`].
///
/// It has a [`Client`] of its own, so that the connection stays open until [`close`](Self::close).
///
/// ```no_run
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use portreeve::game::client::Replays;
/// use portreeve::game::prelude::*;
///
/// let (client, events) = Client::connect(&"wss://server.example".parse()?).await?;
/// let mut events = Replays::save(&client, events, "replays");
/// // … play, and leave. A replay is announced when the game has ended for all of its players.
/// events.close(Replays::USUAL_WAIT);
/// while let Some(received) = events.next().await {
///     if let Some(Note::ReplaySaved(path)) = received.as_note() {
///         println!("{}", path.display());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Replays {
    client: Client,
    events: Events,
    folder: PathBuf,
    /// One download at a time.
    turn: Arc<Mutex<()>>,
    saving: FuturesUnordered<BoxFuture<'static, (i32, Note)>>,
    /// The replays that are being saved, and when they were announced.
    waiting: BTreeMap<i32, Instant>,
    /// The games that were joined and whose replays have not been announced.
    games: BTreeMap<i32, Game>,
    notes: VecDeque<Note>,
    /// Since when the session is to be closed, and how long to wait for announcements.
    closing: Option<(Instant, Duration)>,
    alarm: Pin<Box<Sleep>>,
    position: u64,
}

/// A game in which the user takes part, or took part.
#[derive(Debug, Default)]
struct Game {
    /// Whether it was played while the user was in it.
    played: bool,
    watched: bool,
}

impl Replays {
    /// The time after a game in which its replay is usually announced, if everybody has left it.
    pub const USUAL_WAIT: Duration = Duration::from_secs(2);

    /// Saves the replays that are announced among these events in `folder`, which must exist. The numbers of replays
    /// are the server's: use a folder for each server.
    pub fn save(client: &Client, events: Events, folder: impl Into<PathBuf>) -> Self {
        Self {
            client: client.clone(),
            events,
            folder: folder.into(),
            turn: Arc::default(),
            saving: FuturesUnordered::new(),
            waiting: BTreeMap::new(),
            games: BTreeMap::new(),
            notes: VecDeque::new(),
            closing: None,
            alarm: Box::pin(sleep(Duration::ZERO)),
            position: 0,
        }
    }

    /// From now on, closes the connection as soon as nothing is left to be saved: waits `wait` for the announcement of
    /// the games that were played, and 10 seconds for a replay that was announced. Read the events to the end.
    pub fn close(&mut self, wait: Duration) {
        self.closing.get_or_insert((Instant::now(), wait));
    }

    /// Until when to wait before the connection is closed; `None` if it is not to be closed.
    fn open_until(&self, now: Instant) -> Option<Instant> {
        let (closing, wait) = self.closing?;
        let downloads = self.waiting.values().map(|&since| since.max(closing) + DOWNLOAD);
        let is_played = self.games.values().any(|game| game.played);
        let announcement = if is_played { Some(closing.checked_add(wait)?) } else { None };
        downloads.chain(announcement).max().or(Some(now))
    }

    /// Takes note of games that begin, and begins to save what is announced.
    fn look(&mut self, received: &Received) {
        let is_message = received.as_note().is_none();
        self.position = received.position + u64::from(is_message);
        match received.event() {
            Event::Session(SessionEventPayload::GameJoined(joined)) => {
                if let Ok(Some(game)) = joined.game_info() {
                    if self.games.len() >= WAITING {
                        self.games.pop_first();
                    }
                    let known = self.games.entry(game.game_id()).or_default();
                    known.played |= game.started();
                    known.watched = joined.spectator();
                }
            }
            Event::Session(SessionEventPayload::ReplayAdded(added)) => self.announced(&added),
            Event::Game { game_id, events } => {
                for (_, event) in events.payloads() {
                    match event {
                        GameEventPayload::GameStateChanged(state) if state.game_started() => {
                            let game = self.games.get_mut(&game_id);
                            game.into_iter().for_each(|game| game.played = true);
                        }
                        GameEventPayload::Kicked(_) => drop(self.games.remove(&game_id)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn announced(&mut self, added: &ReplayAdded<'_>) {
        let Some(info) = added.match_info().ok().flatten() else {
            return;
        };
        // Without a number it is that of the game that was joined first: games are numbered in their order.
        let mut played = self.games.iter().filter(|(_, game)| game.played);
        let first = played.next().map(|(id, _)| *id);
        if let Some(game) = info.game_id.or(first) {
            self.games.remove(&game);
        }
        for id in info.replay_list().flatten().map(|it| it.replay_id()) {
            if self.waiting.contains_key(&id) {
                continue;
            }
            if self.waiting.len() >= WAITING {
                self.notes.push_back(not_saved(id, SaveError::TooMany));
                break;
            }
            self.waiting.insert(id, Instant::now());
            let (client, folder) = (self.client.clone(), self.folder.clone());
            let save = save(client, self.turn.clone(), id, folder);
            self.saving.push(save.map(move |note| (id, note)).boxed());
        }
    }

    fn give_up(&mut self, end: &End) {
        self.saving.clear();
        let waiting = std::mem::take(&mut self.waiting).into_keys();
        let unsaved = waiting.map(|id| not_saved(id, SaveError::Ended(end.clone())));
        let games = std::mem::take(&mut self.games).into_iter();
        let missing = games.filter(|(_, game)| game.played && !game.watched);
        let missing = missing.map(|(game_id, _)| Note::ReplayNotAnnounced { game_id });
        self.notes.extend(unsaved.chain(missing));
    }
}

impl Stream for Replays {
    type Item = Received;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Received>> {
        let this = &mut *self;
        loop {
            if let Some(note) = this.notes.pop_front() {
                return Poll::Ready(Some(Received::note(this.position, note)));
            }
            if let Poll::Ready(Some((id, note))) = this.saving.poll_next_unpin(cx) {
                this.waiting.remove(&id);
                this.notes.push_back(note);
                continue;
            }
            match this.events.poll_next_unpin(cx) {
                Poll::Ready(Some(received)) => {
                    this.look(&received);
                    return Poll::Ready(Some(received));
                }
                Poll::Ready(None) => {
                    this.give_up(&this.events.0.end().unwrap_or(End::Closed));
                    if this.notes.is_empty() {
                        return Poll::Ready(None);
                    }
                    continue;
                }
                Poll::Pending => {}
            }
            let now = Instant::now();
            let Some(until) = this.open_until(now) else {
                return Poll::Pending;
            };
            if until <= now {
                this.client.begin_close();
                return Poll::Pending;
            }
            this.alarm.as_mut().reset(until);
            task::ready!(this.alarm.as_mut().poll(cx));
        }
    }
}

async fn save(client: Client, turn: Arc<Mutex<()>>, id: i32, folder: PathBuf) -> Note {
    let (mut since, mut pause, mut lost) = (None, FIRST_PAUSE, 0);
    loop {
        let mine = turn.lock().await;
        let saved = client.save_replay(id, &folder).await;
        drop(mine);
        let error = match saved {
            Ok(path) => return Note::ReplaySaved(path),
            Err(SaveError::Call(CallError::NotSent(end))) => SaveError::Ended(end),
            Err(SaveError::Call(CallError::Unknown(_))) => {
                lost += 1;
                if lost < LOST_CONNECTIONS {
                    continue;
                }
                SaveError::ConnectionsLost(lost)
            }
            Err(error) => error,
        };
        let since = since.get_or_insert_with(Instant::now);
        if !is_not_there_yet(&error) || since.elapsed() + pause > PATIENCE {
            return not_saved(id, error);
        }
        sleep(pause).await;
        (lost, pause) = (0, (pause * 2).min(LONGEST_PAUSE));
    }
}

fn not_saved(replay_id: i32, error: SaveError) -> Note {
    let error = Arc::new(error);
    Note::ReplayNotSaved { replay_id, error }
}

/// Whether a server may still be storing it: it announces a replay, then stores its bytes, then who has access to it.
fn is_not_there_yet(error: &SaveError) -> bool {
    use ResponseCode::{RespAccessDenied, RespInternalError, RespNameNotFound};
    let SaveError::Refused(RefusedError { code, .. }) = error else {
        return matches!(error, SaveError::Missing);
    };
    let not_yet = [RespAccessDenied, RespNameNotFound, RespInternalError];
    code.is_some_and(|code| not_yet.contains(&code))
}
