//! A session of `portreeve game connect`: prints messages, and waits for the answers to commands.

use std::io;

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use portreeve::game::client::{Answer, CallError, Client, End, Events, LoginError, Note, Received};
use portreeve::game::frame::HEADER_LEN;
use portreeve::game::{MessageType, ServerMessage};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::input::Report;
use super::output::Output;
use crate::cli::output::is_closed;
use crate::cli::{Failure, decode};

/// The state of a session.
pub(super) struct Session {
    client: Client,
    events: Events,
    /// The task that logs in and sends commands.
    commands: JoinHandle<Result<(), LoginError>>,
    /// The reports of that task about the input; `None` after the last one.
    reports: Option<mpsc::Receiver<Report>>,
    /// The lines whose commands wait for their answers.
    calls: FuturesUnordered<BoxFuture<'static, (u64, Result<Answer, CallError>)>>,
    output: Output,
    /// The offset of the next message among the messages of the server, as if framed for TCP.
    offset: usize,
    faults: Faults,
}

/// Counts of problems, each of which has been reported in its place.
#[derive(Default)]
struct Faults {
    /// Lines that were not sent.
    not_sent: u64,
    /// Lines that were sent and not answered.
    not_answered: u64,
    /// Messages of the server that cannot be read.
    unreadable: u64,
    /// Replays that were not saved.
    not_saved: u64,
    login: Option<LoginError>,
}

// === impl Session ===

impl Session {
    pub(super) fn new(
        client: Client,
        events: Events,
        commands: JoinHandle<Result<(), LoginError>>,
        reports: mpsc::Receiver<Report>,
    ) -> Self {
        Self {
            client,
            events,
            commands,
            reports: Some(reports),
            calls: FuturesUnordered::new(),
            output: Output::start(),
            offset: 0,
            faults: Faults::default(),
        }
    }

    /// Prints messages until the session is over. Cancel-safe: [`close`](Self::close) prints the rest.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) async fn run(&mut self) -> io::Result<()> {
        // The connection ends after the last answer: messages that arrive with it are still printed.
        while self.reports.is_some() || !self.calls.is_empty() {
            // Messages are only taken when they can be printed, so that the server waits for the reader.
            let Some(room) = self.output.room().await else {
                break;
            };
            tokio::select! {
                biased;
                Some((line, answer)) = self.calls.next() => {
                    if let Some(line) = self.answered(line, answer) {
                        room.send(line);
                    }
                }
                report = next(&mut self.reports) => match report {
                    Some(Report::Called { line, answer }) => {
                        self.calls.push(answer.map(move |answer| (line, answer)).boxed());
                    }
                    Some(Report::Refused { line, problem }) => {
                        room.send(self.fault(line, false, &problem));
                    }
                    None => self.reports = None,
                },
                event = self.events.next() => match event {
                    Some(event) => {
                        room.send(self.line(&event));
                    }
                    None => break,
                },
            }
        }
        self.close().await
    }

    /// Closes the connection, prints the remaining messages, and reports the lines without an answer.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        self.client.close().await;
        while let Some(room) = self.output.room().await {
            let Some(event) = self.events.next().await else {
                break;
            };
            room.send(self.line(&event));
        }
        // Lines that were read from the input before the end, which the task may not have handled.
        if let Some(mut reports) = self.reports.take() {
            reports.close();
            while let Some(report) = reports.recv().await {
                match report {
                    Report::Called { line, answer } => {
                        self.calls
                            .push(answer.map(move |answer| (line, answer)).boxed());
                    }
                    Report::Refused { line, problem } => {
                        let line = self.fault(line, false, &problem);
                        self.print(line).await;
                    }
                }
            }
        }
        while let Some((line, answer)) = self.calls.next().await {
            if let Some(line) = self.answered(line, answer) {
                self.print(line).await;
            }
        }
        self.output.finish().await
    }

    /// The result of the session.
    pub(super) async fn outcome(mut self, written: io::Result<()>) -> Result<(), Failure> {
        is_closed(written)?;
        self.commands.abort();
        let end = self.events.end();
        if let Ok(Err(error)) = (&mut self.commands).await {
            // A signal ended it.
            let is_ours = matches!(
                (&error, &end),
                (
                    LoginError::Call(CallError::NotSent(_) | CallError::Unknown(_)),
                    Some(End::Closed)
                )
            );
            self.faults.login = Some(error).filter(|_| !is_ours);
        }
        self.faults.outcome(end)
    }

    async fn print(&self, line: String) {
        if let Some(room) = self.output.room().await {
            room.send(line);
        }
    }

    /// A line about a command that has no answer.
    fn answered(&mut self, line: u64, answer: Result<Answer, CallError>) -> Option<String> {
        let error = answer.err()?;
        Some(self.fault(line, error.was_sent(), &error.to_string()))
    }

    /// The line about a line of the input.
    fn fault(&mut self, line: u64, sent: bool, problem: &str) -> String {
        if sent {
            self.faults.not_answered += 1;
        } else {
            self.faults.not_sent += 1;
        }
        json!({ "type": "LINE", "line": line, "sent": sent, "error": problem }).to_string()
    }

    /// The line of a message, or of a note of the client.
    fn line(&mut self, event: &Received) -> String {
        if let Some(note) = event.as_note() {
            return self.note(note);
        }
        let mut line = String::new();
        self.offset += HEADER_LEN;
        let good = decode::server_line(self.offset, event.bytes(), &mut line);
        self.offset += event.bytes().len();
        self.faults.unreadable += u64::from(!good);
        // Other lines already contain their type.
        let kind = match ServerMessage::parse(event.bytes()) {
            _ if !good => "UNREADABLE",
            Ok(message)
                if message.message_type() == MessageType::Response
                    && message.response.is_present() =>
            {
                MessageType::Response.name()
            }
            _ => return line,
        };
        line.insert_str(1, &format!("\"type\":\"{kind}\","));
        line
    }

    fn note(&mut self, note: &Note) -> String {
        let line = match note {
            Note::Gap(end) => json!({ "type": "GAP", "reason": end.to_string() }),
            Note::Restored => json!({ "type": "RESTORED" }),
            Note::ReplaySaved(path) => json!({ "type": "REPLAY", "file": path }),
            Note::ReplayNotSaved { replay_id, error } => {
                self.faults.not_saved += 1;
                json!({ "type": "REPLAY", "replay_id": replay_id, "error": error.to_string() })
            }
            note => json!({ "type": "NOTE", "text": format!("{note:?}") }),
        };
        line.to_string()
    }
}

// === impl Faults ===

impl Faults {
    fn outcome(self, end: Option<End>) -> Result<(), Failure> {
        if let Some(error) = self.login {
            return Err(Failure::new(error));
        }
        let mut said = Vec::new();
        if let Some(end) = end.filter(|end| !matches!(end, End::Closed)) {
            said.push(end.to_string());
        }
        for (count, what) in [
            (self.not_sent, "lines not sent"),
            (self.not_answered, "lines sent and not answered"),
            (self.unreadable, "messages that cannot be read"),
            (self.not_saved, "replays not saved"),
        ] {
            if count > 0 {
                said.push(format!("{what}: {count}"));
            }
        }
        if said.is_empty() {
            Ok(())
        } else {
            Err(Failure::new(said.join("; ")))
        }
    }
}

/// The next report; never, after the last one.
async fn next(reports: &mut Option<mpsc::Receiver<Report>>) -> Option<Report> {
    match reports {
        Some(reports) => reports.recv().await,
        None => std::future::pending().await,
    }
}
