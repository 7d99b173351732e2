use parking_lot::Mutex;

use super::line;
use crate::game::schema::ServerMessage;
use crate::game::schema::command::{CommandContainer, CommandKind, SessionCommandKind};
use crate::game::transport::connection::{Connector, Traffic};

/// Records the sessions over the connections of `connector`: passes each line of the script to `write`, without its
/// line break. Secrets are recorded as `***`.
///
/// ```no_run
/// # fn connector() -> std::io::Result<portreeve::game::connection::Connector> {
/// use std::io::Write;
///
/// use portreeve::game::connection::Connector;
/// use portreeve::game::testing;
///
/// let mut file = std::fs::File::create_new("session.script")?;
/// let connector = testing::record(Connector::default(), move |line| {
///     writeln!(file, "{line}").expect("there is room on the disk");
/// });
/// # Ok(connector)
/// # }
/// ```
pub fn record(connector: Connector, write: impl FnMut(&str) + Send + 'static) -> Connector {
    let recorder = Mutex::new((Recorder::default(), write));
    connector.observe(move |traffic| {
        // A line that panics is not written; the next ones are.
        let mut recorder = recorder.lock();
        let (recorder, write) = &mut *recorder;
        if let Some(line) = recorder.line(traffic) {
            write(&line);
        }
    })
}

#[derive(Debug, Default)]
struct Recorder {
    connected: bool,
    /// The `cmd_id`s of the keep-alives that have not been answered. They are not recorded.
    pings: Vec<u64>,
}

impl Recorder {
    fn line(&mut self, traffic: Traffic<'_>) -> Option<String> {
        match traffic {
            Traffic::Connected => {
                self.pings.clear();
                std::mem::replace(&mut self.connected, true).then(|| "-".to_owned())
            }
            Traffic::Sent(bytes) => {
                let container = CommandContainer::parse(bytes).ok();
                if let Some(ping) = container.as_ref().filter(|sent| is_ping(sent)) {
                    self.pings.push(ping.cmd_id());
                    return None;
                }
                Some(match container.as_ref().and_then(line::command) {
                    Some(json) => format!("> {json}"),
                    None => "# a command that cannot be read".to_owned(),
                })
            }
            Traffic::Received(bytes) => {
                let message = ServerMessage::parse(bytes).ok();
                let answer = message.and_then(|message| message.response().ok()?);
                if answer.is_some_and(|response| self.answers_ping(response.cmd_id())) {
                    return None;
                }
                Some(match message.and_then(|message| line::masked(&message)) {
                    Some(json) => format!("< {json}"),
                    None => "# a message that cannot be read".to_owned(),
                })
            }
        }
    }

    fn answers_ping(&mut self, cmd_id: u64) -> bool {
        let ping = self.pings.iter().position(|ping| *ping == cmd_id);
        ping.map(|ping| self.pings.swap_remove(ping)).is_some()
    }
}

/// Whether a container has keep-alives only.
pub(in crate::game::testing) fn is_ping(container: &CommandContainer<'_>) -> bool {
    let ping = CommandKind::Session(SessionCommandKind::Ping);
    let mut kinds = container.kinds().peekable();
    kinds.peek().is_some() && kinds.all(|kind| kind == ping)
}
