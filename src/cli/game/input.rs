//! Commands from standard input, one JSON object a line.

use std::io::{self, BufReader, PipeReader, Read};

use portreeve::game::Command;
use portreeve::game::client::{Client, Credentials, FIRST_CMD_ID, LoginError};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::mpsc;
use tower::ServiceExt;
use zeroize::Zeroizing;

use super::lines::next_line;

/// The maximum length of a line in bytes: an avatar of 3 MB takes 4 MB.
const LINE_LIMIT: usize = 8 << 20;

/// The maximum number of lines that wait for their answers.
pub(super) const UNANSWERED: usize = 64;

/// What went wrong with the login, or with a line.
pub(super) enum Report {
    /// The login failed. The connection is closed.
    LoginFailed(LoginError),
    /// The number of a line, whether it was sent, and why it was not, or was not answered.
    Line(u64, bool, String),
}

/// Standard input; once the session is over, only what can be read without waiting.
struct Source {
    stdin: io::Stdin,
    /// Ends when the session does.
    session: PipeReader,
}

/// Logs in, then sends the commands of standard input, unless only the messages of the server are wanted.
pub(super) async fn send(
    client: Client,
    credentials: Option<Credentials>,
    watch: bool,
    session: PipeReader,
    reports: mpsc::Sender<Report>,
) {
    if let Some(credentials) = credentials
        && let Err(error) = client.login(&credentials).await
    {
        client.close().await;
        if reports.send(Report::LoginFailed(error)).await.is_err() {
            return;
        }
    }
    if !watch {
        send_lines(client, session, reports).await;
    }
}

/// Checks and sends the commands of standard input until it ends. After the end of the session, the lines that are left
/// are reported as not sent. There are reports until the last answer has come.
async fn send_lines(mut client: Client, session: PipeReader, reports: mpsc::Sender<Report>) {
    let (sender, mut lines) = mpsc::channel(1);
    // Not joined, as the session may end while it reads.
    std::thread::spawn(move || read(session, &sender));
    let mut line = 0;
    while let Some(text) = lines.recv().await {
        line += 1;
        // The place of its report bounds how many lines wait for their answers. The receiver is gone when the command ends.
        let Ok(place) = reports.clone().reserve_owned().await else {
            return;
        };
        let called = match text.and_then(|text| parse(&text, line)) {
            Ok(None) => continue,
            Ok(Some((cmd_id, command))) => match client.ready().await {
                Ok(client) => Ok(client.call_with_id(cmd_id, command)),
                Err(error) => Err(error.to_string()),
            },
            Err(problem) => Err(problem),
        };
        let report = move |sent, problem| drop(place.send(Report::Line(line, sent, problem)));
        match called {
            Ok(answer) => {
                tokio::spawn(async move {
                    if let Err(error) = answer.await {
                        report(error.was_sent(), error.to_string());
                    }
                });
            }
            Err(problem) => report(false, problem),
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

fn read(session: PipeReader, lines: &mpsc::Sender<Result<Zeroizing<String>, String>>) {
    let stdin = io::stdin();
    let mut input = BufReader::new(Source { stdin, session });
    loop {
        let (line, goes_on) = match next_line(&mut input, LINE_LIMIT) {
            Ok(None) => return,
            Ok(Some(line)) => (line.map_err(|error| error.to_string()), true),
            Err(error) => (Err(format!("cannot read standard input: {error}")), false),
        };
        if lines.blocking_send(line).is_err() || !goes_on {
            return;
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut ready =
            [PollFd::new(&self.stdin, PollFlags::IN), PollFd::new(&self.session, PollFlags::IN)];
        loop {
            match poll(&mut ready, None) {
                Ok(_) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if ready[0].revents().is_empty() {
            return Ok(0);
        }
        Ok(rustix::io::read(&self.stdin, buffer)?)
    }
}
