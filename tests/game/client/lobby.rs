//! The lobby: partial updates are merged into what is known.

use portreeve::game::client::Lobby;
use portreeve::game::{ServerMessage, json};

use super::script::sessions;

fn delimited(tag: &[u8], bytes: &[u8]) -> Vec<u8> {
    [tag, &[bytes.len() as u8], bytes].concat()
}

/// `room_event { room_id: 1 [Event_ListGames.ext] { game_list { … } } }`
fn game(fields: &[u8]) -> Vec<u8> {
    let list = delimited(b"\xda\x3e", &delimited(b"\x0a", fields));
    let event = [b"\x08\x02", &list[..]].concat();
    [b"\x08\x03", &delimited(b"\x2a", &event)[..]].concat()
}

fn told(lobby: &mut Lobby, message: &[u8]) -> bool {
    lobby
        .update(&ServerMessage::parse(message).unwrap())
        .unwrap()
}

#[test]
fn games_are_merged() {
    let mut lobby = Lobby::new();
    // Room 1, game 5, "duel", two game types; then only `started`; then all anew with one type.
    assert!(told(
        &mut lobby,
        &game(b"\x10\x02\x18\x0a\x22\x04duel\x38\x02\x38\x04")
    ));
    assert!(told(&mut lobby, &game(b"\x10\x02\x18\x0a\x90\x03\x01")));
    let known = lobby.games(1).next().unwrap();
    assert_eq!(
        json::to_string(&known).unwrap(),
        r#"{"room_id":1,"game_id":5,"description":"duel","game_types":[1,2],"started":true}"#
    );
    told(&mut lobby, &game(b"\x10\x02\x18\x0a\x22\x03two\x38\x06"));
    let known = lobby.games(1).next().unwrap();
    assert_eq!(known.description().unwrap(), "two");
    assert_eq!(known.game_types().collect::<Vec<_>>(), [3]);
    assert!(known.started());
    told(&mut lobby, &game(b"\x10\x02\x18\x0a\xa0\x03\x01"));
    assert_eq!(lobby.games(1).count(), 0);
}

/// In the recorded sessions the counts of rooms change, and their names stay.
#[test]
fn recorded_rooms_are_merged() {
    for name in ["tcp-room-chat", "websocket-room-chat"] {
        let session = &sessions(name)[0];
        let mut lobby = Lobby::new();
        let mut updates = 0;
        for message in &session.messages {
            updates += u32::from(told(&mut lobby, message));
        }
        assert!(updates > 5, "{updates}");
        assert!(lobby.rooms().count() >= 3);
        for room in lobby.rooms() {
            assert!(!room.name().unwrap().is_empty());
            assert!(room.player_count.is_some());
        }
        let joined = lobby
            .rooms()
            .find(|room| lobby.users(room.room_id()).count() > 0);
        assert!(joined.is_some());
        let room_id = joined.unwrap().room_id();
        lobby.left(room_id);
        assert_eq!(
            lobby.users(room_id).count() + lobby.games(room_id).count(),
            0
        );
        assert!(lobby.room(room_id).is_some());
    }
}

/// A server that tells of more than can be true is refused before memory is full.
#[test]
fn a_lobby_has_an_end() {
    let mut lobby = Lobby::new();
    let mut refused = false;
    for number in 0..2_000_u32 {
        // A game with a description of 60 kB.
        let mut fields = vec![0x10, 2, 0x18];
        fields.extend([
            number as u8 | 0x80,
            (number >> 7) as u8 | 0x80,
            0,
            0x22,
            0xe0,
            0xd4,
            3,
        ]);
        fields.extend(vec![b'x'; 60_000]);
        let sized = |tag: &[u8], bytes: &[u8]| {
            let length = bytes.len() as u32;
            let length = [
                length as u8 | 0x80,
                (length >> 7) as u8 | 0x80,
                (length >> 14) as u8,
            ];
            [tag, &length, bytes].concat()
        };
        let event = [
            b"\x08\x02",
            &sized(b"\xda\x3e", &sized(b"\x0a", &fields))[..],
        ]
        .concat();
        let message = [b"\x08\x03", &sized(b"\x2a", &event)[..]].concat();
        refused |= lobby
            .update(&ServerMessage::parse(&message).unwrap())
            .is_err();
        if refused {
            break;
        }
    }
    assert!(refused);
}
