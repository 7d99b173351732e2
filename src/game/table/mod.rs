//! The current state of a game: players, zones, cards, counters, arrows, turns.
//!
//! A [`Table`] applies the events of one game, live or recorded, and holds its state as far as its [`Viewer`] sees it:
//!
//! ```
//! use portreeve::game::GameReplay;
//! use portreeve::game::table::{Table, Viewer};
//!
//! fn show(replay: &GameReplay<'_>) -> Result<(), Box<dyn std::error::Error>> {
//!     // A recording contains what an omniscient spectator saw.
//!     let mut table = Table::new(Viewer::Everything);
//!     for events in replay.event_list() {
//!         table.apply(&events?)?;
//!     }
//!     for player in table.players() {
//!         let life = player.counters.get(&0).map_or(0, |life| life.value);
//!         let hand = player.zones.get("hand").map_or(0, |hand| hand.len());
//!         println!("{}: {life} life, {hand} cards in hand", player.name);
//!     }
//!     Ok(())
//! }
//! # use portreeve::game::Message;
//! # show(&GameReplay::parse(b"\x08\x07\x1a\x02\x20\x00")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For a live game, [`Table::joined`] creates it from the [`GameJoined`] that a server sends first. The
//! complete state follows immediately, and again whenever play starts or ends.
//!
//! The table does not contain what is hidden from the viewer: of a zone that the viewer cannot look into it has only
//! the number of cards, and a card that was never seen has no name. [`Table::is_seen_by`] says who else sees a card.
//!
//! An unknown event, or one about a player, zone, card or counter that does not exist as far as the viewer can tell,
//! changes nothing. The size of a table is bounded: see [`Table::with_limit`].

mod apply;
mod card;
mod error;
mod moves;
mod player;
mod size;
mod zone;

use std::collections::BTreeMap;

pub use card::{Card, CardPlace, Shown};
pub use error::TableError;
pub use player::{Arrow, ArrowEnd, Color, Counter, Player, Playmat};
pub use zone::Zone;

use super::runtime::error::DecodeError;
use super::schema::event::GameJoined;
use super::schema::info::ZoneType;

/// The outcome of a part of an event.
type Applied = Result<(), DecodeError>;

/// The default limit on the size of a table: 16 MiB. A game of four players takes about 100 KiB.
pub const DEFAULT_LIMIT: usize = 16 << 20;

/// The current state of a game, as one viewer sees it.
#[derive(Clone, Debug)]
pub struct Table {
    viewer: Viewer,
    participants: BTreeMap<i32, Player>,
    /// The number of the host, who may change the settings of the game.
    pub host: Option<i32>,
    /// Whether the game is being played.
    pub started: bool,
    /// Whether the game is closed, or the viewer was kicked out of it.
    pub over: bool,
    /// The player whose turn it is.
    pub active_player: Option<i32>,
    /// The phase of the turn; 0 is the first. Servers accept any number.
    pub active_phase: Option<i32>,
    /// Whether the order of turns is reversed. A server reports only changes of this: after joining a game in
    /// progress it is unknown, and `false` here.
    pub reversed: bool,
    /// In bytes.
    limit: usize,
    /// The bytes that were free when the table was last measured, less what may have been added since.
    free: usize,
    /// The bytes that events have asked for since then, also those that were refused.
    asked: usize,
    /// Who took part in the last play, and whether they are still in it.
    contenders: BTreeMap<i32, bool>,
}

/// The point of view of a [`Table`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// Of a replay, a judge, or a spectator of a game that shows them everything, except the cards of a deck.
    Everything,
    /// Of the player with this number.
    Player(i32),
    /// Of a spectator who sees only public cards.
    Spectator,
}

// === impl Viewer ===

impl Viewer {
    fn sees_into(self, kind: ZoneType, player: i32) -> bool {
        match (kind, self) {
            (ZoneType::PublicZone, _) => true,
            (ZoneType::PrivateZone, Self::Everything) => true,
            (ZoneType::PrivateZone, Self::Player(id)) => id == player,
            (ZoneType::PrivateZone, Self::Spectator) | (ZoneType::HiddenZone, _) => false,
        }
    }
}

// === impl Table ===

impl Table {
    /// An empty table.
    pub fn new(viewer: Viewer) -> Self {
        Self::with_limit(viewer, DEFAULT_LIMIT)
    }

    /// An empty table that takes at most about `limit` bytes. An event that would exceed the limit changes
    /// nothing and is [rejected](TableError::TooLarge).
    ///
    /// An event may take time in proportion to the whole table, as one that changes all cards of a zone does: a lower
    /// limit also bounds the time that a hostile server can take up.
    pub fn with_limit(viewer: Viewer, limit: usize) -> Self {
        Self {
            viewer,
            participants: BTreeMap::new(),
            host: None,
            started: false,
            over: false,
            active_player: None,
            active_phase: None,
            reversed: false,
            limit,
            free: limit,
            asked: limit,
            contenders: BTreeMap::new(),
        }
    }

    /// The table of a game that this client has joined or rejoined. The next event of the game brings its state.
    ///
    /// # Errors
    /// [`DecodeError`] if the game's settings cannot be read.
    pub fn joined(joined: &GameJoined<'_>) -> Result<Self, DecodeError> {
        let game = joined.game_info()?;
        let omniscient = game.is_some_and(|game| game.spectators_omniscient());
        let viewer = match (joined.judge(), joined.spectator()) {
            (true, _) => Viewer::Everything,
            (false, true) if omniscient => Viewer::Everything,
            (false, true) => Viewer::Spectator,
            (false, false) => Viewer::Player(joined.player_id()),
        };
        let mut table = Self::new(viewer);
        table.host = joined.host_id;
        Ok(table)
    }

    /// The point of view of the table.
    pub fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// The players, in the order of their numbers, without spectators.
    pub fn players(&self) -> impl Iterator<Item = &Player> {
        self.participants().filter(|player| !player.spectator)
    }

    /// Players and spectators, in the order of their numbers.
    pub fn participants(&self) -> impl Iterator<Item = &Player> {
        self.participants.values()
    }

    /// The player or spectator with this number.
    pub fn participant(&self, id: i32) -> Option<&Player> {
        self.participants.get(&id)
    }

    /// A card in a zone that the viewer can look into.
    pub fn card(&self, place: &CardPlace) -> Option<&Card> {
        self.zone(place)?.cards().iter().find(|card| card.id == place.card)
    }

    fn zone(&self, place: &CardPlace) -> Option<&Zone> {
        self.participants.get(&place.player)?.zones.get(&place.zone)
    }

    /// Who has won the last play, once it has ended: the player who remained after the others conceded or left.
    ///
    /// It is known from the event on that ends the play for the last of the others, which comes after the whole
    /// state that says that nobody plays any more.
    pub fn winner(&self) -> Option<i32> {
        let mut remain = self.contenders.iter().filter(|(_, remains)| **remains);
        let (&winner, _) = remain.next()?;
        let is_over = !self.started && self.contenders.len() > 1;
        (is_over && remain.next().is_none()).then_some(winner)
    }

    /// Whether a player or spectator sees the face of a card in this table, because of its zone or because it was
    /// shown. The name of a face-down card is known at most to the viewer of this table: see [`Card::name`].
    pub fn is_seen_by(&self, participant: i32, place: &CardPlace) -> bool {
        let Some(card) = self.card(place) else {
            return false;
        };
        let zone = self.zone(place);
        let kind = zone.map_or(ZoneType::HiddenZone, |zone| zone.kind);
        let viewer = match self.participants.get(&participant) {
            Some(player) if player.judge => Viewer::Everything,
            _ => Viewer::Player(participant),
        };
        let open = viewer.sees_into(kind, place.player);
        (open && !card.face_down) || card.shown.to(participant)
    }
}
