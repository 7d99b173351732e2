//! The rooms of a server and the games in them, kept up to date.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};
use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::game::runtime::error::DecodeError;
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::message::Message;
use crate::game::runtime::raw::RawFields;
use crate::game::runtime::text::Text;
use crate::game::schema::ServerMessage;
use crate::game::schema::event::{self, ListGames, ListRooms};
use crate::game::schema::info::{Game, Room, User};
use crate::game::schema::payload;

/// The most bytes that a lobby holds; a server with 5,000 games needs about 10 MB.
const LIMIT: usize = 64 << 20;

/// What is left of it for what is known, which may change and grow when nothing can be added.
const FOR_UPDATES: usize = LIMIT / 8;

/// The approximate overhead of a room, a game or a user, and of each of its fields, in bytes.
const OVERHEAD: usize = 512;
const FIELD_OVERHEAD: usize = 96;

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
/// use portreeve::game::client::Lobby;
/// use portreeve::game::prelude::*;
///
/// let mut settings = Settings::default();
/// settings.answers_among_events = true;
/// let (client, mut events) = settings.connect(&"tcp://server.example".parse()?).await?;
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
    entries: BTreeMap<Key, Entry>,
    /// The size of the entries, each with its key and its overhead.
    bytes: usize,
}

/// A room, a game or a user. Its fields are apart, so that an update takes no longer if what is known is large.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// The bytes of each field, by its number.
    fields: BTreeMap<u32, Vec<u8>>,
    /// All of them, once they are read.
    message: OnceLock<Vec<u8>>,
}

/// Why an update was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LobbyError {
    /// The message cannot be read. Of a list, what comes before that counts.
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
        let after = room_id.checked_add(1).map(|next| Key::User(next, Vec::new()));
        let games = Included(Key::Game(room_id, i32::MIN));
        let users = Included(Key::User(room_id, Vec::new()));
        for range in [
            (games, Included(Key::Game(room_id, i32::MAX))),
            (users, after.map_or(Unbounded, Excluded)),
        ] {
            let left = self.entries.extract_if(range, |_, _| true);
            self.bytes -= left.map(|(key, entry)| key.size() + entry.size()).sum::<usize>();
        }
    }

    /// The rooms, ordered by number.
    pub fn rooms(&self) -> impl Iterator<Item = Room<'_>> {
        let rooms = self.range(Key::Room(i32::MIN)..=Key::Room(i32::MAX));
        rooms.filter_map(|room| Room::parse(room).ok())
    }

    /// A room.
    pub fn room(&self, room_id: i32) -> Option<Room<'_>> {
        let room = self.entries.get(&Key::Room(room_id))?;
        Room::parse(room.message()).ok()
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
            .filter_map(|(_, user)| User::parse(user.message()).ok())
    }

    fn range(&self, keys: RangeInclusive<Key>) -> impl Iterator<Item = &[u8]> {
        self.entries.range(keys).map(|(_, entry)| entry.message())
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
        self.merge(user_key(room, user.name), &user.to_vec())
    }

    /// Replaces the fields that an update has; a user comes whole. A server sends lists in full.
    fn merge(&mut self, key: Key, update: &[u8]) -> Result<(), LobbyError> {
        let mut updated = Entry::default();
        for field in RawFields::new(Fragments::one(update)) {
            if !matches!(key, Key::Room(_)) || !LISTS.contains(&field.number) {
                updated.fields.entry(field.number).or_default().extend_from_slice(field.bytes);
            }
        }
        updated.fields.values_mut().for_each(Vec::shrink_to_fit);
        let added = updated.size();
        let (limit, taken, replaced) = match self.entries.get(&key) {
            None => (LIMIT - FOR_UPDATES, key.size(), 0),
            Some(known) if matches!(key, Key::User(..)) => (LIMIT, 0, known.size()),
            Some(known) => {
                let replaced = updated.fields.keys().filter_map(|number| known.fields.get(number));
                (LIMIT, 0, replaced.map(Vec::len).map(size_of_field).sum())
            }
        };
        let after = self.bytes - replaced + taken + added;
        if after > limit && after > self.bytes {
            return Err(LobbyError::TooMuch);
        }
        self.bytes = after;
        match self.entries.get_mut(&key) {
            Some(known) if !matches!(key, Key::User(..)) => {
                known.message.take();
                known.fields.extend(updated.fields);
            }
            _ => drop(self.entries.insert(key, updated)),
        }
        Ok(())
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= key.size() + entry.size();
        }
    }
}

// === impl Entry ===

impl Entry {
    fn message(&self) -> &[u8] {
        let fields = || self.fields.values().map(Vec::as_slice).collect::<Vec<_>>();
        self.message.get_or_init(|| fields().concat())
    }

    fn size(&self) -> usize {
        self.fields.values().map(Vec::len).map(size_of_field).sum()
    }
}

// === impl Key ===

impl Key {
    /// The size of an entry without its fields.
    fn size(&self) -> usize {
        match self {
            Self::User(_, name) => OVERHEAD + name.len(),
            _ => OVERHEAD,
        }
    }
}

/// The size of a field, which is in the message too once that is read.
fn size_of_field(length: usize) -> usize {
    2 * length + FIELD_OVERHEAD
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
