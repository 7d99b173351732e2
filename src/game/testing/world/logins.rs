//! Commands about the session: logins, accounts, private messages, lists.

use serde_json::json;
use zeroize::Zeroizing;

use super::{SALT, World};
use crate::game::client::hashed_password;
use crate::game::schema::ResponseCode::*;
use crate::game::schema::command::{self, SessionCommandPayload};
use crate::game::testing::Fault;
use crate::game::testing::message::{Failure, Reply, session_event};
use crate::game::testing::sessions::{Session, User};

impl World {
    pub(super) fn in_session(
        &mut self,
        id: u64,
        command: &SessionCommandPayload<'_>,
    ) -> Result<Reply, Failure> {
        use SessionCommandPayload as C;
        let text = |text: &str| text.to_owned();
        match command {
            C::Ping(_) => return Ok(RespOk.into()),
            C::Login(login) => return self.log_in(id, login),
            C::Register(register) => {
                let name = register.user_name()?;
                let hash = match register.hashed_password()? {
                    "" => hashed_password(SALT, register.password()?),
                    hash => Zeroizing::new(text(hash)),
                };
                if self.accounts.contains_key(name) {
                    return Err(RespUserAlreadyExists.into());
                }
                self.accounts.insert(text(name), hash);
                return Ok(RespRegistrationAccepted.into());
            }
            C::RequestPasswordSalt(request) => {
                let known = self.accounts.contains_key(request.user_name()?);
                let salt = json!({"password_salt": known.then_some(SALT)});
                return Ok(Reply::with(RespOk, "PasswordSalt", salt));
            }
            _ => {}
        }
        let Some(user) = self.user(id) else {
            return Err(RespLoginNeeded.into());
        };
        match command {
            C::ListRooms(_) => {
                let rooms = self.rooms.iter().enumerate();
                let rooms: Vec<_> = rooms
                    .map(|(number, name)| json!({"room_id": number, "name": name}))
                    .collect();
                let list = session_event("ListRooms", json!({"room_list": rooms}));
                self.sessions[&id].send(&list);
                Ok(RespOk.into())
            }
            C::JoinRoom(join) => self.join_room(id, &user, join.room_id()),
            C::ListUsers(_) => {
                if let Some(session) = self.sessions.get_mut(&id) {
                    session.watches_users = true;
                }
                let users: Vec<_> = self.online().map(User::info).collect();
                Ok(Reply::with(
                    RespOk,
                    "ListUsers",
                    json!({"user_list": users}),
                ))
            }
            C::UserMessage(message) => {
                let to = message.user_name()?;
                if !self.online().any(|known| known.name == to) {
                    return Err(RespNameNotFound.into());
                }
                let text = message.message()?;
                let event = json!({"sender_name": user.name, "receiver_name": to, "message": text});
                let event = session_event("UserMessage", event);
                self.send_to(|session| session.is_of(to), &event);
                self.sessions[&id].send(&event);
                Ok(RespOk.into())
            }
            _ => Err(RespFunctionNotAllowed.into()),
        }
    }

    fn log_in(&mut self, id: u64, login: &command::Login<'_>) -> Result<Reply, Failure> {
        let refused = self.faults.iter().find_map(|fault| match fault {
            Fault::RefuseLogins(code) => Some(*code),
            _ => None,
        });
        if let Some(code) = refused {
            return Ok(Reply::with(code, "Login", json!({})));
        }
        if self.user(id).is_some() {
            return Err(RespContextError.into());
        }
        let name = login.user_name()?;
        if name.is_empty() {
            return Err(RespUsernameInvalid.into());
        }
        let account = self.accounts.get(name);
        if let Some(hash) = account {
            let given = match login.hashed_password()? {
                "" => hashed_password(SALT, login.password()?),
                given => Zeroizing::new(given.to_owned()),
            };
            if given != *hash {
                return Err(RespWrongPassword.into());
            }
        }
        let user = User {
            name: self.free_name(name, account.is_some()),
            registered: account.is_some(),
        };
        if user.registered {
            self.log_out_elsewhere(&user.name);
        }
        let info = json!({"user_info": user.info()});
        let joined = session_event("UserJoined", info.clone());
        self.send_to(|session| session.watches_users, &joined);
        if let Some(session) = self.sessions.get_mut(&id) {
            session.user = Some(user.clone());
        }
        let welcome = session_event("ServerMessage", json!({"message": ""}));
        self.after.push(welcome);
        self.resume_games(id, &user);
        Ok(Reply::with(RespOk, "Login", info))
    }

    /// A name that is not in use: guests get a variant of theirs if it is taken.
    fn free_name(&self, name: &str, registered: bool) -> String {
        let taken = |name: &str| self.online().any(|user| user.name == name);
        if registered || !taken(name) {
            return name.to_owned();
        }
        (1..)
            .map(|number| format!("{name}_{number}"))
            .find(|name| !taken(name))
            .unwrap_or_default()
    }

    /// Ends earlier sessions of a user who logs in again.
    fn log_out_elsewhere(&mut self, name: &str) {
        let closed = session_event("ConnectionClosed", json!({"reason": "LOGGEDINELSEWERE"}));
        let of_user = |(id, session): (&u64, &Session)| session.is_of(name).then_some(*id);
        let others: Vec<u64> = self.sessions.iter().filter_map(of_user).collect();
        for id in others {
            self.sessions[&id].send(&closed);
            // Without a session the connection is closed once everything is sent.
            self.disconnect(id);
        }
    }
}
