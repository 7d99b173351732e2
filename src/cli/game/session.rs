//! A session of `portreeve game connect`: what comes is printed, and the answers to what was sent are
//! waited for.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::ServerMessage;
use portreeve::game::client::{Client, End, Events, LoginError, Received};
use portreeve::game::frame::HEADER_LEN;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::task::coop::unconstrained;
use tokio::time::{Instant, sleep_until};

use super::input::Report;
use super::output::Output;
use crate::cli::output::is_closed;
use crate::cli::{Failure, decode};

/// How long the last answers are waited for after the input has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(30);

/// What there is of a session.
pub(super) struct Session {
    client: Client,
    events: Events,
    /// What sends commands.
    commands: JoinHandle<Result<(), LoginError>>,
    /// Whether it goes on.
    sending: bool,
    /// What it does with the input; `None` after its last report.
    reports: Option<mpsc::Receiver<Report>>,
    output: Output,
    /// Where in the server's messages the next one begins, as if they were framed by TCP.
    offset: usize,
    /// How many answers are still to come, by `cmd_id`.
    waiting: HashMap<u64, u32>,
    /// Until when they are waited for, once there is no more input.
    until: Option<Instant>,
    refused: u64,
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
            sending: true,
            reports: Some(reports),
            output: Output::start(),
            offset: 0,
            waiting: HashMap::new(),
            until: None,
            refused: 0,
            login: None,
        }
    }

    /// Prints what comes, until the session is over. Dropped, it has lost nothing:
    /// [`close`](Self::close) prints the rest.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) async fn run(&mut self) -> io::Result<()> {
        while self.goes_on() {
            // What has come is looked at when it can be printed: the server waits for the reader.
            let Some(room) = self.output.room().await else {
                break;
            };
            let until = self.until;
            tokio::select! {
                // A command is counted before its answer is, so a report that is there is never put
                // off for the sake of other tasks.
                biased;
                report = unconstrained(next(&mut self.reports)) => {
                    if let Some(line) = self.reported(report) {
                        room.send(line);
                    }
                }
                event = self.events.next() => match event {
                    Some(event) => {
                        room.send(self.line(&event));
                    }
                    None => break,
                },
                ended = &mut self.commands, if self.sending => {
                    self.sending = false;
                    if let Ok(Err(error)) = ended {
                        self.login = Some(error);
                    }
                }
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => break,
            }
        }
        self.close().await
    }

    /// Closes the connection and prints what came until then.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) async fn close(&mut self) -> io::Result<()> {
        self.commands.abort();
        self.client.close().await;
        while let Some(room) = self.output.room().await {
            let Some(event) = self.events.next().await else {
                break;
            };
            room.send(self.line(&event));
        }
        self.output.finish().await
    }

    /// How it went.
    pub(super) fn outcome(self, written: io::Result<()>) -> Result<(), Failure> {
        is_closed(written)?;
        if let Some(error) = self.login {
            return Err(Failure::new(error));
        }
        match (self.events.end(), self.refused) {
            (Some(End::Closed) | None, 0) => Ok(()),
            (Some(End::Closed) | None, refused) => Err(Failure::new(format_args!(
                "not sent: {refused} of the lines; each is reported in its place above"
            ))),
            (Some(end), _) => Err(Failure::new(end)),
        }
    }

    /// Whether there is something to wait for.
    fn goes_on(&self) -> bool {
        self.login.is_none() && (self.until.is_none() || !self.waiting.is_empty())
    }

    /// Notes what became of a line; a line for it, if it was refused.
    fn reported(&mut self, report: Option<Report>) -> Option<String> {
        match report {
            Some(Report::Sending(cmd_id)) => *self.waiting.entry(cmd_id).or_insert(0) += 1,
            Some(Report::Refused {
                line,
                problem,
                cmd_id,
            }) => {
                self.refused += 1;
                cmd_id.into_iter().for_each(|cmd_id| self.answered(cmd_id));
                return Some(serde_json::json!({ "line": line, "error": problem }).to_string());
            }
            Some(Report::End) => {
                self.reports = None;
                self.until = Some(Instant::now() + LAST_ANSWERS);
            }
            // Why is told by the task, or by the connection.
            None => self.reports = None,
        }
        None
    }

    /// The line of a message.
    fn line(&mut self, event: &Received) -> String {
        let response = ServerMessage::parse(event.bytes()).and_then(|message| message.response());
        if let Ok(Some(response)) = response {
            self.answered(response.cmd_id());
        }
        let mut line = String::new();
        self.offset += HEADER_LEN;
        decode::server_line(self.offset, event.bytes(), &mut line);
        self.offset += event.bytes().len();
        line
    }

    /// One answer less is to come.
    fn answered(&mut self, cmd_id: u64) {
        if let Some(count) = self.waiting.get_mut(&cmd_id) {
            *count -= 1;
            if *count == 0 {
                self.waiting.remove(&cmd_id);
            }
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
