//! The lobby: partial updates are merged into what is known.

use portreeve::game::client::Lobby;
use portreeve::game::{PayloadKind, ServerMessage, json};

use super::script::sessions;
use crate::bytes::{enveloped, field, number, varint};

/// The extensions of these events in a room.
const JOIN_ROOM: u32 = 1001;
const LEAVE_ROOM: u32 = 1002;
const LIST_GAMES: u32 = 1003;

/// The extension of this event of the session.
const LIST_ROOMS: u32 = 1004;

/// The number of a game.
fn number_of(game: u32) -> Vec<u8> {
    number(3, u64::from(game << 1))
}

/// `room_event { room_id: 1 [Event_ListGames.ext] { game_list { … } } }`
fn game(fields: &[u8]) -> Vec<u8> {
    in_room(1, LIST_GAMES, &field(1, fields))
}

fn update(lobby: &mut Lobby, message: &[u8]) -> bool {
    lobby.update(&ServerMessage::parse(message).unwrap()).unwrap()
}

#[test]
fn partial_updates_of_a_game_are_merged() {
    let mut lobby = Lobby::default();
    // Room 1, game 5, "duel", two game types; then only `started`; then another description and one type.
    assert!(update(&mut lobby, &game(b"\x10\x02\x18\x0a\x22\x04duel\x38\x02\x38\x04")));
    assert!(update(&mut lobby, &game(b"\x10\x02\x18\x0a\x90\x03\x01")));
    let known = lobby.games(1).next().unwrap();
    assert_eq!(
        json::to_string(&known).unwrap(),
        r#"{"room_id":1,"game_id":5,"description":"duel","game_types":[1,2],"started":true}"#
    );
    update(&mut lobby, &game(b"\x10\x02\x18\x0a\x22\x03two\x38\x06"));
    let known = lobby.games(1).next().unwrap();
    assert_eq!(known.description().unwrap(), "two");
    assert_eq!(known.game_types().collect::<Vec<_>>(), [3]);
    assert!(known.started());
    update(&mut lobby, &game(b"\x10\x02\x18\x0a\xa0\x03\x01"));
    assert_eq!(lobby.games(1).count(), 0);
}

/// In the recorded sessions the counts of rooms change, and their names stay.
#[test]
fn recorded_rooms_are_merged() {
    for name in ["tcp-room-chat", "websocket-room-chat"] {
        let session = &sessions(name)[0];
        let mut lobby = Lobby::default();
        let mut updates = 0;
        for message in &session.messages {
            updates += u32::from(update(&mut lobby, message));
        }
        assert!(updates > 5, "{updates}");
        assert!(lobby.rooms().count() >= 3);
        for room in lobby.rooms() {
            assert!(!room.name().unwrap().is_empty());
            assert!(room.player_count.is_some());
        }
        let joined = lobby.rooms().find(|room| lobby.users(room.room_id()).count() > 0);
        assert!(joined.is_some());
        let room_id = joined.unwrap().room_id();
        lobby.leave_room(room_id);
        assert_eq!(lobby.users(room_id).count() + lobby.games(room_id).count(), 0);
        assert!(lobby.room(room_id).is_some());
    }
}

/// `room_event { room_id: … [extension] { … } }`
fn in_room(room: u32, extension: u32, payload: &[u8]) -> Vec<u8> {
    let room = varint(u64::from(room << 1));
    let event = [b"\x08", &*room, &field(extension, payload)].concat();
    [b"\x08\x03", &*field(5, &event)].concat()
}

/// Updates a lobby with this many messages; how many bytes it holds afterwards, and how many it was
/// sent.
fn flooded(message: impl Fn(u32) -> Vec<u8>, times: u32) -> (i64, usize) {
    let mut sent = 0;
    let mut lobby = Lobby::default();
    let held = allocation_counter::measure(|| {
        for number in 0..times {
            let message = message(number);
            sent += message.len();
            let _ = lobby.update(&ServerMessage::parse(&message).unwrap());
        }
    });
    (held.bytes_current, sent)
}

/// A server that sends implausibly much does not fill the memory: neither with large games nor with
/// very many small ones, users or rooms.
#[test]
fn the_memory_of_a_lobby_is_bounded() {
    const MAX: i64 = 160 << 20;
    let (held, sent) = flooded(
        |number| {
            // A game with a description of 60 kB.
            let text = field(4, &[b'x'; 60_000]);
            game(&[number_of(number), text].concat())
        },
        1_300,
    );
    assert!(held < MAX && sent > 64 << 20, "{held} {sent}");
    let (held, _) = flooded(
        |number| {
            let games =
                (0..1000).map(|index| number * 1000 + index).map(|id| field(1, &number_of(id)));
            in_room(1, LIST_GAMES, &games.collect::<Vec<_>>().concat())
        },
        700,
    );
    assert!(held < MAX, "{held}");
    let (held, _) = flooded(
        |number| {
            let user = field(1, number.to_string().as_bytes());
            in_room(1, JOIN_ROOM, &field(1, &user))
        },
        700_000,
    );
    assert!(held < MAX, "{held}");
    // Nothing is kept of rooms in which people only talk.
    let (held, _) = flooded(|number| in_room(number, LEAVE_ROOM, &field(1, b"ann")), 100_000);
    assert!(held < 1 << 20, "{held}");
}

/// Merging takes time linear in the length of the update, not quadratic.
#[test]
fn many_unknown_fields_are_merged_in_linear_time() {
    let mut lobby = Lobby::default();
    // More fields than any schema has.
    let fields: Vec<u8> = (1000..150_000).flat_map(|field| number(field, 1)).collect();
    let message = game(&[number_of(1), fields].concat());
    let begun = std::time::Instant::now();
    for _ in 0..3 {
        assert!(update(&mut lobby, &message));
    }
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    assert_eq!(lobby.games(1).count(), 1);
}

/// A lobby that takes nothing new still follows what it knows, also if a message has both.
#[test]
fn a_full_lobby_updates_what_it_knows() {
    let mut lobby = Lobby::default();
    let large = |id| game(&[number_of(id), field(4, &[b'x'; 1 << 20])].concat());
    let full =
        (0..100).find(|&id| lobby.update(&ServerMessage::parse(&large(id)).unwrap()).is_err());
    let full = full.expect("it is bounded");
    // `game_list { game_id: …, started: true }` of one that is unknown, then of one that is known.
    let known = lobby.games(1).next().unwrap().game_id();
    let games =
        [full, known.cast_unsigned()].map(|id| field(1, &[number_of(id), number(50, 1)].concat()));
    let both = in_room(1, LIST_GAMES, &games.concat());
    let large_one = field(1, &[number_of(full), field(4, &[b'x'; 1 << 20])].concat());
    let both = [both, in_room(1, LIST_GAMES, &[large_one, games[1].clone()].concat())];
    for message in both {
        let _ = lobby.update(&ServerMessage::parse(&message).unwrap());
        assert!(lobby.games(1).next().unwrap().started());
    }
}

/// What is held is counted whole, the names of users and what was read of it too.
#[test]
fn a_lobby_holds_at_most_64_mib() {
    let name = |number: u32, length| [vec![b'x'; length], number.to_string().into_bytes()].concat();
    let join = |number, length| in_room(1, JOIN_ROOM, &field(1, &field(1, &name(number, length))));
    let game_of = |number, fields: u32| {
        let fields: Vec<u8> =
            (1000..1000 + fields).flat_map(|field| self::number(field, 1)).collect();
        game(&[number_of(number), fields].concat())
    };
    type Flood<'a> = (&'a dyn Fn(u32) -> Vec<u8>, u32);
    let floods: [Flood<'_>; 4] = [
        (&|number| join(number, 1 << 20), 100),
        (&|number| join(number, 0), 120_000),
        (&|number| game_of(number, 50), 15_000),
        (&|number| game_of(number % 5, 20_000 * (number + 1)), 10),
    ];
    for (index, (message, times)) in floods.into_iter().enumerate() {
        let mut is_full = false;
        let mut lobby = Lobby::default();
        let held = allocation_counter::measure(|| {
            for number in 0..times {
                let message = message(number);
                is_full |= lobby.update(&ServerMessage::parse(&message).unwrap()).is_err();
            }
            assert!(lobby.games(1).count() + lobby.users(1).count() > 0);
        });
        assert!(is_full && held.bytes_current <= 64 << 20, "{index}: {} bytes", held.bytes_current);
    }
}

/// An update costs what its own bytes cost, however much is known: in one message, over many messages, and when a room is
/// joined again.
#[test]
fn updates_of_large_entries_take_time_in_proportion_to_themselves() {
    let list = |rooms: &[u8]| [b"\x08\x01", &*field(3, &field(LIST_ROOMS, rooms))].concat();
    let described = field(1, &[number(1, 0), field(3, &[b'x'; 2 << 20])].concat());
    let begun = std::time::Instant::now();
    let mut lobby = Lobby::default();
    assert!(update(&mut lobby, &list(&[described, field(1, b"\x08\x00").repeat(50_000)].concat())));
    for games in 0..50_000 {
        assert!(update(&mut lobby, &list(&field(1, &[number(1, 0), number(4, games)].concat()))));
    }
    assert_eq!(lobby.room(0).unwrap().description().unwrap().len(), 2 << 20);
    for user in 0..20_000_u32 {
        let user = field(1, user.to_string().as_bytes());
        assert!(update(&mut lobby, &in_room(2, JOIN_ROOM, &field(1, &user))));
    }
    let room = field(PayloadKind::JoinRoom.number(), &field(1, b"\x08\x01"));
    let joined = enveloped(&[number(1, 1), room].concat());
    for _ in 0..20_000 {
        assert!(update(&mut lobby, &joined));
    }
    assert_eq!(lobby.users(2).count(), 20_000);
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
