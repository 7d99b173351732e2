//! Commands from standard input, one JSON object a line.

use std::io;

use portreeve::game::Command;
use portreeve::game::client::{CallError, Client};
use portreeve::game::pairing::MAX_CMD_ID;
use tokio::sync::mpsc;
use zeroize::Zeroizing;

use super::lines::Lines;

/// How long a line may be, in bytes: a portrait of 3 MB takes 4 MB.
const LINE_LIMIT: usize = 8 << 20;

/// What becomes of the input.
pub(super) enum Report {
    /// A command with this `cmd_id` goes out.
    Sending(u64),
    /// A line is no command, or was not sent.
    Refused {
        line: u64,
        problem: String,
        /// The command, if it was [reported](Report::Sending) before.
        cmd_id: Option<u64>,
    },
    /// There are no more lines.
    End,
}

/// A command as it is sent, and its `cmd_id`.
type Encoded = (u64, Zeroizing<Vec<u8>>);

/// Sends the commands of standard input until it ends; each is checked before.
pub(super) async fn send(client: Client, reports: mpsc::Sender<Report>) {
    let (sender, mut lines) = mpsc::channel(1);
    // A thread that nothing waits for: no signal ends its reading.
    std::thread::spawn(move || read(&sender));
    let mut number = 0;
    while let Some(line) = lines.recv().await {
        number += 1;
        let command = line.and_then(|line| parse(&line, number));
        let (problem, cmd_id) = match command {
            Ok(None) => continue,
            Err(problem) => (problem, None),
            Ok(Some((cmd_id, bytes))) => {
                // Told before it is sent, so that its answer is waited for before it comes.
                if reports.send(Report::Sending(cmd_id)).await.is_err() {
                    return;
                }
                match client.post(&bytes).await {
                    Ok(()) => continue,
                    // How the connection ended is told by the connection.
                    Err(CallError::Ended(_)) => return,
                    Err(error) => (error.to_string(), Some(cmd_id)),
                }
            }
        };
        let refused = Report::Refused {
            line: number,
            problem,
            cmd_id,
        };
        if reports.send(refused).await.is_err() {
            return;
        }
    }
    // Who waited for it has gone.
    let _ = reports.send(Report::End).await;
}

/// The command of a line, with the line's number as its `cmd_id` if it has none; `None` for an
/// empty line.
fn parse(line: &str, number: u64) -> Result<Option<Encoded>, String> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let (command, cmd_id) = Command::from_json(line).map_err(|error| error.to_string())?;
    let cmd_id = cmd_id.unwrap_or(number);
    // The highest is that of the signs of life, and a server changes what is above.
    if cmd_id >= MAX_CMD_ID {
        return Err(format!(
            "a server would not answer with this `cmd_id`; it must be below {MAX_CMD_ID}"
        ));
    }
    Ok(Some((cmd_id, Zeroizing::new(command.to_vec(cmd_id)))))
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
