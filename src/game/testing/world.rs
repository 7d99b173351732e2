//! What the server knows, and what it does with commands.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use super::Fault;
use super::game::Game;
use super::message::{Reply, room_event, session_event};
use super::server::ReceivedCommand;
use super::sessions::{Session, User};
use crate::game::client::{PROTOCOL, hashed_password};
use crate::game::runtime::check::check;
use crate::game::runtime::error::{DecodeError, TextError};
use crate::game::runtime::nested::Nested;
use crate::game::runtime::repeated::Repeated;
use crate::game::schema::ResponseCode::{self, *};
use crate::game::schema::command::{
    CommandContainer, RoomCommandPayload, SessionCommandKind, SessionCommandPayload,
};
use crate::game::schema::event::{
    self, CloseReason, RoomMessageType, ServerIdentification, ServerOptions,
};
use crate::game::schema::{command, info, payload};

/// How many commands are kept for [`next_command`](super::Server::next_command).
const KEPT_COMMANDS: usize = 10_000;
/// The `cmd_id` of the answer to a command that has none.
const NO_CMD_ID: u64 = u64::MAX;
/// The salt of every password.
const SALT: &str = "testsalt00000001";

#[derive(Debug)]
pub(super) struct World {
    accounts: BTreeMap<String, Zeroizing<String>>,
    rooms: Vec<String>,
    pub(super) sessions: BTreeMap<u64, Session>,
    pub(super) games: BTreeMap<u32, Game>,
    commands: VecDeque<ReceivedCommand>,
    faults: Vec<Fault>,
    next_session: u64,
    pub(super) next_game: u32,
    /// What is sent once the command at hand is answered.
    pub(super) after: Vec<Bytes>,
}

/// Why a command is not carried out.
#[derive(Debug)]
pub(super) enum Failure {
    Refused(ResponseCode),
    /// Its payload cannot be read.
    Unreadable,
}

impl From<ResponseCode> for Failure {
    fn from(code: ResponseCode) -> Self {
        Self::Refused(code)
    }
}

impl From<DecodeError> for Failure {
    fn from(_: DecodeError) -> Self {
        Self::Unreadable
    }
}

impl From<TextError> for Failure {
    fn from(_: TextError) -> Self {
        Self::Unreadable
    }
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

    /// Cuts the connections of a user, or all; how many there were.
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
        session.send(&session_event(&ServerIdentification {
            server_name: Some("portreeve".into()),
            server_version: Some(concat!("for tests ", env!("CARGO_PKG_VERSION")).into()),
            protocol_version: Some(PROTOCOL),
            server_options: Some(ServerOptions::SupportsPasswordHash),
            ..ServerIdentification::default()
        }));
        self.sessions.insert(id, session);
        id
    }

    pub(super) fn disconnect(&mut self, id: u64) {
        let Some(session) = self.sessions.remove(&id) else {
            return;
        };
        let Some(user) = session.user else { return };
        for &room in &session.rooms {
            self.tell_left_room(room, &user.name);
        }
        self.lose_seats(id, &user);
        let left = event::UserLeft {
            name: Some(user.name.as_str().into()),
            ..event::UserLeft::default()
        };
        self.send_to(|session| session.watches_users, &session_event(&left));
    }

    pub(super) fn users(&self) -> Vec<String> {
        let users = self
            .sessions
            .values()
            .filter_map(|session| session.user.as_ref());
        let mut names: Vec<_> = users.map(|user| user.name.clone()).collect();
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
        // As a real server: what cannot be read is dropped without an answer.
        let Ok(container) = CommandContainer::parse(bytes) else {
            return;
        };
        if check(&container).is_err() {
            return;
        }
        let Some(session) = self.sessions.get(&id) else {
            return;
        };
        let user = session.user.as_ref().map(|user| user.name.clone());
        let received = ReceivedCommand::new(user, &container);
        let ping = SessionCommandKind::Ping;
        if received.kind() != Some(command::CommandKind::Session(ping)) {
            self.commands.push_back(received);
            if self.commands.len() > KEPT_COMMANDS {
                self.commands.pop_front();
            }
        }
        if self.faults.contains(&Fault::Silence) {
            return;
        }
        let reply = match self.carry_out(id, &container) {
            Ok(reply) => reply,
            Err(Failure::Refused(code)) => code.into(),
            Err(Failure::Unreadable) => return,
        };
        let cmd_id = container.cmd_id.unwrap_or(NO_CMD_ID);
        let after = std::mem::take(&mut self.after);
        if let Some(session) = self.sessions.get(&id) {
            session.send(&reply.to_message(cmd_id));
            after.iter().for_each(|message| session.send(message));
        }
    }

    /// The commands of one kind, up to the first that is refused; the answer is that of the last.
    fn carry_out(&mut self, id: u64, container: &CommandContainer<'_>) -> Result<Reply, Failure> {
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

    fn in_session(
        &mut self,
        id: u64,
        command: &SessionCommandPayload<'_>,
    ) -> Result<Reply, Failure> {
        use SessionCommandPayload as C;
        let text = |text: &str| text.to_owned();
        match command {
            C::Ping(_) => return Ok(RespOk.into()),
            C::Login(login) => return self.log_in(id, login),
            C::Register(register) => {
                let name = register.user_name()?;
                let hash = match register.hashed_password()? {
                    "" => hashed_password(SALT, register.password()?),
                    hash => Zeroizing::new(text(hash)),
                };
                if self.accounts.contains_key(name) {
                    return Err(RespUserAlreadyExists.into());
                }
                self.accounts.insert(text(name), hash);
                return Ok(RespRegistrationAccepted.into());
            }
            C::RequestPasswordSalt(request) => {
                let known = self.accounts.contains_key(request.user_name()?);
                let salt = payload::PasswordSalt {
                    password_salt: known.then_some(SALT.into()),
                    ..payload::PasswordSalt::default()
                };
                return Ok(Reply::with(RespOk, &salt));
            }
            _ => {}
        }
        let Some(user) = self.user(id) else {
            return Err(RespLoginNeeded.into());
        };
        match command {
            C::ListRooms(_) => {
                let infos: Vec<_> = (0..)
                    .zip(&self.rooms)
                    .map(|(id, name)| room(id, name))
                    .collect();
                let list = event::ListRooms {
                    room_list: Repeated::from(&infos),
                    ..event::ListRooms::default()
                };
                self.sessions[&id].send(&session_event(&list));
                Ok(RespOk.into())
            }
            C::JoinRoom(join) => self.join_room(id, &user, join.room_id()),
            C::ListUsers(_) => {
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.watches_users = true;
                }
                let users: Vec<_> = self.online().map(User::info).collect();
                let list = payload::ListUsers {
                    user_list: Repeated::from(&users),
                    ..payload::ListUsers::default()
                };
                Ok(Reply::with(RespOk, &list))
            }
            C::GetUserInfo(get) => {
                let asked = match get.user_name()? {
                    "" => user.name.as_str(),
                    name => name,
                };
                let known = self.online().find(|known| known.name == asked);
                let guest = User {
                    name: text(asked),
                    registered: self.accounts.contains_key(asked),
                };
                let info = known.unwrap_or(&guest).info();
                let answer = payload::GetUserInfo {
                    user_info: Nested::from(&info),
                    ..payload::GetUserInfo::default()
                };
                Ok(Reply::with(RespOk, &answer))
            }
            C::UserMessage(message) => {
                let to = message.user_name()?;
                if !self.online().any(|known| known.name == to) {
                    return Err(RespNameNotFound.into());
                }
                let event = session_event(&event::UserMessage {
                    sender_name: Some(user.name.as_str().into()),
                    receiver_name: Some(to.into()),
                    message: message.message,
                    ..event::UserMessage::default()
                });
                self.send_to(|session| session.is_of(to), &event);
                self.sessions[&id].send(&event);
                Ok(RespOk.into())
            }
            _ => Err(RespFunctionNotAllowed.into()),
        }
    }

    fn log_in(&mut self, id: u64, login: &command::Login<'_>) -> Result<Reply, Failure> {
        let refused = self.faults.iter().find_map(|fault| match fault {
            Fault::RefuseLogins(code) => Some(*code),
            _ => None,
        });
        if let Some(code) = refused {
            return Ok(Reply::with(code, &payload::Login::default()));
        }
        if self.user(id).is_some() {
            return Err(RespContextError.into());
        }
        let name = login.user_name()?;
        if name.is_empty() {
            return Err(RespUsernameInvalid.into());
        }
        let account = self.accounts.get(name);
        if let Some(hash) = account {
            let given = match login.hashed_password()? {
                "" => hashed_password(SALT, login.password()?),
                given => Zeroizing::new(given.to_owned()),
            };
            if given != *hash {
                return Err(RespWrongPassword.into());
            }
        }
        let user = User {
            name: self.free_name(name, account.is_some()),
            registered: account.is_some(),
        };
        if user.registered {
            self.log_out_elsewhere(&user.name);
        }
        let info = user.info();
        let joined = event::UserJoined {
            user_info: Nested::from(&info),
            ..event::UserJoined::default()
        };
        self.send_to(|session| session.watches_users, &session_event(&joined));
        let answer = payload::Login {
            user_info: Nested::from(&info),
            ..payload::Login::default()
        };
        let reply = Reply::with(RespOk, &answer);
        if let Some(session) = self.sessions.get_mut(&id) {
            session.user = Some(user.clone());
        }
        let welcome = event::ServerMessage {
            message: Some("".into()),
            ..event::ServerMessage::default()
        };
        self.after.push(session_event(&welcome));
        self.resume_games(id, &user);
        Ok(reply)
    }

    /// Guests whose name is in use get another one.
    fn free_name(&self, name: &str, registered: bool) -> String {
        let taken = |name: &str| self.online().any(|user| user.name == name);
        if registered || !taken(name) {
            return name.to_owned();
        }
        (1..)
            .map(|number| format!("{name}_{number}"))
            .find(|name| !taken(name))
            .unwrap_or_default()
    }

    /// The second login ends the first.
    fn log_out_elsewhere(&mut self, name: &str) {
        let closed = event::ConnectionClosed {
            reason: Some(CloseReason::LoggedInElsewhere),
            ..event::ConnectionClosed::default()
        };
        let closed = session_event(&closed);
        let of_user = |(id, session): (&u64, &Session)| session.is_of(name).then_some(*id);
        let others: Vec<u64> = self.sessions.iter().filter_map(of_user).collect();
        for id in others {
            self.sessions[&id].send(&closed);
            // Without its session the connection closes when all is sent.
            self.disconnect(id);
        }
    }

    fn join_room(&mut self, id: u64, user: &User, number: u32) -> Result<Reply, Failure> {
        let name = self.rooms.get(number as usize).ok_or(RespNameNotFound)?;
        let here = |session: &Session| session.rooms.contains(&number);
        if here(&self.sessions[&id]) {
            return Err(RespContextError.into());
        }
        let joined = user.info();
        let event = event::JoinRoom {
            user_info: Nested::from(&joined),
            ..event::JoinRoom::default()
        };
        self.send_to(here, &room_event(number, &event));
        let in_room = self.sessions.values().filter(|session| here(session));
        let users: Vec<_> = in_room
            .filter_map(|session| session.user.as_ref())
            .chain([user])
            .map(User::info)
            .collect();
        let games: Vec<Vec<u8>> = self.games_of_room(number).map(Game::encoded_info).collect();
        let games: Vec<_> = games
            .iter()
            .filter_map(|game| info::Game::parse(game).ok())
            .collect();
        let info = info::Room {
            user_list: Repeated::from(&users),
            game_list: Repeated::from(&games),
            ..room(number, name)
        };
        let answer = payload::JoinRoom {
            room_info: Nested::from(&info),
            ..payload::JoinRoom::default()
        };
        let reply = Reply::with(RespOk, &answer);
        let welcome = event::RoomSay {
            message: Some("".into()),
            message_type: Some(RoomMessageType::Welcome),
            ..event::RoomSay::default()
        };
        self.after.push(room_event(number, &welcome));
        if let Some(session) = self.sessions.get_mut(&id) {
            session.rooms.insert(number);
        }
        Ok(reply)
    }

    fn in_room(
        &mut self,
        id: u64,
        room: u32,
        command: &RoomCommandPayload<'_>,
    ) -> Result<Reply, Failure> {
        use RoomCommandPayload as C;
        let Some(user) = self.user(id) else {
            return Err(RespLoginNeeded.into());
        };
        if !self.sessions[&id].rooms.contains(&room) {
            return Err(RespNotInRoom.into());
        }
        match command {
            C::RoomSay(say) => {
                if self.floods(id) {
                    return Err(RespChatFlood.into());
                }
                let said = event::RoomSay {
                    name: Some(user.name.as_str().into()),
                    message: say.message,
                    ..event::RoomSay::default()
                };
                self.send_to_room(room, &room_event(room, &said));
            }
            C::LeaveRoom(_) => {
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.rooms.remove(&room);
                }
                self.tell_left_room(room, &user.name);
            }
            C::CreateGame(create) => return self.create_game(id, &user, room, create),
            C::JoinGame(join) => return self.join_game(id, &user, join),
        }
        Ok(RespOk.into())
    }

    /// Counts a command for [`Fault::Flood`].
    pub(super) fn floods(&mut self, id: u64) -> bool {
        let limit = self.faults.iter().find_map(|fault| match fault {
            Fault::Flood { commands, window } => Some((*commands, *window)),
            _ => None,
        });
        match (limit, self.sessions.get_mut(&id)) {
            (Some((commands, window)), Some(session)) => session.floods(commands, window),
            _ => false,
        }
    }

    pub(super) fn user(&self, id: u64) -> Option<User> {
        self.sessions.get(&id)?.user.clone()
    }

    fn online(&self) -> impl Iterator<Item = &User> {
        self.sessions
            .values()
            .filter_map(|session| session.user.as_ref())
    }

    pub(super) fn send_to_room(&self, room: u32, message: &Bytes) {
        self.send_to(|session| session.rooms.contains(&room), message);
    }

    fn tell_left_room(&self, room: u32, name: &str) {
        let left = event::LeaveRoom {
            name: Some(name.into()),
            ..event::LeaveRoom::default()
        };
        self.send_to_room(room, &room_event(room, &left));
    }
}

fn room(id: u32, name: &str) -> info::Room<'_> {
    info::Room {
        room_id: i32::try_from(id).ok(),
        name: Some(name.into()),
        ..info::Room::default()
    }
}
