//! Reconnecting, and restoring the session.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use super::{End, StartError};
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::text::Text;
use crate::game::schema::ResponseCode;
use crate::game::schema::command::{
    self, Command, CommandContainer, CommandKind, RoomCommandKind, SessionCommandPayload,
};
use crate::game::schema::event::CloseReason;

/// The number of unanswered commands that are remembered: more are in flight only if answers never arrive.
const UNANSWERED: usize = 256;

/// The longest useful delay, well within the range of the clock.
const LONGEST: Duration = Duration::from_secs(86_400);

const LONGEST_ASKED: Duration = Duration::from_secs(3600);

/// The number of attempts to reconnect, and the delays between them.
///
/// The delay doubles with each attempt, up to `longest_delay`. The actual delay is a random value between
/// half of that and all of it, so that clients do not return all at once after a server restarts. A session
/// that lasted longer than `longest_delay` resets the count of attempts.
///
/// By default a server keeps a game without its players for two minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
pub(super) struct SessionLog {
    login: Option<Command>,
    /// Whether the lists of rooms and users were requested, after which the server sends updates to them.
    rooms_listed: bool,
    users_listed: bool,
    /// The rooms that were joined, with the commands.
    rooms: BTreeMap<i32, Command>,
    /// The commands that change this, once they are accepted, with their `cmd_id`s.
    sent: VecDeque<(u64, Command)>,
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
    /// The delay before an attempt that follows this many failed ones, the last with this error. A server that says
    /// when it is to be tried again is believed up to an hour.
    pub(super) fn delay_after(&self, failed: u32, error: &StartError) -> Duration {
        let asked = match error {
            StartError::Connect(error) => error.retry_after(),
            _ => None,
        };
        let asked = asked.unwrap_or_default().min(LONGEST_ASKED);
        self.delay(failed).max(asked)
    }

    fn delay(&self, failed: u32) -> Duration {
        let doubled = 2u32.saturating_pow(failed.min(31));
        let whole = self.first_delay.saturating_mul(doubled);
        let half = whole.min(self.longest_delay).min(LONGEST) / 2;
        // The keys of the standard library's hash maps are random.
        let random = RandomState::new().build_hasher().finish() >> 32;
        half + half.mul_f64(random as f64 / f64::from(u32::MAX))
    }
}

/// Whether a server that could not be reached may be reached later, or again after a session with it.
pub(super) fn may_pass(error: &StartError, was_reached: bool) -> bool {
    match error {
        StartError::Connect(error) => error.may_pass(was_reached),
        StartError::Ended(end) | StartError::Lost(end) => should_reconnect(end),
        StartError::NoServer => was_reached,
        StartError::ExpectsWebSocket { .. } | StartError::Protocol { .. } => false,
    }
}

pub(super) fn should_reconnect(end: &End) -> bool {
    use ResponseCode::{RespInternalError, RespServerFull, RespWouldOverwriteOldSession};
    match end {
        End::Shutdown(_) | End::Idle | End::HungUp { .. } | End::Failed(_) => true,
        End::Silent(_) | End::NotTaken(_) | End::NotRestored(_) => true,
        // The server may count the lost connection until it notices.
        End::Refused(notice) => notice.reason != Some(CloseReason::UsernameInvalid),
        // Reconnecting would kick the other login in turn.
        End::Kicked(_) | End::Banned(_) | End::Closed | End::Unreachable { .. } => false,
        End::LoginRefused(refused) => {
            let passing = [RespServerFull, RespInternalError, RespWouldOverwriteOldSession];
            refused.code.is_some_and(|code| passing.contains(&code))
        }
    }
}

// === impl SessionLog ===

impl SessionLog {
    /// Records a command that is being written, and changes this once it is accepted.
    pub(super) fn sent(&mut self, container: &CommandContainer<'_>) {
        if self.sent.len() == UNANSWERED {
            self.sent.pop_front();
        }
        let command = Command::from_container(container);
        self.sent.push_back((container.cmd_id(), command));
    }

    pub(super) fn answered(&mut self, cmd_id: u64, code: Option<ResponseCode>) {
        while let Some(index) = self.sent.iter().position(|(sent, _)| *sent == cmd_id) {
            if let Some((_, command)) = self.sent.remove(index)
                && code == Some(ResponseCode::RespOk)
            {
                // What cannot be read is not repeated.
                let _ = self.apply(&command);
            }
        }
    }

    /// Forgets the unanswered commands: whether the server executed them is unknown.
    pub(super) fn lost(&mut self) {
        self.sent.clear();
    }

    /// The login to repeat, if there was one, and the commands after it, with the rooms that they join.
    pub(super) fn commands(&self) -> (Option<Command>, Vec<(Option<i32>, Command)>) {
        let lists = [
            self.rooms_listed.then(Command::list_rooms),
            self.users_listed.then(Command::list_users),
        ];
        let lists = lists.into_iter().flatten().map(|list| (None, list));
        let rooms = self.rooms.iter().map(|(&room, join)| (Some(room), join.clone()));
        (self.login.clone(), lists.chain(rooms).collect())
    }

    fn apply(&mut self, accepted: &Command) -> Result<(), DecodeError> {
        use SessionCommandPayload as Payload;
        let container = accepted.container();
        for command in container.session_command() {
            match command?.payload()? {
                Some(Payload::Login(login)) => self.login = Some(Command::session(login)),
                Some(Payload::ListRooms(_)) => self.rooms_listed = true,
                Some(Payload::ListUsers(_)) => self.users_listed = true,
                Some(Payload::JoinRoom(join)) => {
                    self.rooms.insert(join.room_id(), Command::session(join));
                }
                Some(Payload::AccountPassword(change)) => {
                    self.set_password(None, change.new_password, change.hashed_new_password)?;
                }
                Some(Payload::ForgotPasswordReset(reset)) => self.set_password(
                    Some(reset.user_name()?),
                    reset.new_password,
                    reset.hashed_new_password,
                )?,
                _ => {}
            }
        }
        let is_leave = |kind| kind == CommandKind::Room(RoomCommandKind::LeaveRoom);
        if container.kinds().any(is_leave) {
            self.rooms.remove(&container.room_id());
        }
        Ok(())
    }

    /// Changes the password of the login, if it is that of `user`.
    fn set_password(
        &mut self,
        user: Option<&str>,
        plain: Option<Text<'_>>,
        hashed: Option<Text<'_>>,
    ) -> Result<(), DecodeError> {
        let Some(login) = &self.login else {
            return Ok(());
        };
        if let Some(command) = login.container().session_command().next()
            && let Some(login) = command?.get::<command::Login<'_>>()?
            && user.is_none_or(|user| login.user_name() == Ok(user))
        {
            // A server ignores a password in plain text beside a hashed one.
            self.login = Some(Command::session(command::Login {
                password: plain.filter(|_| hashed.is_none()),
                hashed_password: hashed,
                ..login
            }));
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/reconnect.rs"]
mod tests;
