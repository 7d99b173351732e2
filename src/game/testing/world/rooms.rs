//! Commands in rooms.

use super::World;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::repeated::Repeated;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::RoomCommandPayload;
use crate::game::schema::event::{self, RoomMessageType};
use crate::game::schema::{info, payload};
use crate::game::testing::game::Game;
use crate::game::testing::message::{Failure, Reply, room_event};
use crate::game::testing::sessions::{Session, User};

impl World {
    pub(super) fn join_room(
        &mut self,
        id: u64,
        user: &User,
        number: u32,
    ) -> Result<Reply, Failure> {
        let name = self.rooms.get(number as usize).ok_or(RespNameNotFound)?;
        let here = |session: &Session| session.rooms.contains(&number);
        if here(&self.sessions[&id]) {
            return Err(RespContextError.into());
        }
        let joined = user.info();
        let event = event::JoinRoom {
            user_info: Nested::from(&joined),
            ..event::JoinRoom::default()
        };
        self.send_to(here, &room_event(number, &event));
        let in_room = self.sessions.values().filter(|session| here(session));
        let users: Vec<_> = in_room
            .filter_map(|session| session.user.as_ref())
            .chain([user])
            .map(User::info)
            .collect();
        let games: Vec<Vec<u8>> = self.games_of_room(number).map(Game::encoded_info).collect();
        let games: Vec<_> = games
            .iter()
            .filter_map(|game| info::Game::parse(game).ok())
            .collect();
        let info = info::Room {
            user_list: Repeated::from(&users),
            game_list: Repeated::from(&games),
            ..room(number, name)
        };
        let answer = payload::JoinRoom {
            room_info: Nested::from(&info),
            ..payload::JoinRoom::default()
        };
        let reply = Reply::with(RespOk, &answer);
        let welcome = event::RoomSay {
            message: Some("".into()),
            message_type: Some(RoomMessageType::Welcome),
            ..event::RoomSay::default()
        };
        self.after.push(room_event(number, &welcome));
        if let Some(session) = self.sessions.get_mut(&id) {
            session.rooms.insert(number);
        }
        Ok(reply)
    }

    pub(super) fn in_room(
        &mut self,
        id: u64,
        room: u32,
        command: &RoomCommandPayload<'_>,
    ) -> Result<Reply, Failure> {
        use RoomCommandPayload as C;
        let Some(user) = self.user(id) else {
            return Err(RespLoginNeeded.into());
        };
        if !self.sessions[&id].rooms.contains(&room) {
            return Err(RespNotInRoom.into());
        }
        match command {
            C::RoomSay(say) => {
                if self.floods(id) {
                    return Err(RespChatFlood.into());
                }
                let said = event::RoomSay {
                    name: Some(user.name.as_str().into()),
                    message: say.message,
                    ..event::RoomSay::default()
                };
                self.send_to_room(room, &room_event(room, &said));
            }
            C::LeaveRoom(_) => {
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.rooms.remove(&room);
                }
                self.send_left_room(room, &user.name);
            }
            C::CreateGame(create) => return self.create_game(id, &user, room, create),
            C::JoinGame(join) => return self.join_game(id, &user, join),
        }
        Ok(RespOk.into())
    }

    pub(super) fn send_left_room(&self, room: u32, name: &str) {
        let left = event::LeaveRoom {
            name: Some(name.into()),
            ..event::LeaveRoom::default()
        };
        self.send_to_room(room, &room_event(room, &left));
    }
}

/// A room without its users and games.
pub(super) fn room(id: u32, name: &str) -> info::Room<'_> {
    info::Room {
        room_id: i32::try_from(id).ok(),
        name: Some(name.into()),
        ..info::Room::default()
    }
}
