//! Reads a password: typed on a terminal without echo, or piped.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write as _};

use portreeve::vault::AppPassword;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

use super::Failure;
use super::output::say;
use super::signals::{self, Shutdown};
use crate::files;

pub(super) const LIMIT: u64 = 4096;

/// The app password of `user`, without the line break after it.
pub(super) async fn read(user: &str) -> Result<AppPassword, Failure> {
    let text = if io::stdin().is_terminal() {
        ask("app password", user, "nothing was stored").await?
    } else {
        let what = "cannot read the app password from standard input";
        let read = files::read_text_from(io::stdin().lock(), LIMIT);
        read.map_err(|error| Failure::new(format_args!("{what}: {error}")))?
    };
    AppPassword::new(text.trim_end_matches(['\r', '\n'])).map_err(Failure::new)
}

/// Asks for it with the terminal's echo off, which no signal may leave so; `consequence` is shown if none is typed.
pub(super) async fn ask(
    name: &str,
    user: &str,
    consequence: &str,
) -> Result<Zeroizing<String>, Failure> {
    let (mut shutdown, mut hangup) = (Shutdown::catch()?, signals::hangup()?);
    let as_it_was = tcgetattr(io::stdin()).map_err(io::Error::from)?;
    let mut silent = as_it_was.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    // The line break is shown, so that further output starts on a new line.
    silent.local_modes.insert(LocalModes::ECHONL);
    // Before the prompt, so that nothing typed early is shown.
    tcsetattr(io::stdin(), OptionalActions::Now, &silent).map_err(io::Error::from)?;
    // Even if the prompt cannot be written, a password can be typed.
    let _ = write!(io::stderr(), "{name} of {user} (not shown): ");
    let (sender, answer) = oneshot::channel();
    // Not joined, since signals do not interrupt its reading.
    std::thread::spawn(move || sender.send(line()));
    let answer = tokio::select! {
        answer = answer => answer.unwrap_or_else(|error| Err(io::Error::other(error))),
        () = shutdown.next() => Err(io::ErrorKind::Interrupted.into()),
        _ = hangup.recv() => Err(io::ErrorKind::Interrupted.into()),
    };
    // A terminal that cannot be restored is gone.
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &as_it_was);
    let problem = match answer {
        Ok(text) if !text.is_empty() => return Ok(text),
        Ok(_) => format!("no {name} was entered"),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => "interrupted".to_owned(),
        Err(error) => format!("cannot read the {name} from the terminal: {error}"),
    };
    // The line of the prompt ends here.
    say("");
    Err(Failure::new(format_args!("{problem}; {consequence}")))
}

fn line() -> io::Result<Zeroizing<String>> {
    let mut text = Zeroizing::new(String::with_capacity(LIMIT as usize));
    io::stdin().lock().take(LIMIT).read_line(&mut text)?;
    Ok(text)
}
