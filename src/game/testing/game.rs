//! A game before its start: its seats.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Value, json};

use super::message::game_event;
use super::sessions::User;
use crate::game::runtime::error::TextError;
use crate::game::schema::command::CreateGame;

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

    /// Its `ServerInfo_Game`.
    pub(super) fn info(&self) -> Value {
        let players = self.players().count();
        json!({
            "room_id": self.room,
            "game_id": self.id,
            "description": self.description,
            "with_password": !self.password.is_empty(),
            "max_players": self.max_players,
            "creator_info": self.creator.info(),
            "host_info": self.seats.get(&self.host).map(|seat| seat.user.info()),
            "spectators_allowed": self.spectators_allowed,
            "spectators_omniscient": self.spectators_omniscient,
            "player_count": players,
            "spectators_count": self.seats.len() - players,
            "started": false,
        })
    }

    /// The seat of a session.
    pub(super) fn seat_of(&self, session: u64) -> Option<i32> {
        let of_session = |(_, seat): &(&i32, &Seat)| seat.session == Some(session);
        self.seats.iter().find(of_session).map(|(&id, _)| id)
    }

    /// The complete state, as a message for those who join.
    pub(super) fn state(&self) -> Bytes {
        let seats = self.seats.iter();
        let player = |(&id, seat): (&i32, &Seat)| json!({"properties": seat.properties(id)});
        let state = json!({
            "player_list": seats.map(player).collect::<Vec<_>>(),
            "game_started": false,
            "active_player_id": -1,
            "active_phase": -1,
            "seconds_elapsed": 0,
        });
        game_event(self.id, None, "GameStateChanged", state)
    }
}

// === impl Seat ===

impl Seat {
    /// The `ServerInfo_PlayerProperties` of the player with this number.
    pub(super) fn properties(&self, number: i32) -> Value {
        json!({
            "player_id": number,
            "user_info": self.user.info(),
            "spectator": self.spectator,
            "ping_seconds": if self.session.is_some() { 0 } else { -1 },
            "judge": false,
        })
    }
}
