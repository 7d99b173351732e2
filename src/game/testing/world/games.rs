//! Games: creating, joining and leaving them, and sending events to those in them.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Session, User, World};
use crate::game::schema::ResponseCode::{self, *};
use crate::game::schema::command::{CreateGame, GameCommandPayload, JoinGame};
use crate::game::testing::message::{Reply, game_event, room_event, session_event};

/// The default number of seats.
const SEATS: u32 = 2;

/// A game that has not started.
#[derive(Debug)]
pub(super) struct Game {
    id: u32,
    pub(super) room: u32,
    description: String,
    password: String,
    max_players: u32,
    creator: User,
    host: i32,
    seats: BTreeMap<i32, Seat>,
    next_seat: i32,
}

/// A place at the table.
#[derive(Debug)]
struct Seat {
    user: User,
    /// `None` while the user is disconnected.
    session: Option<u64>,
}

// === impl Game ===

impl Game {
    /// Its `ServerInfo_Game`.
    pub(super) fn info(&self) -> Value {
        json!({
            "room_id": self.room,
            "game_id": self.id,
            "description": self.description,
            "with_password": !self.password.is_empty(),
            "max_players": self.max_players,
            "creator_info": self.creator.info(),
            "host_info": self.seats.get(&self.host).map(|seat| seat.user.info()),
            "player_count": self.seats.len(),
            "started": false,
        })
    }

    /// The seat of a session.
    fn seat_of(&self, session: u64) -> Option<i32> {
        let mut seats = self.seats.iter();
        let (number, _) = seats.find(|(_, seat)| seat.session == Some(session))?;
        Some(*number)
    }

    /// Sends a message to everybody in the game.
    fn send(&self, sessions: &BTreeMap<u64, Session>, message: &Bytes) {
        let here = self.seats.values().filter_map(|seat| seat.session);
        for session in here.filter_map(|id| sessions.get(&id)) {
            session.send(message);
        }
    }

    /// The messages for a client that joins or rejoins: where it is, and the complete state.
    fn joined(&self, number: i32, resuming: bool) -> [Bytes; 2] {
        let joined = json!({
            "game_info": self.info(),
            "host_id": self.host,
            "player_id": number,
            "resuming": resuming,
        });
        let seats = self.seats.iter();
        let player = |(&id, seat): (&i32, &Seat)| json!({"properties": seat.properties(id)});
        let state = json!({
            "player_list": seats.map(player).collect::<Vec<_>>(),
            "game_started": false,
            "active_player_id": -1,
            "active_phase": -1,
            "seconds_elapsed": 0,
        });
        [
            session_event("GameJoined", joined),
            game_event(self.id, None, "GameStateChanged", state),
        ]
    }
}

// === impl Seat ===

impl Seat {
    /// The `ServerInfo_PlayerProperties` of the player with this number.
    fn properties(&self, number: i32) -> Value {
        json!({
            "player_id": number,
            "user_info": self.user.info(),
            "ping_seconds": if self.session.is_some() { 0 } else { -1 },
        })
    }
}

// === impl World ===

impl World {
    pub(super) fn create_game(
        &mut self,
        session: u64,
        user: &User,
        room: u32,
        create: &CreateGame<'_>,
    ) {
        self.next_game += 1;
        let game = Game {
            id: self.next_game,
            room,
            description: create.description().unwrap_or_default().to_owned(),
            password: create.password().unwrap_or_default().to_owned(),
            max_players: create.max_players.unwrap_or(SEATS),
            creator: user.clone(),
            host: 0,
            seats: BTreeMap::new(),
            next_seat: 0,
        };
        self.games.insert(game.id, game);
        self.add_seat(session, user, self.next_game);
    }

    pub(super) fn join_game(
        &mut self,
        session: u64,
        user: &User,
        join: &JoinGame<'_>,
    ) -> Result<(), ResponseCode> {
        let id = join.game_id().cast_unsigned();
        let game = self.games.get(&id).ok_or(RespNameNotFound)?;
        if game.seats.values().any(|seat| seat.user == *user) {
            return Err(RespContextError);
        }
        if join.spectator() {
            return Err(RespSpectatorsNotAllowed);
        }
        if game.password != join.password().unwrap_or_default() {
            return Err(RespWrongPassword);
        }
        if game.seats.len() >= game.max_players as usize {
            return Err(RespGameFull);
        }
        self.add_seat(session, user, id);
        Ok(())
    }

    fn add_seat(&mut self, session: u64, user: &User, id: u32) {
        let Some(game) = self.games.get_mut(&id) else {
            return;
        };
        let number = game.next_seat;
        game.next_seat += 1;
        let seat = Seat {
            user: user.clone(),
            session: Some(session),
        };
        let joined = json!({"player_properties": seat.properties(number)});
        game.send(&self.sessions, &game_event(id, None, "Join", joined));
        game.seats.insert(number, seat);
        self.after.extend(game.joined(number, false));
        self.list_game(id);
    }

    pub(super) fn in_game(
        &mut self,
        session: u64,
        id: u32,
        command: &GameCommandPayload<'_>,
    ) -> Reply {
        use GameCommandPayload as C;
        self.user(session).ok_or(RespLoginNeeded)?;
        self.check_flood(session)?;
        let game = self.games.get(&id).ok_or(RespNotInRoom)?;
        let number = game.seat_of(session).ok_or(RespNotInRoom)?;
        match command {
            C::GameSay(say) => {
                let event = json!({"message": say.message().unwrap_or_default()});
                let event = game_event(id, Some(number), "GameSay", event);
                game.send(&self.sessions, &event);
            }
            C::LeaveGame(_) => self.leave_game(id, number, "USER_LEFT"),
            _ => return Err(RespFunctionNotAllowed),
        }
        Ok(None)
    }

    /// Sends everybody in the room of a game its current info.
    fn list_game(&self, id: u32) {
        if let Some(game) = self.games.get(&id) {
            self.send_listing(game.room, game.info());
        }
    }

    fn send_listing(&self, room: u32, game: Value) {
        let list = room_event(room, "ListGames", json!({"game_list": [game]}));
        self.send_to_room(room, &list);
    }

    fn leave_game(&mut self, id: u32, number: i32, reason: &str) {
        let Some(game) = self.games.get_mut(&id) else {
            return;
        };
        game.seats.remove(&number);
        let Some(&host) = game.seats.keys().next() else {
            let room = game.room;
            self.games.remove(&id);
            let closed = json!({"room_id": room, "game_id": id, "closed": true});
            return self.send_listing(room, closed);
        };
        let event = game_event(id, Some(number), "Leave", json!({"reason": reason}));
        game.send(&self.sessions, &event);
        if game.host == number {
            game.host = host;
            let changed = game_event(id, Some(host), "GameHostChanged", json!({}));
            game.send(&self.sessions, &changed);
        }
        self.list_game(id);
    }

    /// Vacates the seats of a session that ended; users with an account keep theirs.
    pub(super) fn lose_seats(&mut self, session: u64, user: &User) {
        let mut vacated = Vec::new();
        for game in self.games.values_mut() {
            let Some(number) = game.seat_of(session) else {
                continue;
            };
            match game.seats.get_mut(&number) {
                Some(seat) if user.registered => seat.session = None,
                _ => vacated.push((game.id, number)),
            }
        }
        for (id, number) in vacated {
            self.leave_game(id, number, "USER_DISCONNECTED");
        }
    }

    /// Gives a user who is back the seats that were kept.
    pub(super) fn resume_games(&mut self, session: u64, user: &User) {
        for game in self.games.values_mut() {
            let kept = |seat: &Seat| seat.session.is_none() && seat.user == *user;
            let mut seats = game.seats.iter_mut();
            if let Some((&number, seat)) = seats.find(|(_, seat)| kept(seat)) {
                seat.session = Some(session);
                self.after.extend(game.joined(number, true));
            }
        }
    }
}
