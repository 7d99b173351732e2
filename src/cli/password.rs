//! An app password from standard input: typed on a terminal, which does not show it, or piped.

use std::io::{self, IsTerminal, Read};

use portreeve::vault::AppPassword;
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use zeroize::Zeroizing;

use super::Failure;

/// More than any app password and its line break.
const LIMIT: u64 = 4096;

/// The app password of `user`, without the line break after it.
pub(super) async fn read(user: &str) -> Result<AppPassword, Failure> {
    let text = match io::stdin().is_terminal() {
        true => typed(user).await?,
        false => piped()?,
    };
    AppPassword::new(text.trim_end_matches(['\r', '\n'])).map_err(Failure::new)
}

/// Asks for it. A signal in the meantime must not leave the terminal without an echo.
async fn typed(user: &str) -> Result<Zeroizing<String>, Failure> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let as_it_was = tcgetattr(io::stdin()).map_err(io::Error::from)?;
    let prompt = format!("app password of {user} (not shown): ");
    let (sender, answer) = oneshot::channel();
    // A thread that nothing waits for: no signal ends its reading.
    std::thread::spawn(move || sender.send(rpassword::prompt_password(prompt).map(Zeroizing::new)));
    let answer = tokio::select! {
        answer = answer => answer.map_err(Failure::new)?,
        _ = interrupt.recv() => Err(io::ErrorKind::Interrupted.into()),
        _ = terminate.recv() => Err(io::ErrorKind::Interrupted.into()),
        _ = hangup.recv() => Err(io::ErrorKind::Interrupted.into()),
    };
    answer.map_err(|error| match error.kind() {
        io::ErrorKind::Interrupted => {
            // What cannot be restored is gone.
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &as_it_was);
            Failure::new("interrupted; nothing was stored")
        }
        _ => Failure::new(format_args!(
            "the app password cannot be read from the terminal: {error}; nothing was stored; give \
             it on standard input, from a file or a pipe"
        )),
    })
}

fn piped() -> Result<Zeroizing<String>, Failure> {
    let mut text = Zeroizing::new(String::with_capacity(LIMIT as usize));
    io::stdin()
        .lock()
        .take(LIMIT)
        .read_to_string(&mut text)
        .map_err(|error| {
            Failure::new(format_args!(
                "the app password cannot be read from standard input: {error}"
            ))
        })?;
    Ok(text)
}
