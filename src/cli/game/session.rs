//! A session of `portreeve game connect`: prints messages, and waits for the answers to commands.

use std::collections::BTreeMap;
use std::io::{self, PipeWriter};
use std::path::Path;
use std::time::Duration;

use futures_util::{FutureExt, StreamExt};
use portreeve::game::client::{
    CallError, Client, End, Events, LoginError, Note, Received, Replays, SaveError,
};
use portreeve::game::frame::HEADER_LEN;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use super::input::Report;
use super::output::Output;
use crate::cli::output::is_closed;
use crate::cli::terminal::json_line;
use crate::cli::{Failure, decode};

/// The maximum number of lines that are read from the input after the end of the session: it may be endless.
const LAST_LINES: u64 = 10_000;

/// The time within which a connection is closed, or an announced replay is saved.
const CLOSING: Duration = Duration::from_secs(10);

/// What the server sends, and how the session is closed.
pub(super) enum Messages {
    Plain(Events),
    /// The replays are saved; at the end their announcement is awaited for this long.
    Saving(Box<Replays>, Duration),
}

pub(super) struct Session {
    client: Client,
    events: Messages,
    /// What went wrong with the login and the lines; `None` after the last answer.
    reports: Option<mpsc::Receiver<Report>>,
    /// Whether the session goes on without input.
    watch: bool,
    /// Dropped when the session is over, which ends the reading of the input.
    over: Option<PipeWriter>,
    output: Output,
    /// The offset of the next message among the messages of the server, as if framed for TCP.
    offset: usize,
    faults: Faults,
}

/// Problems, each of which has been reported in its place.
#[derive(Default)]
struct Faults {
    counts: BTreeMap<&'static str, u64>,
    /// Whether more lines than can be reported were left.
    endless_input: bool,
    login: Option<LoginError>,
}

// === impl Session ===

impl Session {
    pub(super) fn new(
        client: Client,
        events: Messages,
        watch: bool,
        reports: mpsc::Receiver<Report>,
        over: PipeWriter,
    ) -> Self {
        Self {
            client,
            events,
            reports: Some(reports),
            watch,
            over: Some(over),
            output: Output::start(),
            offset: 0,
            faults: Faults::default(),
        }
    }

    /// Prints messages until the session is over. Cancel-safe: [`close_within`](Self::close_within) prints the rest.
    pub(super) async fn run(&mut self) -> io::Result<()> {
        // The connection ends after the last answer: messages that arrive with it are still printed.
        while self.watch || self.reports.is_some() {
            // Messages are only taken when they can be printed, so that the server waits for the reader.
            let Some(room) = self.output.room().await else {
                break;
            };
            let line = tokio::select! {
                biased;
                report = next(&mut self.reports), if self.reports.is_some() => self.report(report),
                event = self.events.next() => match event {
                    Some(event) => self.line(&event),
                    None => break,
                },
            };
            if let Some(line) = line {
                room.send(line);
            }
        }
        self.events.close(&self.client);
        self.rest().await
    }

    /// Closes the connection and prints what remains, as long as the reader takes it within `limit` from then on.
    pub(super) async fn close_within(&mut self, limit: Duration) -> io::Result<()> {
        let client = self.client.clone();
        let patience = self.events.close(&client);
        tokio::select! {
            biased;
            written = self.rest() => written,
            () = async { _ = timeout(patience, client.ended()).await; sleep(limit).await } => Ok(()),
        }
    }

    /// Prints the messages until the connection is closed, and reports the lines without an answer.
    async fn rest(&mut self) -> io::Result<()> {
        // What is left of the input can no longer be sent.
        self.over = None;
        while let Some(event) = self.events.next().await {
            if let Some(line) = self.line(&event) {
                self.print(line).await;
            }
        }
        for left in (0..LAST_LINES).rev() {
            let Some(report) = next(&mut self.reports).await else { break };
            if let Some(line) = self.report(Some(report)) {
                self.print(line).await;
            }
            self.faults.endless_input |= left == 0;
        }
        self.output.finish().await
    }

    pub(super) fn outcome(mut self, written: io::Result<()>) -> Result<(), Failure> {
        is_closed(written)?;
        // What could not be printed counts all the same.
        while let Some(Some(event)) = self.events.next().now_or_never() {
            self.line(&event);
        }
        while let Some(Some(report)) = next(&mut self.reports).now_or_never() {
            self.report(Some(report));
        }
        let end = self.client.ended().now_or_never();
        // A signal may end the login.
        use CallError::{NotSent, Unknown};
        if let Some(LoginError::Call(NotSent(_) | Unknown(_))) = self.faults.login
            && matches!(end, Some(End::Closed))
        {
            self.faults.login = None;
        }
        self.faults.outcome(end)
    }

    fn report(&mut self, report: Option<Report>) -> Option<String> {
        match report? {
            Report::LoginFailed(error) => {
                self.faults.login = Some(error);
                None
            }
            Report::Line(line, sent, problem) => {
                let fault = if sent { "lines sent and not answered" } else { "lines not sent" };
                self.faults.count(fault);
                let line = json!({ "type": "LINE", "line": line, "sent": sent, "error": problem });
                Some(json_line(&line))
            }
        }
    }

    async fn print(&self, line: String) {
        if let Some(room) = self.output.room().await {
            room.send(line);
        }
    }

    fn line(&mut self, event: &Received) -> Option<String> {
        if let Some(note) = event.as_note() {
            return self.note(note);
        }
        let mut line = String::new();
        self.offset += HEADER_LEN;
        let good = decode::server_line(self.offset, &event.bytes, &mut line);
        self.offset += event.bytes.len();
        if !good {
            self.faults.count("messages that cannot be read");
        }
        Some(line)
    }

    fn note(&mut self, note: &Note) -> Option<String> {
        let line = match note {
            Note::Gap(end) => json!({ "type": "GAP", "reason": end.to_string() }),
            Note::Restored => json!({ "type": "RESTORED" }),
            Note::NotRestored { command, room_id, refused } => {
                self.faults.count("parts of the session not restored");
                let (command, error) = (command.name(), refused.to_string());
                json!({ "type": "NOT_RESTORED", "command": command, "room_id": room_id, "error": error })
            }
            Note::ReplaySaved(path) => return Some(saved(path)),
            Note::ReplayNotSaved { replay_id, error } => {
                self.faults.count("replays not saved");
                return Some(not_saved(*replay_id, error));
            }
            Note::ReplayNotAnnounced { game_id } => {
                self.faults.count("replays not saved");
                let error = "the session ended before the game server announced the replay of this game; once it has, \
                             `portreeve game replays` saves it";
                json!({ "type": "REPLAY", "game_id": game_id, "error": error })
            }
            note => json!({ "type": "NOTE", "text": format!("{note:?}") }),
        };
        Some(json_line(&line))
    }
}

// === impl Faults ===

impl Faults {
    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn outcome(self, end: Option<End>) -> Result<(), Failure> {
        if let Some(error) = self.login {
            return Err(Failure::new(error));
        }
        let end = end.filter(|end| !matches!(end, End::Closed));
        let mut problems: Vec<_> = end.iter().map(End::to_string).collect();
        let counts = self.counts.iter();
        problems.extend(counts.map(|(what, count)| format!("{what}: {count}")));
        if self.endless_input {
            problems.push("the rest of the input was not read".to_owned());
        }
        let said = problems.join("; ");
        if said.is_empty() { Ok(()) } else { Err(Failure::new(said)) }
    }
}

/// The next report. After the last one, `None` once.
async fn next(reports: &mut Option<mpsc::Receiver<Report>>) -> Option<Report> {
    let next = reports.as_mut()?.recv().await;
    if next.is_none() {
        *reports = None;
    }
    next
}

pub(super) fn saved(path: &Path) -> String {
    // A path need not be UTF-8, JSON is.
    json_line(&json!({ "type": "REPLAY", "file": path.to_string_lossy() }))
}

pub(super) fn not_saved(replay_id: i32, error: &SaveError) -> String {
    json_line(&json!({ "type": "REPLAY", "replay_id": replay_id, "error": error.to_string() }))
}

// === impl Messages ===

impl Messages {
    async fn next(&mut self) -> Option<Received> {
        match self {
            Self::Plain(events) => events.next().await,
            Self::Saving(replays, _) => replays.next().await,
        }
    }

    /// Begins to close the connection; returns how long that may take while the messages are read.
    fn close(&mut self, client: &Client) -> Duration {
        match self {
            Self::Plain(_) => {
                let client = client.clone();
                tokio::spawn(async move { client.close().await });
                CLOSING
            }
            Self::Saving(replays, wait) => {
                replays.close(*wait);
                2 * CLOSING + *wait
            }
        }
    }
}
