//! Games: joining, leaving, and sending events to those who may see them.

use bytes::Bytes;
use serde_json::{Value, json};

use super::World;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::{CreateGame, GameCommandPayload, JoinGame};
use crate::game::testing::game::{Game, Seat};
use crate::game::testing::message::{
    Failure, Reply, game_event, game_event_in, room_event, session_event,
};
use crate::game::testing::sessions::User;

impl World {
    pub(super) fn games_of_room(&self, room: u32) -> impl Iterator<Item = &Game> {
        self.games.values().filter(move |game| game.room == room)
    }

    pub(super) fn create_game(
        &mut self,
        session: u64,
        user: &User,
        room: u32,
        create: &CreateGame<'_>,
    ) -> Result<Reply, Failure> {
        let id = self.next_game;
        self.next_game += 1;
        let game = Game::new(id, room, user, create)?;
        self.games.insert(id, game);
        self.add_seat(session, user, id, create.join_as_spectator());
        self.list_game(id);
        Ok(RespOk.into())
    }

    pub(super) fn join_game(
        &mut self,
        session: u64,
        user: &User,
        join: &JoinGame<'_>,
    ) -> Result<Reply, Failure> {
        let id = u32::try_from(join.game_id()).map_err(|_| RespNameNotFound)?;
        let game = self.games.get(&id).ok_or(RespNameNotFound)?;
        if game.seats.values().any(|seat| seat.user == *user) {
            return Err(RespContextError.into());
        }
        if join.spectator() && !game.spectators_allowed {
            return Err(RespSpectatorsNotAllowed.into());
        }
        if !join.spectator() && game.password != join.password()? {
            return Err(RespWrongPassword.into());
        }
        if !join.spectator() && game.players().count() >= game.max_players as usize {
            return Err(RespGameFull.into());
        }
        self.add_seat(session, user, id, join.spectator());
        self.list_game(id);
        Ok(RespOk.into())
    }

    fn add_seat(&mut self, session: u64, user: &User, id: u32, spectator: bool) {
        let Some(game) = self.games.get_mut(&id) else {
            return;
        };
        let number = game.next_seat;
        game.next_seat += 1;
        let seat = Seat {
            user: user.clone(),
            session: Some(session),
            spectator,
        };
        let joined = json!({"player_properties": seat.properties(number)});
        self.send_to_game(id, &game_event(id, None, "Join", joined));
        if let Some(game) = self.games.get_mut(&id) {
            game.seats.insert(number, seat);
        }
        self.queue_joined(id, number, false);
    }

    /// Queues the messages for a client that joins or rejoins a game.
    fn queue_joined(&mut self, id: u32, number: i32, resuming: bool) {
        let Some(game) = self.games.get(&id) else {
            return;
        };
        let joined = json!({
            "game_info": game.info(),
            "host_id": game.host,
            "player_id": number,
            "spectator": game.seats.get(&number).map(|seat| seat.spectator),
            "resuming": resuming,
            "judge": false,
        });
        self.after.push(session_event("GameJoined", joined));
        self.after.push(game.state());
    }

    pub(super) fn in_game(
        &mut self,
        session: u64,
        id: u32,
        command: &GameCommandPayload<'_>,
    ) -> Result<Reply, Failure> {
        use GameCommandPayload as C;
        if self.user(session).is_none() {
            return Err(RespLoginNeeded.into());
        }
        let game = self.games.get(&id).ok_or(RespNotInRoom)?;
        let number = game.seat_of(session).ok_or(RespNotInRoom)?;
        if self.floods(session) {
            return Err(RespChatFlood.into());
        }
        match command {
            C::GameSay(say) => {
                let said = json!({"message": say.message()?});
                self.send_to_game(id, &game_event(id, Some(number), "GameSay", said));
            }
            C::LeaveGame(_) => self.leave_game(id, number, "USER_LEFT"),
            _ => return Err(RespFunctionNotAllowed.into()),
        }
        Ok(RespOk.into())
    }

    /// Sends a message to everybody in a game.
    fn send_to_game(&self, id: u32, message: &Bytes) {
        let Some(game) = self.games.get(&id) else {
            return;
        };
        for session in game.seats.values().filter_map(|seat| seat.session) {
            if let Some(session) = self.sessions.get(&session) {
                session.send(message);
            }
        }
    }

    /// Sends everybody in the room of a game its current info.
    fn list_game(&self, id: u32) {
        let Some(game) = self.games.get(&id) else {
            return;
        };
        self.send_listing(game.room, game.info());
    }

    fn send_listing(&self, room: u32, game: Value) {
        let list = json!({"game_list": [game]});
        self.send_to_room(room, &room_event(room, "ListGames", list));
    }

    fn leave_game(&mut self, id: u32, number: i32, reason: &str) {
        let left = json!({"reason": reason});
        let Some(game) = self.games.get_mut(&id) else {
            return;
        };
        game.seats.remove(&number);
        let next_host = game.players().next().map(|(id, _)| id);
        let was_host = game.host == number;
        self.send_to_game(id, &game_event(id, Some(number), "Leave", left));
        match next_host {
            None => self.close_game(id),
            Some(host) => {
                if was_host && let Some(game) = self.games.get_mut(&id) {
                    game.host = host;
                    let changed = game_event(id, Some(host), "GameHostChanged", json!({}));
                    self.send_to_game(id, &changed);
                }
                self.list_game(id);
            }
        }
    }

    /// Closes a game without players.
    fn close_game(&mut self, id: u32) {
        self.send_to_game(id, &game_event(id, None, "GameClosed", json!({})));
        if let Some(Game { room, .. }) = self.games.remove(&id) {
            let closed = json!({"room_id": room, "game_id": id, "closed": true});
            self.send_listing(room, closed);
        }
    }

    /// Vacates the seats of a session that ended; players with an account keep theirs.
    pub(super) fn lose_seats(&mut self, session: u64, user: &User) {
        let seat = |game: &Game| Some((game.id, game.seat_of(session)?));
        let seats: Vec<_> = self.games.values().filter_map(seat).collect();
        for (id, number) in seats {
            let Some(game) = self.games.get_mut(&id) else {
                continue;
            };
            match game.seats.get_mut(&number) {
                Some(seat) if user.registered && !seat.spectator => {
                    seat.session = None;
                    self.send_connected(id, number, -1);
                }
                _ => self.leave_game(id, number, "USER_DISCONNECTED"),
            }
        }
    }

    /// Gives a user who is back the seats that were kept.
    pub(super) fn resume_games(&mut self, session: u64, user: &User) {
        let mut seats = Vec::new();
        for game in self.games.values_mut() {
            for (&number, seat) in &mut game.seats {
                if user.registered && seat.user == *user && seat.session.is_none() {
                    seat.session = Some(session);
                    seats.push((game.id, number));
                }
            }
        }
        for (id, number) in seats {
            self.send_connected(id, number, 0);
            self.queue_joined(id, number, true);
        }
    }

    fn send_connected(&self, id: u32, number: i32, ping_seconds: i32) {
        let changed = json!({"player_properties": {"ping_seconds": ping_seconds}});
        let context = json!({"[Context_ConnectionStateChanged.ext]": {}});
        let event = "PlayerPropertiesChanged";
        let message = game_event_in(id, Some(number), event, changed, context);
        self.send_to_game(id, &message);
    }
}
