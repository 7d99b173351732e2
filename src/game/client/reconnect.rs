//! Reconnecting, and restoring the session.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::End;
use crate::game::runtime::error::DecodeError;
use crate::game::schema::ResponseCode;
use crate::game::schema::command::{
    self, Command, CommandContainer, RoomCommandPayload, SessionCommandPayload,
};
use crate::game::schema::event::CloseReason;

/// The number of unanswered commands that are remembered: more are in flight only if answers never arrive.
const UNANSWERED: usize = 256;

/// The longest useful delay, well within the range of the clock.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The number of attempts to reconnect, and the delays between them.
///
/// The delay doubles with each attempt, up to `longest_delay`. The actual delay is a random value between
/// half of that and all of it, so that clients do not return all at once after a server restarts. A session
/// that lasted longer than `longest_delay` resets the count of attempts.
///
/// By default a server keeps a game without its players for two minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reconnect {
    /// The delay before the first attempt.
    pub first_delay: Duration,
    /// The longest delay before an attempt.
    pub longest_delay: Duration,
    /// The number of consecutive failed attempts after which the session ends.
    pub attempts: u32,
}

/// The accepted commands of a session that are repeated in the next one.
#[derive(Debug, Default)]
pub(super) struct SessionLog(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    login: Option<Command>,
    /// Whether the lists of rooms and users were requested, after which the server sends updates to them.
    rooms_listed: bool,
    users_listed: bool,
    /// The rooms that were joined, with the commands.
    rooms: BTreeMap<u32, Command>,
    /// The commands that were written and not answered yet, with their `cmd_id`s.
    sent: VecDeque<(u64, SessionChange)>,
}

/// A command that changes the state of a session.
#[derive(Debug)]
enum SessionChange {
    Login(Command),
    ListRooms,
    ListUsers,
    JoinRoom(u32, Command),
    LeaveRoom(u32),
    /// Sets a new password.
    ChangePassword(Command),
}

// === impl Reconnect ===

impl Default for Reconnect {
    /// Delays from 1 to 30 seconds and 20 attempts, about nine minutes in total.
    fn default() -> Self {
        Self {
            first_delay: Duration::from_secs(1),
            longest_delay: Duration::from_secs(30),
            attempts: 20,
        }
    }
}

impl Reconnect {
    /// The delay before an attempt that follows this many failed ones.
    pub(super) fn delay(&self, failed: u32) -> Duration {
        let doubled = 2u32.saturating_pow(failed.min(31));
        let whole = self.first_delay.saturating_mul(doubled);
        let half = whole.min(self.longest_delay).min(LONGEST) / 2;
        // The keys of the standard library's hash maps are random.
        let random = RandomState::new().build_hasher().finish() >> 32;
        half + half.mul_f64(random as f64 / f64::from(u32::MAX))
    }
}

/// Whether reconnecting may help after this end.
pub(super) fn should_reconnect(end: &End) -> bool {
    match end {
        End::Shutdown(_) | End::Idle | End::HungUp { .. } | End::Silent(_) | End::Failed(_) => true,
        // The server may count the lost connection until it notices.
        End::Refused(notice) => notice.reason != Some(CloseReason::UsernameInvalid),
        // Reconnecting would kick the other login in turn.
        End::Kicked(_) | End::Banned(_) | End::Closed | End::Unreachable { .. } => false,
        End::LoginRefused(error) => error.code().is_some_and(|code| {
            matches!(
                code,
                ResponseCode::RespServerFull
                    | ResponseCode::RespInternalError
                    | ResponseCode::RespWouldOverwriteOldSession
            )
        }),
    }
}

// === impl SessionLog ===

impl SessionLog {
    /// Records a command that is being written.
    pub(super) fn sent(&self, container: &[u8]) {
        // Anything unreadable is skipped; the server will not understand it either.
        let Ok((cmd_id, changes)) = changes(container) else {
            return;
        };
        let mut state = self.lock();
        for change in changes {
            if state.sent.len() == UNANSWERED {
                state.sent.pop_front();
            }
            state.sent.push_back((cmd_id, change));
        }
    }

    /// Records an answer.
    pub(super) fn answered(&self, cmd_id: u64, code: Option<ResponseCode>) {
        let mut state = self.lock();
        while let Some(index) = state.sent.iter().position(|(sent, _)| *sent == cmd_id) {
            let Some((_, change)) = state.sent.remove(index) else {
                return;
            };
            if code == Some(ResponseCode::RespOk) {
                state.apply(change);
            }
        }
    }

    /// Forgets the unanswered commands: whether the server executed them is unknown.
    pub(super) fn lost(&self) {
        self.lock().sent.clear();
    }

    /// The login to repeat, if there was one, and the commands after it, with the rooms that they join.
    pub(super) fn commands(&self) -> (Option<Command>, Vec<(Option<u32>, Command)>) {
        let state = self.lock();
        let lists = [
            state.rooms_listed.then(Command::list_rooms),
            state.users_listed.then(Command::list_users),
        ];
        let lists = lists.into_iter().flatten().map(|list| (None, list));
        let rooms = state.rooms.iter();
        let rooms = rooms.map(|(&room, join)| (Some(room), join.clone()));
        (state.login.clone(), lists.chain(rooms).collect())
    }

    /// No code that can panic runs under this lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl State ===

impl State {
    fn apply(&mut self, change: SessionChange) {
        match change {
            SessionChange::Login(login) => self.login = Some(login),
            SessionChange::ListRooms => self.rooms_listed = true,
            SessionChange::ListUsers => self.users_listed = true,
            SessionChange::JoinRoom(room, join) => {
                self.rooms.insert(room, join);
            }
            SessionChange::LeaveRoom(room) => {
                self.rooms.remove(&room);
            }
            SessionChange::ChangePassword(change) => {
                if let Some(Ok(Some(login))) =
                    self.login.as_ref().map(|login| changed(login, &change))
                {
                    self.login = Some(login);
                }
            }
        }
    }
}

/// The login with the new password that a command has set; `None` if it is that of another user.
fn changed(login: &Command, change: &Command) -> Result<Option<Command>, DecodeError> {
    let Some(SessionCommandPayload::Login(login)) = first(login)? else {
        return Ok(None);
    };
    let (plain, hashed) = match first(change)? {
        Some(SessionCommandPayload::AccountPassword(change)) => {
            (change.new_password, change.hashed_new_password)
        }
        Some(SessionCommandPayload::ForgotPasswordReset(reset))
            if reset.user_name().ok() == login.user_name().ok() =>
        {
            (reset.new_password, reset.hashed_new_password)
        }
        _ => return Ok(None),
    };
    // A server ignores a password in plain text beside a hashed one.
    Ok(Some(Command::session(command::Login {
        password: plain.filter(|_| hashed.is_none()),
        hashed_password: hashed,
        ..login
    })))
}

/// The first session command of a container.
fn first(command: &Command) -> Result<Option<SessionCommandPayload<'_>>, DecodeError> {
    match command.container().session_command().next() {
        Some(command) => command?.payload(),
        None => Ok(None),
    }
}

/// The commands of a container that change the state of a session, and its `cmd_id`.
fn changes(container: &[u8]) -> Result<(u64, Vec<SessionChange>), DecodeError> {
    let container = CommandContainer::parse(container)?;
    let mut changes = Vec::new();
    for command in container.session_command() {
        changes.extend(match command?.payload()? {
            Some(SessionCommandPayload::Login(login)) => {
                Some(SessionChange::Login(Command::session(login)))
            }
            Some(SessionCommandPayload::ListRooms(_)) => Some(SessionChange::ListRooms),
            Some(SessionCommandPayload::ListUsers(_)) => Some(SessionChange::ListUsers),
            Some(SessionCommandPayload::JoinRoom(join)) => Some(SessionChange::JoinRoom(
                join.room_id(),
                Command::session(join),
            )),
            Some(SessionCommandPayload::AccountPassword(change)) => {
                Some(SessionChange::ChangePassword(Command::session(change)))
            }
            Some(SessionCommandPayload::ForgotPasswordReset(reset)) => {
                Some(SessionChange::ChangePassword(Command::session(reset)))
            }
            _ => None,
        });
    }
    for command in container.room_command() {
        if let Some(RoomCommandPayload::LeaveRoom(_)) = command?.payload()? {
            changes.push(SessionChange::LeaveRoom(container.room_id()));
        }
    }
    Ok((container.cmd_id(), changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_longest() {
        let policy = Reconnect {
            first_delay: Duration::from_secs(1),
            longest_delay: Duration::from_secs(30),
            attempts: 5,
        };
        for (failed, whole) in [(0, 1), (1, 2), (4, 16), (5, 30), (31, 30), (u32::MAX, 30)] {
            let most = f64::from(whole);
            for _ in 0..50 {
                let delay = policy.delay(failed).as_secs_f64();
                assert!((most / 2.0..=most).contains(&delay), "{failed}: {delay}");
            }
        }
        let endless = Reconnect {
            first_delay: Duration::MAX,
            longest_delay: Duration::MAX,
            attempts: 1,
        };
        assert!(endless.delay(3) <= LONGEST);
    }

    #[test]
    fn accepted_commands_are_repeated() {
        let log = SessionLog::default();
        for (cmd_id, command) in [
            (1, Command::list_rooms()),
            (2, Command::join_room(7)),
            (3, Command::join_room(8)),
            (4, Command::join_room(9)),
            (5, Command::leave_room(8)),
        ] {
            log.sent(&command.to_vec(cmd_id));
        }
        for cmd_id in [1, 2, 3, 5] {
            log.answered(cmd_id, Some(ResponseCode::RespOk));
        }
        log.answered(4, Some(ResponseCode::RespNameNotFound));
        let (login, commands) = log.commands();
        let (rooms, commands): (Vec<_>, Vec<_>) = commands.into_iter().unzip();
        assert!(login.is_none());
        assert_eq!(rooms, [None, Some(7)]);
        let expected = [Command::list_rooms(), Command::join_room(7)];
        let bytes = |commands: &[Command]| -> Vec<_> {
            commands.iter().map(|command| command.to_vec(0)).collect()
        };
        assert_eq!(bytes(&commands), bytes(&expected));
    }
}
