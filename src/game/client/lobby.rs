//! The rooms of a server and the games in them, kept up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use crate::game::runtime::error::DecodeError;
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::message::Message;
use crate::game::runtime::raw::RawFields;
use crate::game::runtime::text::Text;
use crate::game::schema::ServerMessage;
use crate::game::schema::event::{self, ListGames, ListRooms};
use crate::game::schema::info::{Game, Room, User};
use crate::game::schema::payload;

/// The most bytes that a lobby holds; a server with 5,000 games needs about 2 MB.
const LIMIT: usize = 64 << 20;

/// The approximate overhead of a room, a game or a user, in bytes.
const OVERHEAD: usize = 128;

/// `game_list` and `user_list` in a `ServerInfo_Room`, which are stored apart from the room.
const LISTS: [u32; 2] = [7, 8];

/// The rooms of a server, and the games and users in the rooms that were joined.
///
/// A server sends partial updates, such as only the counts of a room, or only that a game has started.
/// A lobby merges them. Pass it every message of the server, answers included:
///
/// ```no_run
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use futures_util::StreamExt;
/// use portreeve::game::Command;
/// use portreeve::game::client::{Lobby, Settings};
///
/// let address = "tcp://server.example".parse()?;
/// let mut settings = Settings::default();
/// settings.answers_among_events = true;
/// let (client, mut events) = settings.connect(&address).await?;
/// client.send(Command::list_rooms()).await?;
/// let mut lobby = Lobby::default();
/// while let Some(event) = events.next().await {
///     lobby.update(&event.message()?)?;
///     for room in lobby.rooms() {
///         println!("{}: {} games", room.name()?, room.game_count());
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lobby {
    /// Rooms, games and users, as encoded messages.
    entries: BTreeMap<Key, Vec<u8>>,
    /// The size of the entries, each with its overhead.
    bytes: usize,
}

/// Why an update was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LobbyError {
    /// The message cannot be read. The lobby is unchanged.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The server reports implausibly many rooms and games. The stored ones are kept and updated, and none is added.
    #[error(
        "cannot add to the lobby: the rooms and games of the server exceed its limit of {} bytes",
        LIMIT
    )]
    TooMuch,
}

/// What an entry is about; games and users with the number of their room.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Room(i32),
    Game(i32, i32),
    User(i32, Vec<u8>),
}

impl Lobby {
    /// Merges what a message reports about rooms, games, and users in rooms; returns whether it reported anything.
    ///
    /// # Errors
    /// [`LobbyError`] if the message cannot be read, or the lobby is full.
    pub fn update(&mut self, message: &ServerMessage<'_>) -> Result<bool, LobbyError> {
        if let Some(event) = message.session_event()?
            && let Some(list) = event.get::<ListRooms<'_>>()?
        {
            return all(list.room_list(), |room| self.update_room(&room));
        }
        if let Some(event) = message.room_event()? {
            let room = event.room_id();
            if let Some(list) = event.get::<ListGames<'_>>()? {
                return all(list.game_list(), |game| self.update_game(room, &game));
            } else if let Some(joined) = event.get::<event::JoinRoom<'_>>()? {
                if let Some(user) = joined.user_info()? {
                    self.update_user(room, &user)?;
                }
            } else if let Some(leave) = event.get::<event::LeaveRoom<'_>>()? {
                self.remove(&user_key(room, leave.name));
            } else {
                return Ok(false);
            }
            return Ok(true);
        }
        if let Some(response) = message.response()?
            && let Some(joined) = response.get::<payload::JoinRoom<'_>>()?
            && let Some(room) = joined.room_info()?
        {
            self.leave_room(room.room_id());
            self.update_room(&room)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Forgets the games and users of a room that this client left: the server sends no more updates.
    pub fn leave_room(&mut self, room_id: i32) {
        let bytes = &mut self.bytes;
        self.entries.retain(|key, entry| match key {
            Key::Game(room, _) | Key::User(room, _) if *room == room_id => {
                *bytes -= entry.len() + OVERHEAD;
                false
            }
            _ => true,
        });
    }

    /// The rooms, ordered by number.
    pub fn rooms(&self) -> impl Iterator<Item = Room<'_>> {
        let rooms = self.range(Key::Room(i32::MIN)..=Key::Room(i32::MAX));
        rooms.filter_map(|room| Room::parse(room).ok())
    }

    /// A room.
    pub fn room(&self, room_id: i32) -> Option<Room<'_>> {
        let room = self.entries.get(&Key::Room(room_id))?;
        Room::parse(room).ok()
    }

    /// The games in a joined room, ordered by number.
    pub fn games(&self, room_id: i32) -> impl Iterator<Item = Game<'_>> {
        let games = self.range(Key::Game(room_id, i32::MIN)..=Key::Game(room_id, i32::MAX));
        games.filter_map(|game| Game::parse(game).ok())
    }

    /// The users in a joined room, ordered by name.
    pub fn users(&self, room_id: i32) -> impl Iterator<Item = User<'_>> {
        let users = self.entries.range(Key::User(room_id, Vec::new())..);
        users
            .take_while(move |(key, _)| matches!(key, Key::User(room, _) if *room == room_id))
            .filter_map(|(_, user)| User::parse(user).ok())
    }

    fn range(&self, keys: RangeInclusive<Key>) -> impl Iterator<Item = &Vec<u8>> {
        self.entries.range(keys).map(|(_, entry)| entry)
    }

    fn update_room(&mut self, room: &Room<'_>) -> Result<(), LobbyError> {
        let id = room.room_id();
        let updated = self.merge(Key::Room(id), &room.to_vec());
        let games = all(room.game_list(), |game| self.update_game(id, &game));
        let users = all(room.user_list(), |user| self.update_user(id, &user));
        updated.and(games).and(users).map(drop)
    }

    fn update_game(&mut self, room: i32, game: &Game<'_>) -> Result<(), LobbyError> {
        let key = Key::Game(room, game.game_id());
        if game.closed() {
            self.remove(&key);
            return Ok(());
        }
        self.merge(key, &game.to_vec())
    }

    fn update_user(&mut self, room: i32, user: &User<'_>) -> Result<(), LobbyError> {
        self.insert(user_key(room, user.name), user.to_vec())
    }

    fn merge(&mut self, key: Key, update: &[u8]) -> Result<(), LobbyError> {
        let without: &[u32] = match key {
            Key::Room(_) => &LISTS,
            _ => &[],
        };
        let known = self.entries.get(&key).map_or(&[][..], Vec::as_slice);
        let merged = merged(known, update, without);
        self.insert(key, merged)
    }

    fn insert(&mut self, key: Key, entry: Vec<u8>) -> Result<(), LobbyError> {
        let known = self.entries.get(&key).map(|known| known.len() + OVERHEAD);
        let after = self.bytes - known.unwrap_or(0) + entry.len() + OVERHEAD;
        // What is known may change, and grow a little by that, although nothing can be added.
        if after > LIMIT + known.map_or(0, |_| LIMIT / 8) {
            return Err(LobbyError::TooMuch);
        }
        self.remove(&key);
        self.bytes += entry.len() + OVERHEAD;
        self.entries.insert(key, entry);
        Ok(())
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= entry.len() + OVERHEAD;
        }
    }
}

/// Updates each entry of a list. There may be no room for one, and yet for the next.
fn all<T>(
    list: impl Iterator<Item = Result<T, DecodeError>>,
    mut update: impl FnMut(T) -> Result<(), LobbyError>,
) -> Result<bool, LobbyError> {
    let mut result = Ok(true);
    for entry in list {
        result = result.and(update(entry?).map(|()| true));
    }
    result
}

fn user_key(room: i32, name: Option<Text<'_>>) -> Key {
    let name = name.map(|name| name.as_bytes()).unwrap_or_default();
    Key::User(room, name.to_vec())
}

/// The fields of `update`, and those of `known` that it lacks, except `without`. A server sends lists in full.
fn merged(known: &[u8], update: &[u8], without: &[u32]) -> Vec<u8> {
    let updated: BTreeSet<u32> = fields(update).map(|(number, _)| number).collect();
    let kept = fields(known).filter(|(number, _)| !updated.contains(number));
    kept.chain(fields(update))
        .filter(|(number, _)| !without.contains(number))
        .flat_map(|(_, field)| field)
        .copied()
        .collect()
}

/// The fields of a message, each with its tag.
fn fields(message: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    RawFields::new(Fragments::one(message)).map(|field| (field.number, field.bytes))
}
