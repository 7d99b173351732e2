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

/// A private message.
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

/// Allows for the server counting in whole seconds, and for the latency of the network.
const MARGIN: Duration = Duration::from_secs(2);

/// The longest useful window.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The limits of a server on chat and commands in a period of time. Commands that exceed them wait in the
/// client's queue instead of being answered with `RespChatFlood`; later commands wait too, which keeps their
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// How much a command adds to the counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    messages: u32,
    message_bytes: usize,
    game_commands: u32,
    /// Whether it is refused while the window of game commands is full.
    in_game: bool,
}

/// The commands that were sent recently.
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

impl Default for FloodLimits {
    fn default() -> Self {
        Self::servatrice()
    }
}

// === impl Weight ===

impl Weight {
    /// The weight of the commands in a container.
    pub(super) fn of(container: &[u8]) -> Self {
        let mut weight = Self::default();
        for (number, command) in delimited(container) {
            let kinds = || delimited(command).map(|(number, _)| number);
            match number {
                SESSION if kinds().any(|kind| kind == MESSAGE) => weight.say(command),
                ROOM if kinds().any(|kind| kind == ROOM_SAY) => weight.say(command),
                GAME => {
                    weight.in_game = true;
                    if kinds().any(|kind| kind == GAME_SAY) {
                        weight.say(command);
                    }
                    if !kinds().any(|kind| NOT_COUNTED.contains(&kind)) {
                        weight.game_commands += 1;
                    }
                }
                _ => {}
            }
        }
        weight
    }

    fn say(&mut self, command: &[u8]) {
        self.messages += 1;
        self.message_bytes += command.len();
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
        let limits = limits.map(|limits| FloodLimits {
            window: limits.window.min(LONGEST),
            ..limits
        });
        Self {
            limits,
            sent: VecDeque::new(),
            total: Weight::default(),
        }
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

    /// Records that a command is sent.
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
        if weight.in_game && total.game_commands >= self.game_commands {
            return false;
        }
        total.add(weight);
        (weight.messages == 0
            || total.messages <= self.messages && total.message_bytes <= self.message_bytes)
            && (weight.game_commands == 0 || total.game_commands <= self.game_commands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::runtime::wire::{Tag, WireType};

    /// `room_command { [Command_RoomSay.ext] { message: "…" } }`
    fn say(text: &str) -> Weight {
        let length = text.len() as u8;
        let head = [0xb2, 0x06, length + 5, 0xca, 0x3e, length + 2, 0x0a, length];
        Weight::of(&[&head, text.as_bytes()].concat())
    }

    /// `game_command { [extension] {} }`
    fn in_game(extension: u32) -> Weight {
        let tag = Tag::new(extension, WireType::LengthDelimited).encoded();
        Weight::of(&[0xaa, 0x06, 3, tag as u8 | 0x80, (tag >> 7) as u8, 0])
    }

    #[test]
    fn commands_count_by_their_kind() {
        assert_eq!((say("hi").messages, say("hi").in_game), (1, false));
        assert_eq!(in_game(1005).game_commands, 1);
        assert_eq!(
            (in_game(1027).game_commands, in_game(1027).in_game),
            (0, true)
        );
        assert_eq!(
            (in_game(1002).messages, in_game(1002).game_commands),
            (1, 1)
        );
        // A ping, a login: no limit.
        assert_eq!(Weight::of(b"\xa2\x06\x03\xc2\x3e\x00"), Weight::default());
    }

    #[test]
    fn the_eleventh_message_waits_for_the_first() {
        let mut flood = Flood::new(Some(FloodLimits::servatrice()));
        let start = Instant::now();
        for number in 0..10 {
            let now = start + Duration::from_secs(number) / 10;
            assert_eq!(flood.wait(say("hi"), now), None);
            flood.sent(say("hi"), now);
        }
        let now = start + Duration::from_secs(1);
        let until = start + Duration::from_secs(12);
        assert_eq!(flood.wait(say("hi"), now), Some(until));
        // Moves are of another window.
        assert_eq!(flood.wait(in_game(1027), now), None);
        assert_eq!(flood.wait(say("hi"), until), None);
    }

    #[test]
    fn long_messages_and_full_games_wait() {
        let mut flood = Flood::new(Some(FloodLimits::servatrice()));
        let now = Instant::now();
        let long = Weight {
            messages: 1,
            message_bytes: 5000,
            ..Weight::default()
        };
        assert_eq!(flood.wait(long, now), None);
        flood.sent(long, now);
        assert!(flood.wait(say("hi"), now).is_some());
        for _ in 0..20 {
            assert_eq!(flood.wait(in_game(1005), now), None);
            flood.sent(in_game(1005), now);
        }
        assert!(flood.wait(in_game(1005), now).is_some());
        assert!(flood.wait(in_game(1027), now).is_some());
        let later = now + Duration::from_secs(12);
        assert_eq!(flood.wait(in_game(1005), later), None);
        assert_eq!(flood.total, Weight::default());
    }
}
