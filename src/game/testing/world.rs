//! The state of the server, and how it executes commands.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use super::Fault;
use super::message::{Reply, answer, room_event, session_event};
use super::script::is_ping;
use super::server::ReceivedCommand;
use crate::game::client::{PROTOCOL, hashed_password};
use crate::game::runtime::check::check;
use crate::game::schema::ResponseCode::{self, *};
use crate::game::schema::command::{
    self, Command, CommandContainer, RoomCommandPayload, SessionCommandPayload,
};

/// The number of commands that are kept for [`next_command`](super::Server::next_command).
const KEPT_COMMANDS: usize = 10_000;
/// The `cmd_id` of the answer to a command that has none.
pub(super) const NO_CMD_ID: u64 = u64::MAX;
const SALT: &str = "testsalt00000001";

#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) faults: Vec<Fault>,
    pub(super) commands: VecDeque<ReceivedCommand>,
    /// The users who have an account, with their hashed passwords.
    accounts: BTreeMap<String, Zeroizing<String>>,
    rooms: Vec<String>,
    sessions: BTreeMap<u64, Session>,
    next_session: u64,
    /// Messages to send to the session after the answer to the current command.
    after: Vec<Bytes>,
}

#[derive(Debug)]
pub(super) struct Session {
    outgoing: mpsc::UnboundedSender<Bytes>,
    cut: CancellationToken,
    pub(super) user: Option<User>,
    rooms: BTreeSet<i32>,
    /// When it sent the commands that count towards the flood limit.
    counted: VecDeque<Instant>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct User {
    name: String,
    registered: bool,
}

impl World {
    pub(super) fn new(accounts: Vec<(String, Zeroizing<String>)>, rooms: Vec<String>) -> Self {
        let accounts = accounts.into_iter();
        let hash =
            |(user, password): (_, Zeroizing<String>)| (user, hashed_password(SALT, &password));
        Self { accounts: accounts.map(hash).collect(), rooms, ..Self::default() }
    }

    pub(super) fn fault<T>(&self, of: impl Fn(&Fault) -> Option<T>) -> Option<T> {
        self.faults.iter().find_map(of)
    }

    pub(super) fn cut(&self) {
        self.sessions.values().for_each(|session| session.cut.cancel());
    }

    pub(super) fn users(&self) -> Vec<String> {
        let mut names: Vec<_> = self.online().map(|user| user.name.clone()).collect();
        names.sort();
        names
    }

    pub(super) fn send_to(&self, to: impl Fn(&Session) -> bool, message: &Bytes) {
        for session in self.sessions.values().filter(|session| to(session)) {
            session.send(message);
        }
    }

    // --- connections ---

    pub(super) fn connect(
        &mut self,
        outgoing: mpsc::UnboundedSender<Bytes>,
        cut: CancellationToken,
    ) -> u64 {
        let session =
            Session { outgoing, cut, user: None, rooms: BTreeSet::new(), counted: VecDeque::new() };
        let identification = json!({
            "server_name": "portreeve",
            "server_version": concat!("for tests ", env!("CARGO_PKG_VERSION")),
            "protocol_version": PROTOCOL,
            "server_options": "SupportsPasswordHash",
        });
        session.send(&session_event("ServerIdentification", identification));
        self.next_session += 1;
        self.sessions.insert(self.next_session, session);
        self.next_session
    }

    pub(super) fn disconnect(&mut self, id: u64) {
        if let Some(session) = self.sessions.remove(&id)
            && let Some(user) = session.user
        {
            for room in session.rooms {
                self.send_left_room(room, &user);
            }
        }
    }

    // --- commands ---

    pub(super) fn receive(&mut self, id: u64, bytes: &[u8]) {
        // Like a real server, drops an unreadable command without an answer. From here on, every text is UTF-8.
        let (Ok(container), Ok(_)) =
            (CommandContainer::parse(bytes), check::<CommandContainer<'_>>(bytes))
        else {
            return;
        };
        let Some(session) = self.sessions.get(&id) else {
            return;
        };
        if !is_ping(&container) {
            self.commands.push_back(ReceivedCommand {
                user: session.user.as_ref().map(|user| user.name.clone()),
                command: Command::from_container(&container),
            });
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
        if let Some(session) = self.sessions.get(&id) {
            // Servatrice keeps a number with a sign of 32 bits.
            let cmd_id = container.cmd_id.map_or(NO_CMD_ID, |id| id as i32 as u64);
            session.send(&answer(cmd_id, reply));
            after.iter().for_each(|message| session.send(message));
        }
    }

    /// Executes the commands of one kind as Servatrice does: from the last to the first, even if one is refused, unless
    /// it is a flood. The answer has the code of the last refused, and the payload of the last executed that had one.
    fn execute(&mut self, id: u64, container: &CommandContainer<'_>) -> Reply {
        let room: Vec<_> = container.room_command().flatten().collect();
        let session: Vec<_> = container.session_command().flatten().collect();
        let mut replies = Vec::new();
        if !container.game_command.is_empty() {
            return Err(self.user(id).map_or(RespLoginNeeded, |_| RespNotInRoom));
        }
        for command in room.iter().rev() {
            let command = command.payload().ok().flatten().ok_or(RespInvalidCommand);
            replies.push(command.and_then(|it| self.in_room(id, container.room_id(), &it)));
            if replies.last() == Some(&Err(RespChatFlood)) {
                break;
            }
        }
        for command in session.iter().rev().filter(|_| room.is_empty()) {
            let command = command.payload().ok().flatten().ok_or(RespFunctionNotAllowed);
            replies.push(command.and_then(|command| self.in_session(id, &command)));
        }
        if !container.moderator_command.is_empty() || !container.admin_command.is_empty() {
            return Err(RespLoginNeeded);
        }
        replies.reverse();
        match replies.iter().find_map(|reply| reply.as_ref().err()) {
            Some(&code) => Err(code),
            None if replies.is_empty() => Err(RespInvalidCommand),
            None => Ok(replies.into_iter().find_map(|reply| reply.ok().flatten())),
        }
    }

    fn in_session(&mut self, id: u64, command: &SessionCommandPayload<'_>) -> Reply {
        use SessionCommandPayload as C;
        match command {
            C::Ping(_) => return Ok(None),
            C::Login(login) => return self.log_in(id, login),
            C::RequestPasswordSalt(request) => {
                let user = request.user_name().unwrap_or_default();
                let salt = self.accounts.contains_key(user).then_some(SALT);
                return Ok(Some(("PasswordSalt", json!({"password_salt": salt}))));
            }
            _ => {}
        }
        let user = self.user(id).ok_or(RespLoginNeeded)?;
        match command {
            C::ListRooms(_) => {
                let room = |(id, name)| json!({"room_id": id, "name": name});
                let rooms: Vec<_> = self.rooms.iter().enumerate().map(room).collect();
                let list = session_event("ListRooms", json!({"room_list": rooms}));
                self.sessions[&id].send(&list);
                Ok(None)
            }
            C::JoinRoom(join) => self.join_room(id, &user, join.room_id()),
            C::UserMessage(to) => {
                let (name, message) = (to.user_name(), to.message().unwrap_or_default());
                let name = name.unwrap_or_default();
                if !self.online().any(|user| user.name == name) {
                    return Err(RespNameNotFound);
                }
                self.check_flood(id)?;
                let event =
                    json!({"sender_name": user.name, "receiver_name": name, "message": message});
                let is_told = |session: &Session| session.is_of(&user.name) || session.is_of(name);
                self.send_to(is_told, &session_event("UserMessage", event));
                Ok(None)
            }
            C::ListUsers(_) => {
                let users: Vec<_> = self.online().map(User::info).collect();
                Ok(Some(("ListUsers", json!({"user_list": users}))))
            }
            _ => Err(RespFunctionNotAllowed),
        }
    }

    fn log_in(&mut self, id: u64, login: &command::Login<'_>) -> Reply {
        let refuses = |fault: &&Fault| matches!(fault, Fault::RefuseLogins(_));
        if let Some(Fault::RefuseLogins(code)) = self.faults.iter().find(refuses) {
            return Err(*code);
        }
        if self.user(id).is_some() {
            return Err(RespContextError);
        }
        let name = login.user_name().unwrap_or_default();
        if name.is_empty() {
            return Err(RespUsernameInvalid);
        }
        let account = self.accounts.get(name);
        if let Some(hash) = account {
            let given = match login.hashed_password().unwrap_or_default() {
                "" => hashed_password(SALT, login.password().unwrap_or_default()),
                given => Zeroizing::new(given.to_owned()),
            };
            if given != *hash {
                return Err(RespWrongPassword);
            }
        }
        let registered = account.is_some();
        let name = if registered { name.to_owned() } else { self.free_name(name) };
        self.log_out(&name);
        let user = User { name, registered };
        let info = json!({"user_info": user.info()});
        let welcome = session_event("ServerMessage", json!({"message": ""}));
        self.after.push(welcome);
        if let Some(session) = self.sessions.get_mut(&id) {
            session.user = Some(user);
        }
        Ok(Some(("Login", info)))
    }

    fn free_name(&self, name: &str) -> String {
        let variants = (1..).map(|number| format!("{name}_{number}"));
        let mut names = std::iter::once(name.to_owned()).chain(variants);
        names.find(|name| !self.online().any(|user| user.name == *name)).unwrap_or_default()
    }

    /// Ends earlier sessions of a user who logs in again.
    fn log_out(&mut self, name: &str) {
        let closed = session_event("ConnectionClosed", json!({"reason": "LOGGEDINELSEWERE"}));
        self.send_to(|session| session.is_of(name), &closed);
        let of_user = |(id, session): (&u64, &Session)| session.is_of(name).then_some(*id);
        let sessions: Vec<u64> = self.sessions.iter().filter_map(of_user).collect();
        for id in sessions {
            // Without a session the connection is closed once everything is sent.
            self.disconnect(id);
        }
    }

    fn join_room(&mut self, id: u64, user: &User, number: i32) -> Reply {
        let name = self.rooms.get(number.cast_unsigned() as usize).ok_or(RespNameNotFound)?;
        let here = |session: &Session| session.rooms.contains(&number);
        if here(&self.sessions[&id]) {
            return Err(RespContextError);
        }
        let joined = json!({"user_info": user.info()});
        self.send_to_room(number, &room_event(number, "JoinRoom", joined));
        let in_room = self.sessions.values().filter(|session| here(session));
        let users = in_room.filter_map(|session| session.user.as_ref());
        let users: Vec<_> = users.chain([user]).map(User::info).collect();
        let room = json!({"room_id": number, "name": name, "user_list": users});
        let welcome = json!({"message": "", "message_type": "Welcome"});
        self.after.push(room_event(number, "RoomSay", welcome));
        if let Some(session) = self.sessions.get_mut(&id) {
            session.rooms.insert(number);
        }
        Ok(Some(("JoinRoom", json!({"room_info": room}))))
    }

    fn in_room(&mut self, id: u64, room: i32, command: &RoomCommandPayload<'_>) -> Reply {
        use RoomCommandPayload as C;
        let user = self.user(id).ok_or(RespLoginNeeded)?;
        if !self.sessions[&id].rooms.contains(&room) {
            return Err(RespNotInRoom);
        }
        match command {
            C::RoomSay(say) => {
                self.check_flood(id)?;
                let message = say.message().unwrap_or_default();
                let event = json!({"name": user.name, "message": message});
                self.send_to_room(room, &room_event(room, "RoomSay", event));
            }
            C::LeaveRoom(_) => {
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.rooms.remove(&room);
                }
                self.send_left_room(room, &user);
            }
            C::CreateGame(_) | C::JoinGame(_) => return Err(RespFunctionNotAllowed),
        }
        Ok(None)
    }

    fn check_flood(&mut self, id: u64) -> Result<(), ResponseCode> {
        let flood = self.fault(|fault| match fault {
            Fault::Flood { commands, window } => Some((*commands, *window)),
            _ => None,
        });
        if let (Some((commands, window)), Some(session)) = (flood, self.sessions.get_mut(&id)) {
            let (now, counted) = (Instant::now(), &mut session.counted);
            counted.retain(|sent| now.duration_since(*sent) < window);
            if counted.len() >= commands {
                return Err(RespChatFlood);
            }
            counted.push_back(now);
        }
        Ok(())
    }

    fn user(&self, id: u64) -> Option<User> {
        self.sessions.get(&id)?.user.clone()
    }

    fn online(&self) -> impl Iterator<Item = &User> {
        self.sessions.values().filter_map(|session| session.user.as_ref())
    }

    fn send_to_room(&self, room: i32, message: &Bytes) {
        self.send_to(|session| session.rooms.contains(&room), message);
    }

    fn send_left_room(&self, room: i32, user: &User) {
        let event = room_event(room, "LeaveRoom", json!({"name": user.name}));
        self.send_to_room(room, &event);
    }
}

// === impl Session ===

impl Session {
    fn send(&self, message: &Bytes) {
        // The session of a closed connection is removed soon.
        let _ = self.outgoing.send(message.clone());
    }

    fn is_of(&self, user: &str) -> bool {
        self.user.as_ref().is_some_and(|known| known.name == user)
    }
}

// === impl User ===

impl User {
    fn info(&self) -> Value {
        // The bits of a guest, and of a user with an account.
        json!({"name": self.name, "user_level": if self.registered { 3 } else { 1 }})
    }
}
