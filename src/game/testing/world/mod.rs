//! The state of the server, and how it executes commands.

mod games;
mod logins;
mod rooms;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use super::Fault;
use super::game::Game;
use super::message::{Failure, Reply, session_event};
use super::received::ReceivedCommand;
use super::sessions::{Session, User};
use crate::game::client::{PROTOCOL, hashed_password};
use crate::game::runtime::check::check;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::{CommandContainer, CommandKind, SessionCommandKind};

/// The number of commands that are kept for [`next_command`](super::Server::next_command).
const KEPT_COMMANDS: usize = 10_000;
/// The `cmd_id` of the answer to a command that has none.
const NO_CMD_ID: u64 = u64::MAX;
/// The salt of every password.
const SALT: &str = "testsalt00000001";

#[derive(Debug)]
pub(super) struct World {
    accounts: BTreeMap<String, Zeroizing<String>>,
    rooms: Vec<String>,
    sessions: BTreeMap<u64, Session>,
    games: BTreeMap<u32, Game>,
    commands: VecDeque<ReceivedCommand>,
    faults: Vec<Fault>,
    next_session: u64,
    next_game: u32,
    /// Messages to send to the session after the answer to the current command.
    after: Vec<Bytes>,
}

impl World {
    pub(super) fn new(accounts: Vec<(String, Zeroizing<String>)>, rooms: Vec<String>) -> Self {
        let hashed = |(user, password): (String, Zeroizing<String>)| {
            let hash = hashed_password(SALT, &password);
            (user, hash)
        };
        Self {
            accounts: accounts.into_iter().map(hashed).collect(),
            rooms,
            sessions: BTreeMap::new(),
            games: BTreeMap::new(),
            commands: VecDeque::new(),
            faults: Vec::new(),
            next_session: 0,
            next_game: 1,
            after: Vec::new(),
        }
    }

    // --- faults ---

    pub(super) fn inject(&mut self, fault: Fault) {
        let kind = std::mem::discriminant(&fault);
        self.faults
            .retain(|other| std::mem::discriminant(other) != kind);
        self.faults.push(fault);
    }

    pub(super) fn recover(&mut self) {
        self.faults.clear();
    }

    pub(super) fn refuses_connections(&self) -> bool {
        self.faults.contains(&Fault::RefuseConnections)
    }

    pub(super) fn delay(&self) -> Duration {
        let delay = self.faults.iter().find_map(|fault| match fault {
            Fault::Delay(delay) => Some(*delay),
            _ => None,
        });
        delay.unwrap_or_default()
    }

    /// Drops the connections of a user, or all; returns their number.
    pub(super) fn cut(&mut self, user: Option<&str>) -> usize {
        let mut cut = 0;
        for session in self.sessions.values() {
            if user.is_none_or(|user| session.is_of(user)) {
                session.cut();
                cut += 1;
            }
        }
        cut
    }

    // --- connections ---

    pub(super) fn connect(
        &mut self,
        outgoing: mpsc::UnboundedSender<Bytes>,
        cut: CancellationToken,
    ) -> u64 {
        let id = self.next_session;
        self.next_session += 1;
        let session = Session::new(outgoing, cut);
        let identification = json!({
            "server_name": "portreeve",
            "server_version": concat!("for tests ", env!("CARGO_PKG_VERSION")),
            "protocol_version": PROTOCOL,
            "server_options": "SupportsPasswordHash",
        });
        session.send(&session_event("ServerIdentification", identification));
        self.sessions.insert(id, session);
        id
    }

    pub(super) fn disconnect(&mut self, id: u64) {
        let Some(session) = self.sessions.remove(&id) else {
            return;
        };
        let Some(user) = session.user else { return };
        for &room in &session.rooms {
            self.send_left_room(room, &user.name);
        }
        self.lose_seats(id, &user);
        let left = session_event("UserLeft", json!({"name": user.name}));
        self.send_to(|session| session.watches_users, &left);
    }

    pub(super) fn users(&self) -> Vec<String> {
        let mut names: Vec<_> = self.online().map(|user| user.name.clone()).collect();
        names.sort();
        names
    }

    pub(super) fn next_command(&mut self) -> Option<ReceivedCommand> {
        self.commands.pop_front()
    }

    pub(super) fn send_to_all(&self, message: &Bytes) {
        self.send_to(|session| session.user.is_some(), message);
    }

    fn send_to(&self, to: impl Fn(&Session) -> bool, message: &Bytes) {
        for session in self.sessions.values().filter(|session| to(session)) {
            session.send(message);
        }
    }

    // --- commands ---

    pub(super) fn receive(&mut self, id: u64, bytes: &[u8]) {
        // Like a real server, drops an unreadable command without an answer.
        let Ok(container) = CommandContainer::parse(bytes) else {
            return;
        };
        if check::<CommandContainer<'_>>(bytes).is_err() {
            return;
        }
        let Some(session) = self.sessions.get(&id) else {
            return;
        };
        let user = session.user.as_ref().map(|user| user.name.clone());
        let received = ReceivedCommand::new(user, &container);
        let ping = SessionCommandKind::Ping;
        if received.kind() != Some(CommandKind::Session(ping)) {
            self.commands.push_back(received);
            if self.commands.len() > KEPT_COMMANDS {
                self.commands.pop_front();
            }
        }
        if self.faults.contains(&Fault::Silence) {
            return;
        }
        let reply = self.execute(id, &container);
        // Of an earlier command of the container, even if a later one fails.
        let after = std::mem::take(&mut self.after);
        let reply = match reply {
            Ok(reply) => reply,
            Err(Failure::Refused(code)) => code.into(),
            Err(Failure::Unreadable) => return,
        };
        let cmd_id = container.cmd_id.unwrap_or(NO_CMD_ID);
        if let Some(session) = self.sessions.get(&id) {
            session.send(&reply.to_message(cmd_id));
            after.iter().for_each(|message| session.send(message));
        }
    }

    /// Executes the commands of one kind up to the first that is refused; the answer is that of the last one.
    fn execute(&mut self, id: u64, container: &CommandContainer<'_>) -> Result<Reply, Failure> {
        let mut reply = None;
        for command in container.game_command() {
            let command = command?.payload()?.ok_or(RespInvalidCommand)?;
            reply = Some(self.in_game(id, container.game_id(), &command)?);
        }
        for command in container.room_command() {
            let command = command?.payload()?.ok_or(RespInvalidCommand)?;
            reply = Some(self.in_room(id, container.room_id(), &command)?);
        }
        for command in container.session_command() {
            let command = command?.payload()?.ok_or(RespFunctionNotAllowed)?;
            reply = Some(self.in_session(id, &command)?);
        }
        if !container.moderator_command.is_empty() || !container.admin_command.is_empty() {
            return Err(RespLoginNeeded.into());
        }
        Ok(reply.ok_or(RespInvalidCommand)?)
    }

    /// Counts a command for [`Fault::Flood`].
    fn floods(&mut self, id: u64) -> bool {
        let limit = self.faults.iter().find_map(|fault| match fault {
            Fault::Flood { commands, window } => Some((*commands, *window)),
            _ => None,
        });
        match (limit, self.sessions.get_mut(&id)) {
            (Some((commands, window)), Some(session)) => session.floods(commands, window),
            _ => false,
        }
    }

    fn user(&self, id: u64) -> Option<User> {
        self.sessions.get(&id)?.user.clone()
    }

    fn online(&self) -> impl Iterator<Item = &User> {
        self.sessions
            .values()
            .filter_map(|session| session.user.as_ref())
    }

    fn send_to_room(&self, room: u32, message: &Bytes) {
        self.send_to(|session| session.rooms.contains(&room), message);
    }
}
