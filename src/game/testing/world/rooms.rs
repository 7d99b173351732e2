//! Commands in rooms.

use serde_json::json;

use super::World;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::RoomCommandPayload;
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
        let joined = json!({"user_info": user.info()});
        self.send_to(here, &room_event(number, "JoinRoom", joined));
        let in_room = self.sessions.values().filter(|session| here(session));
        let users: Vec<_> = in_room
            .filter_map(|session| session.user.as_ref())
            .chain([user])
            .map(User::info)
            .collect();
        let games: Vec<_> = self.games_of_room(number).map(Game::info).collect();
        let room = json!({"room_id": number, "name": name, "user_list": users, "game_list": games});
        let reply = Reply::with(RespOk, "JoinRoom", json!({"room_info": room}));
        let welcome = json!({"message": "", "message_type": "Welcome"});
        self.after.push(room_event(number, "RoomSay", welcome));
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
                let said = json!({"name": user.name, "message": say.message()?});
                self.send_to_room(room, &room_event(room, "RoomSay", said));
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
        let left = room_event(room, "LeaveRoom", json!({"name": name}));
        self.send_to_room(room, &left);
    }
}
