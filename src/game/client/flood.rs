//! The limits of a server on chat and commands in a period of time.
//!
//! This is part of the driver and not a `tower::Layer`: a server counts a command when it arrives, and only
//! the writer knows when that is (docs/GAME_CLIENT.md, "Why the flood limits are not a layer").

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::raw::{RawFields, UnknownValue};
use crate::game::schema::command::{GameCommandKind, RoomCommandKind, SessionCommandKind};

/// `CommandContainer.session_command`.
const SESSION: u32 = 100;
/// `CommandContainer.game_command`.
const GAME: u32 = 101;
/// `CommandContainer.room_command`.
const ROOM: u32 = 102;

const MESSAGE: u32 = SessionCommandKind::UserMessage.number();
const ROOM_SAY: u32 = RoomCommandKind::RoomSay.number();
const GAME_SAY: u32 = GameCommandKind::GameSay.number();
/// Game commands that are not counted, but are refused while the window is full.
const NOT_COUNTED: [u32; 8] = [
    GameCommandKind::Mulligan.number(),
    GameCommandKind::DrawCards.number(),
    GameCommandKind::UndoDraw.number(),
    GameCommandKind::CreateArrow.number(),
    GameCommandKind::DeleteArrow.number(),
    GameCommandKind::SetCardAttr.number(),
    GameCommandKind::IncCounter.number(),
    GameCommandKind::MoveCard.number(),
];

/// Commands after which the session is not the same.
const CHANGES: [u32; 6] = [
    SessionCommandKind::Login.number(),
    SessionCommandKind::ListRooms.number(),
    SessionCommandKind::ListUsers.number(),
    SessionCommandKind::JoinRoom.number(),
    SessionCommandKind::AccountPassword.number(),
    SessionCommandKind::ForgotPasswordReset.number(),
];
const LEAVE_ROOM: u32 = RoomCommandKind::LeaveRoom.number();

/// Allows for the server counting in whole seconds, and for the latency of the network.
const MARGIN: Duration = Duration::from_secs(2);

const LONGEST: Duration = Duration::from_secs(86_400);

/// The limits of a server on chat and commands in a period of time. Commands that exceed them wait in the client's
/// queue instead of being answered with `RespChatFlood`; later commands wait too, which keeps their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FloodLimits {
    /// The number of chat messages: in rooms, in games and private ones together.
    pub messages: u32,
    /// The number of bytes of these messages.
    pub message_bytes: usize,
    /// The number of game commands.
    pub game_commands: u32,
    /// The period of time for which the server counts each of them.
    pub window: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    messages: u32,
    message_bytes: usize,
    game_commands: u32,
    /// Whether it is refused while the window of game commands is full.
    in_game: bool,
    /// Whether a server counts it as activity of the user: commands of the session are not, but private messages are.
    pub(super) is_activity: bool,
    /// Whether the session is not the same once it is accepted: see [`SessionLog`](super::reconnect::SessionLog).
    pub(super) changes_session: bool,
}

#[derive(Debug)]
pub(super) struct Flood {
    limits: Option<FloodLimits>,
    sent: VecDeque<(Instant, Weight)>,
    total: Weight,
}

// === impl FloodLimits ===

impl FloodLimits {
    /// The limits of Servatrice's example configuration: 10 messages, 1,000 bytes of messages and 20
    /// game commands in 10 seconds. (Its built-in default is 15 messages.)
    pub const fn servatrice() -> Self {
        Self {
            messages: 10,
            message_bytes: 1000,
            game_commands: 20,
            window: Duration::from_secs(10),
        }
    }
}

// === impl Weight ===

impl Weight {
    pub(super) fn measure(container: &[u8]) -> Self {
        let mut weight = Self::default();
        for (number, command) in delimited(container) {
            let has = |kinds: &[u32]| delimited(command).any(|(kind, _)| kinds.contains(&kind));
            let says = match number {
                SESSION => {
                    weight.changes_session |= has(&CHANGES);
                    has(&[MESSAGE])
                }
                ROOM => {
                    weight.changes_session |= has(&[LEAVE_ROOM]);
                    has(&[ROOM_SAY])
                }
                GAME => {
                    weight.in_game = true;
                    weight.game_commands += u32::from(!has(&NOT_COUNTED));
                    has(&[GAME_SAY])
                }
                _ => false,
            };
            weight.is_activity |= says || number != SESSION;
            if says {
                weight.messages += 1;
                weight.message_bytes += command.len();
            }
        }
        weight
    }

    fn add(&mut self, other: Self) {
        self.messages += other.messages;
        self.message_bytes += other.message_bytes;
        self.game_commands += other.game_commands;
    }

    fn remove(&mut self, other: Self) {
        self.messages -= other.messages;
        self.message_bytes -= other.message_bytes;
        self.game_commands -= other.game_commands;
    }
}

/// The length-delimited fields, up to a damaged one: a server stops there as well.
fn delimited(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    RawFields::new(Fragments::one(bytes)).filter_map(|field| match field.value {
        UnknownValue::Delimited(bytes) => Some((field.number, bytes)),
        _ => None,
    })
}

// === impl Flood ===

impl Flood {
    pub(super) fn new(limits: Option<FloodLimits>) -> Self {
        let limits =
            limits.map(|limits| FloodLimits { window: limits.window.min(LONGEST), ..limits });
        Self { limits, sent: VecDeque::new(), total: Weight::default() }
    }

    /// When a command may be sent; `None` if that is now.
    pub(super) fn wait(&mut self, weight: Weight, now: Instant) -> Option<Instant> {
        let limits = self.limits?;
        while let Some((at, sent)) = self.sent.front()
            && *at + limits.window + MARGIN <= now
        {
            self.total.remove(*sent);
            self.sent.pop_front();
        }
        let mut total = self.total;
        let mut sent = self.sent.iter();
        let mut until = None;
        while !limits.allow(total, weight) {
            // A container that exceeds the limits by itself is sent once nothing else counts.
            let Some((at, gone)) = sent.next() else { break };
            total.remove(*gone);
            until = Some(*at + limits.window + MARGIN);
        }
        until
    }

    pub(super) fn sent(&mut self, weight: Weight, now: Instant) {
        let counts = weight.messages > 0 || weight.game_commands > 0;
        if counts && self.limits.is_some() {
            self.total.add(weight);
            self.sent.push_back((now, weight));
        }
    }
}

impl FloodLimits {
    /// Whether a command is within the limits, given those already sent.
    fn allow(&self, mut total: Weight, weight: Weight) -> bool {
        if weight.in_game && total.game_commands > self.game_commands {
            return false;
        }
        total.add(weight);
        (weight.messages == 0
            || total.messages <= self.messages && total.message_bytes <= self.message_bytes)
            && (weight.game_commands == 0 || total.game_commands <= self.game_commands)
    }
}
