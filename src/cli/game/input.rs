//! Commands from standard input, one JSON object a line.

use std::io;

use portreeve::game::Command;
use portreeve::game::client::{Client, FIRST_CMD_ID, ResponseFuture};
use tokio::sync::mpsc;
use tower::ServiceExt;
use zeroize::Zeroizing;

use super::lines::Lines;

/// The maximum length of a line in bytes: an avatar of 3 MB takes 4 MB.
const LINE_LIMIT: usize = 8 << 20;

/// The outcome of a line.
pub(super) enum Report {
    /// Its command is queued, or waits for its answer.
    Called { line: u64, answer: ResponseFuture },
    /// It is not a command, or was not sent.
    Refused { line: u64, problem: String },
}

/// Checks and sends the commands of standard input until it ends.
pub(super) async fn send(mut client: Client, reports: mpsc::Sender<Report>) {
    let (sender, mut lines) = mpsc::channel(1);
    // Not joined, since signals do not interrupt its reading.
    std::thread::spawn(move || read(&sender));
    let mut number = 0;
    while let Some(line) = lines.recv().await {
        number += 1;
        let command = match line.and_then(|line| parse(&line, number)) {
            Ok(None) => continue,
            Ok(Some((cmd_id, command))) => match client.ready().await {
                Ok(client) => Ok(client.call_as(cmd_id, command)),
                Err(error) => Err(error.to_string()),
            },
            Err(problem) => Err(problem),
        };
        let line = number;
        let report = match command {
            Ok(answer) => Report::Called { line, answer },
            Err(problem) => Report::Refused { line, problem },
        };
        // The receiver is gone.
        if reports.send(report).await.is_err() {
            return;
        }
    }
}

/// The command of a line, with the number of the line as its `cmd_id` if it has none; `None` for an empty line.
fn parse(line: &str, number: u64) -> Result<Option<(u64, Command)>, String> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let (command, cmd_id) = Command::from_json(line).map_err(|error| error.to_string())?;
    // After more than a billion lines the numbers start over.
    let cmd_id = cmd_id.unwrap_or(number % FIRST_CMD_ID);
    Ok(Some((cmd_id, command)))
}

fn read(lines: &mpsc::Sender<Result<Zeroizing<String>, String>>) {
    let mut input = Lines::new(io::stdin().lock(), LINE_LIMIT);
    loop {
        let (line, goes_on) = match input.next() {
            Ok(None) => return,
            Ok(Some(line)) => (line.map_err(|error| error.to_string()), true),
            Err(error) => (Err(format!("cannot read standard input: {error}")), false),
        };
        if lines.blocking_send(line).is_err() || !goes_on {
            return;
        }
    }
}
