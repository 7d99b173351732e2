//! A game as it stands: players, zones, cards, counters, arrows, turns.
//!
//! A [`Table`] is fed with the events of one game, live or recorded, and says what they have led to, as
//! far as its [`Viewer`] can see it:
//!
//! ```
//! use portreeve::game::GameReplay;
//! use portreeve::game::table::{Table, Viewer};
//!
//! fn show(replay: &GameReplay<'_>) -> Result<(), Box<dyn std::error::Error>> {
//!     // Recorded is what an all-seeing spectator saw.
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
//! Of a live game it is made from what a server says first, [`GameJoined`]:
//! see [`Table::joined`]. The whole state follows at once, and again whenever play starts or ends.
//!
//! What is hidden from the viewer is not in the table: of a zone that it cannot look into there is the
//! number of the cards, and a card that was never seen has no name. Who else sees a card tells
//! [`Table::is_seen_by`].
//!
//! An event that refers to what is not there, or that is not known, changes nothing. What a table can
//! hold is bounded: see [`Table::with_limit`].

mod apply;
mod card;
mod error;
mod moves;
mod player;
mod size;
mod state;
mod zone;

use std::collections::BTreeMap;

pub use card::{Card, CardPlace, Shown};
pub use error::TableError;
pub use player::{Arrow, ArrowEnd, Color, Counter, Player, Playmat};
pub use zone::Zone;

use super::runtime::error::DecodeError;
use super::schema::event::GameJoined;
use super::schema::info::ZoneType;

/// How many bytes a table may take if nothing else is said: 16 MiB. A game of four takes about 100 KiB.
pub const DEFAULT_LIMIT: usize = 16 << 20;

/// A game as it stands, for one viewer.
#[derive(Clone, Debug)]
pub struct Table {
    viewer: Viewer,
    participants: BTreeMap<i32, Player>,
    host: Option<i32>,
    started: bool,
    over: bool,
    active_player: Option<i32>,
    active_phase: Option<i32>,
    reversed: bool,
    seconds: u32,
    budget: size::Budget,
}

/// Whose eyes a [`Table`] is seen with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Viewer {
    /// A replay, a judge, or a spectator of a game whose spectators see everything. Even they do not
    /// see the cards of a deck.
    Everything,
    /// The player of this number.
    Player(i32),
    /// A spectator who sees what lies open.
    Spectator,
}

impl Table {
    /// An empty table.
    pub fn new(viewer: Viewer) -> Self {
        Self::with_limit(viewer, DEFAULT_LIMIT)
    }

    /// An empty table that takes no more than about `limit` bytes. An event that would need more changes
    /// nothing and is [refused](TableError::TooLarge).
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
            seconds: 0,
            budget: size::Budget::new(limit),
        }
    }

    /// The table of a game that this client has joined, or come back to. What is on it comes with the
    /// next event of the game.
    ///
    /// # Errors
    /// [`DecodeError`] if the game's settings cannot be read.
    pub fn joined(joined: &GameJoined<'_>) -> Result<Self, DecodeError> {
        let omniscient = joined
            .game_info()?
            .is_some_and(|game| game.spectators_omniscient());
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

    /// Whose eyes it is seen with.
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

    /// The player or spectator of this number.
    pub fn participant(&self, id: i32) -> Option<&Player> {
        self.participants.get(&id)
    }

    /// A card in a zone that the viewer can look into.
    pub fn card(&self, place: &CardPlace) -> Option<&Card> {
        let zone = self
            .participants
            .get(&place.player)?
            .zones
            .get(&place.zone)?;
        zone.cards().iter().find(|card| card.id == place.card)
    }

    /// The number of who may change the game's settings.
    pub fn host(&self) -> Option<i32> {
        self.host
    }

    /// Whether the game is being played.
    pub fn started(&self) -> bool {
        self.started
    }

    /// Whether the game is closed, or the viewer was kicked out of it.
    pub fn over(&self) -> bool {
        self.over
    }

    /// Whose turn it is.
    pub fn active_player(&self) -> Option<i32> {
        self.active_player
    }

    /// Which phase of the turn it is; 0 is the first. Servers accept any number.
    pub fn active_phase(&self) -> Option<i32> {
        self.active_phase
    }

    /// Whether the turns go round the other way. A server tells changes of it and not the state: after
    /// joining a game in progress it is not known, and `false` here.
    pub fn reversed(&self) -> bool {
        self.reversed
    }

    /// Seconds since the game, or the recording, began, as the last event told that did.
    pub fn seconds(&self) -> u32 {
        self.seconds
    }

    /// Whether a player or spectator sees the face of a card that this table knows: because of the zone
    /// it is in, or because it was shown. Of a card that lies face down only the table's own viewer can
    /// have an idea, which is in [`Card::name`].
    pub fn is_seen_by(&self, participant: i32, place: &CardPlace) -> bool {
        let Some(card) = self.card(place) else {
            return false;
        };
        let kind = self
            .participants
            .get(&place.player)
            .and_then(|player| player.zones.get(&place.zone))
            .map_or(ZoneType::HiddenZone, |zone| zone.kind);
        let judge = self.participants.get(&participant).is_some_and(|p| p.judge);
        let open = match kind {
            ZoneType::PublicZone => true,
            ZoneType::PrivateZone => participant == place.player || judge,
            ZoneType::HiddenZone => false,
        };
        (open && !card.face_down) || card.shown.to(participant)
    }
}
