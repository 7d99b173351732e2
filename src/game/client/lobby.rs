//! The rooms of a server and the games in them, kept up to date.

use std::collections::{BTreeMap, BTreeSet};

use crate::game::runtime::error::DecodeError;
use crate::game::runtime::fragments::Fragments;
use crate::game::runtime::message::Message;
use crate::game::runtime::raw::RawFields;
use crate::game::schema::ServerMessage;
use crate::game::schema::event::{self, ListGames, ListRooms};
use crate::game::schema::info::{Game, Room, User};
use crate::game::schema::payload;

/// The most bytes that a lobby holds; a server with 5,000 games needs about 2 MB.
const LIMIT: usize = 64 << 20;

/// The approximate overhead of a room, a game or a user, in bytes.
const ENTRY: usize = 128;

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
/// use portreeve::game::client::{Client, Lobby};
///
/// let address = "tcp://server.example".parse()?;
/// let builder = Client::builder().answers_among_events(true);
/// let (client, mut events) = builder.connect(&address).await?;
/// client.send(Command::list_rooms()).await?;
/// let mut lobby = Lobby::new();
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
    rooms: BTreeMap<i32, Entry>,
    bytes: usize,
}

/// Why an update was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LobbyError {
    /// The message cannot be read. The lobby is unchanged.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The server reports implausibly many rooms and games. The stored ones are kept, and none is added.
    #[error(
        "cannot add to the lobby: the rooms and games of the server exceed its limit of {} bytes",
        LIMIT
    )]
    TooMuch,
}

/// A room, its games and its users, as encoded messages.
#[derive(Clone, Debug, Default)]
struct Entry {
    room: Vec<u8>,
    games: BTreeMap<i32, Vec<u8>>,
    users: BTreeMap<Vec<u8>, Vec<u8>>,
}

// === impl Lobby ===

impl Lobby {
    /// An empty lobby.
    pub fn new() -> Self {
        Self::default()
    }

    /// Merges what a message reports about rooms, games, and users in rooms; returns whether it reported
    /// anything.
    ///
    /// # Errors
    /// [`LobbyError`] if the message cannot be read, or the lobby is full.
    pub fn update(&mut self, message: &ServerMessage<'_>) -> Result<bool, LobbyError> {
        if let Some(event) = message.session_event()?
            && let Some(list) = event.get::<ListRooms<'_>>()?
        {
            for room in list.room_list() {
                self.update_room(&room?)?;
            }
            return Ok(true);
        }
        if let Some(event) = message.room_event()? {
            let room = event.room_id();
            if let Some(list) = event.get::<ListGames<'_>>()? {
                for game in list.game_list() {
                    let game = game?;
                    let (entry, bytes) = self.entry(room)?;
                    entry.update_game(&game, bytes);
                }
            } else if let Some(joined) = event.get::<event::JoinRoom<'_>>()? {
                if let Some(user) = joined.user_info()? {
                    let (entry, bytes) = self.entry(room)?;
                    entry.update_user(&user, bytes);
                }
            } else if let Some(left) = event.get::<event::LeaveRoom<'_>>()? {
                let name = left.name.map(|name| name.as_bytes()).unwrap_or_default();
                if let Some(entry) = self.rooms.get_mut(&room) {
                    forget(&mut entry.users, name, &mut self.bytes);
                }
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
        if let Some(entry) = self.rooms.get_mut(&room_id) {
            for (_, game) in std::mem::take(&mut entry.games) {
                self.bytes -= game.len() + ENTRY;
            }
            for (_, user) in std::mem::take(&mut entry.users) {
                self.bytes -= user.len() + ENTRY;
            }
        }
    }

    /// The rooms, ordered by number.
    pub fn rooms(&self) -> impl Iterator<Item = Room<'_>> {
        self.rooms.values().filter_map(Entry::room)
    }

    /// A room.
    pub fn room(&self, room_id: i32) -> Option<Room<'_>> {
        self.rooms.get(&room_id).and_then(Entry::room)
    }

    /// The games in a joined room, ordered by number.
    pub fn games(&self, room_id: i32) -> impl Iterator<Item = Game<'_>> {
        let entry = self.rooms.get(&room_id).into_iter();
        let games = entry.flat_map(|entry| entry.games.values());
        games.filter_map(|game| Game::parse(game).ok())
    }

    /// The users in a joined room, ordered by name.
    pub fn users(&self, room_id: i32) -> impl Iterator<Item = User<'_>> {
        let entry = self.rooms.get(&room_id).into_iter();
        let users = entry.flat_map(|entry| entry.users.values());
        users.filter_map(|user| User::parse(user).ok())
    }

    fn update_room(&mut self, room: &Room<'_>) -> Result<(), LobbyError> {
        let id = room.room_id();
        let (entry, bytes) = self.entry(id)?;
        let before = entry.room.len();
        entry.room = merged(&entry.room, &room.to_vec(), &LISTS);
        *bytes = *bytes + entry.room.len() - before;
        for game in room.game_list() {
            let game = game?;
            let (entry, bytes) = self.entry(id)?;
            entry.update_game(&game, bytes);
        }
        for user in room.user_list() {
            let user = user?;
            let (entry, bytes) = self.entry(id)?;
            entry.update_user(&user, bytes);
        }
        Ok(())
    }

    /// The entry of a room, to be added to, and the count of all bytes.
    fn entry(&mut self, room_id: i32) -> Result<(&mut Entry, &mut usize), LobbyError> {
        if self.bytes + self.rooms.len() * ENTRY > LIMIT {
            return Err(LobbyError::TooMuch);
        }
        Ok((self.rooms.entry(room_id).or_default(), &mut self.bytes))
    }
}

// === impl Entry ===

impl Entry {
    /// The room, if more than its number is known.
    fn room(&self) -> Option<Room<'_>> {
        Some(&self.room)
            .filter(|room| !room.is_empty())
            .and_then(|room| Room::parse(room).ok())
    }

    fn update_game(&mut self, game: &Game<'_>, bytes: &mut usize) {
        let id = game.game_id();
        if game.closed() {
            forget(&mut self.games, &id, bytes);
            return;
        }
        let known = self.games.entry(id).or_insert_with(|| {
            *bytes += ENTRY;
            Vec::new()
        });
        let merged = merged(known, &game.to_vec(), &[]);
        *bytes = *bytes + merged.len() - known.len();
        *known = merged;
    }

    fn update_user(&mut self, user: &User<'_>, bytes: &mut usize) {
        // The name is part of the user as well, so the key is no longer than the value.
        let name = user.name.map(|name| name.as_bytes()).unwrap_or_default();
        let user = user.to_vec();
        forget(&mut self.users, name, bytes);
        *bytes += user.len() + ENTRY;
        self.users.insert(name.to_vec(), user);
    }
}

fn forget<K, Q>(known: &mut BTreeMap<K, Vec<u8>>, key: &Q, bytes: &mut usize)
where
    K: Ord + std::borrow::Borrow<Q>,
    Q: Ord + ?Sized,
{
    if let Some(gone) = known.remove(key) {
        *bytes -= gone.len() + ENTRY;
    }
}

/// A message with the fields of `update`, and those of `known` that `update` lacks. Lists and sub-messages
/// are replaced, since a server sends them in full. Fields whose numbers are in `without` are omitted.
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
