//! Games: joining, leaving, and sending events to those who may see them.

use bytes::Bytes;

use super::World;
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::repeated::Repeated;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::{CreateGame, GameCommandPayload, JoinGame};
use crate::game::schema::context::ConnectionStateChanged;
use crate::game::schema::event::{self, LeaveReason};
use crate::game::schema::info;
use crate::game::testing::game::{Game, Seat};
use crate::game::testing::message::{
    Failure, Reply, extension, game_event, room_event, session_event,
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
        let properties = seat.properties(number);
        let joined = event::Join {
            player_properties: Nested::from_bytes(&properties),
            ..event::Join::default()
        };
        self.send_to_game(id, &game_event(id, None, &joined, None));
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
        let info = game.encoded_info();
        let joined = event::GameJoined {
            game_info: Nested::from_bytes(&info),
            host_id: Some(game.host),
            player_id: Some(number),
            spectator: game.seats.get(&number).map(|seat| seat.spectator),
            resuming: Some(resuming),
            judge: Some(false),
            ..event::GameJoined::default()
        };
        self.after.push(session_event(&joined));
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
                let said = event::GameSay {
                    message: say.message,
                    ..event::GameSay::default()
                };
                self.send_to_game(id, &game_event(id, Some(number), &said, None));
            }
            C::LeaveGame(_) => self.leave_game(id, number, LeaveReason::UserLeft),
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
        self.send_listing(game.room, &game.encoded_info());
    }

    fn send_listing(&self, room: u32, info: &[u8]) {
        let Ok(info) = info::Game::parse(info) else {
            return;
        };
        let infos = [info];
        let list = event::ListGames {
            game_list: Repeated::from(&infos),
            ..event::ListGames::default()
        };
        self.send_to_room(room, &room_event(room, &list));
    }

    fn leave_game(&mut self, id: u32, number: i32, reason: LeaveReason) {
        let left = event::Leave {
            reason: Some(reason),
            ..event::Leave::default()
        };
        let Some(game) = self.games.get_mut(&id) else {
            return;
        };
        game.seats.remove(&number);
        let next_host = game.players().next().map(|(id, _)| id);
        let was_host = game.host == number;
        self.send_to_game(id, &game_event(id, Some(number), &left, None));
        match next_host {
            None => self.close_game(id),
            Some(host) => {
                if was_host && let Some(game) = self.games.get_mut(&id) {
                    game.host = host;
                    let changed = event::GameHostChanged::default();
                    self.send_to_game(id, &game_event(id, Some(host), &changed, None));
                }
                self.list_game(id);
            }
        }
    }

    /// Closes a game without players.
    fn close_game(&mut self, id: u32) {
        self.send_to_game(
            id,
            &game_event(id, None, &event::GameClosed::default(), None),
        );
        if let Some(game) = self.games.remove(&id) {
            let closed = info::Game {
                room_id: i32::try_from(game.room).ok(),
                game_id: i32::try_from(id).ok(),
                closed: Some(true),
                ..info::Game::default()
            };
            self.send_listing(game.room, &closed.to_vec());
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
                _ => self.leave_game(id, number, LeaveReason::UserDisconnected),
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
        let properties = info::PlayerProperties {
            ping_seconds: Some(ping_seconds),
            ..info::PlayerProperties::default()
        };
        let changed = event::PlayerPropertiesChanged {
            player_properties: Nested::from(&properties),
            ..event::PlayerPropertiesChanged::default()
        };
        let context = extension(&ConnectionStateChanged::default());
        let message = game_event(id, Some(number), &changed, Some(&context));
        self.send_to_game(id, &message);
    }
}
