//! A game before its start: its seats.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::message::game_event;
use super::sessions::User;
use crate::game::runtime::error::TextError;
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::repeated::Repeated;
use crate::game::schema::command::CreateGame;
use crate::game::schema::{event, info};

/// The default number of seats.
const SEATS: u32 = 2;

/// A game.
#[derive(Debug)]
pub(super) struct Game {
    pub(super) id: u32,
    pub(super) room: u32,
    description: String,
    pub(super) password: String,
    pub(super) max_players: u32,
    pub(super) spectators_allowed: bool,
    spectators_omniscient: bool,
    creator: User,
    pub(super) host: i32,
    pub(super) seats: BTreeMap<i32, Seat>,
    pub(super) next_seat: i32,
}

/// A place at the table, or among the spectators.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) user: User,
    /// `None` while the user is disconnected.
    pub(super) session: Option<u64>,
    pub(super) spectator: bool,
}

// === impl Game ===

impl Game {
    /// A new game, which its creator has not joined yet.
    pub(super) fn new(
        id: u32,
        room: u32,
        creator: &User,
        create: &CreateGame<'_>,
    ) -> Result<Self, TextError> {
        Ok(Self {
            id,
            room,
            description: create.description()?.to_owned(),
            password: create.password()?.to_owned(),
            max_players: create.max_players.unwrap_or(SEATS),
            spectators_allowed: create.spectators_allowed(),
            spectators_omniscient: create.spectators_see_everything(),
            creator: creator.clone(),
            host: 0,
            seats: BTreeMap::new(),
            next_seat: 0,
        })
    }

    pub(super) fn players(&self) -> impl Iterator<Item = (i32, &Seat)> {
        let players = self.seats.iter().filter(|(_, seat)| !seat.spectator);
        players.map(|(&id, seat)| (id, seat))
    }

    /// Its encoded [`info::Game`].
    pub(super) fn encoded_info(&self) -> Vec<u8> {
        let creator = self.creator.info();
        let host = self.seats.get(&self.host).map(|seat| seat.user.info());
        let players = self.players().count();
        info::Game {
            room_id: i32::try_from(self.room).ok(),
            game_id: i32::try_from(self.id).ok(),
            description: Some(self.description.as_str().into()),
            with_password: Some(!self.password.is_empty()),
            max_players: Some(self.max_players),
            creator_info: Nested::from(&creator),
            host_info: Nested::from(host.as_ref()),
            spectators_allowed: Some(self.spectators_allowed),
            spectators_omniscient: Some(self.spectators_omniscient),
            player_count: u32::try_from(players).ok(),
            spectators_count: u32::try_from(self.seats.len() - players).ok(),
            started: Some(false),
            ..info::Game::default()
        }
        .to_vec()
    }

    /// The seat of a session.
    pub(super) fn seat_of(&self, session: u64) -> Option<i32> {
        let of_session = |(_, seat): &(&i32, &Seat)| seat.session == Some(session);
        self.seats.iter().find(of_session).map(|(&id, _)| id)
    }

    /// The complete state, as a message for those who join.
    pub(super) fn state(&self) -> Bytes {
        let seats = self.seats.iter();
        let properties: Vec<_> = seats.map(|(&id, seat)| seat.properties(id)).collect();
        let player = |properties| info::Player {
            properties: Nested::from_bytes(properties),
            ..info::Player::default()
        };
        let players: Vec<_> = properties.iter().map(|bytes| player(bytes)).collect();
        let state = event::GameStateChanged {
            player_list: Repeated::from(&players),
            game_started: Some(false),
            active_player_id: Some(-1),
            active_phase: Some(-1),
            seconds_elapsed: Some(0),
            ..event::GameStateChanged::default()
        };
        game_event(self.id, None, &state, None)
    }
}

// === impl Seat ===

impl Seat {
    /// The encoded properties of the player with this number.
    pub(super) fn properties(&self, number: i32) -> Vec<u8> {
        let user = self.user.info();
        info::PlayerProperties {
            player_id: Some(number),
            user_info: Nested::from(&user),
            spectator: Some(self.spectator),
            ping_seconds: Some(if self.session.is_some() { 0 } else { -1 }),
            judge: Some(false),
            ..info::PlayerProperties::default()
        }
        .to_vec()
    }
}
