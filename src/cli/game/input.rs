//! Commands from standard input, one JSON object a line.

use std::io::{self, BufRead, Read};

use portreeve::game::Command;
use portreeve::game::client::{CallError, Client};
use tokio::sync::mpsc;

/// How long a line may be, in bytes: a portrait of 3 MB takes 4 MB.
const LINE_LIMIT: u64 = 8 << 20;

/// What becomes of the input.
pub(super) enum Report {
    /// A command with this `cmd_id` goes out.
    Sending(u64),
    /// A line is no command, or was not sent.
    Refused { line: u64, problem: String },
    /// There are no more lines.
    End,
}

/// Sends the commands of standard input until it ends; each is checked before.
pub(super) async fn send(client: Client, reports: mpsc::Sender<Report>) {
    let (sender, mut lines) = mpsc::channel(1);
    // A thread that nothing waits for: no signal ends its reading.
    std::thread::spawn(move || read(&sender));
    let mut number = 0;
    while let Some(line) = lines.recv().await {
        number += 1;
        let read = line.and_then(|line| parse(&line, number));
        let (cmd_id, bytes) = match read {
            Ok(None) => continue,
            Ok(Some(command)) => command,
            Err(problem) => {
                let line = number;
                if reports
                    .send(Report::Refused { line, problem })
                    .await
                    .is_err()
                {
                    return;
                }
                continue;
            }
        };
        // Told before it is sent, so that its answer is waited for before it comes.
        if reports.send(Report::Sending(cmd_id)).await.is_err() {
            return;
        }
        match client.post(&bytes).await {
            Ok(()) => {}
            // How the connection ended is told by the connection.
            Err(CallError::Ended(_)) => return,
            Err(error) => {
                let problem = error.to_string();
                let refused = Report::Refused {
                    line: number,
                    problem,
                };
                if reports.send(refused).await.is_err() {
                    return;
                }
            }
        }
    }
    // Who waited for it has gone.
    let _ = reports.send(Report::End).await;
}

/// The command of a line, with the line's number as its `cmd_id` if it has none; `None` for an
/// empty line.
fn parse(line: &str, number: u64) -> Result<Option<(u64, Vec<u8>)>, String> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let (command, cmd_id) = Command::from_json(line).map_err(|error| error.to_string())?;
    let cmd_id = cmd_id.unwrap_or(number);
    Ok(Some((cmd_id, command.to_vec(cmd_id))))
}

fn read(lines: &mpsc::Sender<Result<String, String>>) {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) => return,
            Ok(_) if line.len() as u64 == LINE_LIMIT && !line.ends_with(b"\n") => {
                if !skip_line(&mut input) {
                    return;
                }
                Err(format!("a line of more than {LINE_LIMIT} bytes"))
            }
            Ok(_) => String::from_utf8(line).map_err(|_| "a line that is not UTF-8".to_owned()),
            Err(error) => Err(format!("cannot read standard input: {error}")),
        };
        let ends = matches!(&line, Err(problem) if problem.starts_with("cannot read"));
        if lines.blocking_send(line).is_err() || ends {
            return;
        }
    }
}

/// Skips what is left of a line; `false` if that cannot be read.
fn skip_line(input: &mut impl BufRead) -> bool {
    loop {
        let Ok(bytes) = input.fill_buf() else {
            return false;
        };
        let (length, done) = match bytes.iter().position(|&byte| byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        input.consume(length);
        if done {
            return true;
        }
    }
}
