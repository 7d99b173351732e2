//! Recorded commands, events and replays, compared with what Google's library reads from them.

use std::collections::BTreeSet;
use std::fmt::Debug;

use portreeve::game::command::{
    AdminCommandKind, CommandContainer, GameCommandKind, ModeratorCommandKind, RoomCommandKind,
    SessionCommandKind,
};
use portreeve::game::event::{
    GameEventContainer, GameEventKind, RoomEvent, RoomEventKind, SessionEvent, SessionEventKind,
};
use portreeve::game::fields::{AnyMessage, Value as FieldValue};
use portreeve::game::{
    Command, CommandKind, GameReplay, Message, ServerMessage, check_with_text, json,
};
use serde_json::Value;

use crate::data::{self, same};

/// Parses and checks a recorded message: it has the values that Google's library reads, and it is
/// encoded to the same bytes again.
fn assert_expected<'a, M: Message<'a>>(bytes: &'a [u8], expected: &Value, what: impl Debug) -> M {
    let message = M::parse(bytes).unwrap();
    check_with_text::<M>(bytes).unwrap();
    let found = data::json(&json::to_string(&message).unwrap());
    assert!(same(&found, expected), "{what:?}: {found} {expected}");
    assert_eq!(message.to_vec(), bytes, "{what:?}");
    message
}

#[test]
fn commands_match_what_googles_library_reads() {
    let mut seen = BTreeSet::new();
    for record in data::records("commands") {
        let bytes = record.message();
        let container: CommandContainer<'_> =
            assert_expected(&bytes, &record.expected, (record.n, &record.names));
        let kinds: Vec<_> = container.kinds().collect();
        seen.extend(kinds.iter().copied());
        // Converted to a `Command`, it has the same bytes, with a `cmd_id` or without.
        let command = Command::from_container(&container);
        assert!(command.kinds().eq(kinds));
        match container.cmd_id {
            Some(cmd_id) => assert_eq!(command.to_vec(cmd_id), bytes),
            None => assert_eq!(command.container().to_vec(), bytes),
        }
    }
    let session = SessionCommandKind::ALL.iter().copied();
    let all = session
        .map(CommandKind::Session)
        .chain(RoomCommandKind::ALL.iter().copied().map(CommandKind::Room))
        .chain(GameCommandKind::ALL.iter().copied().map(CommandKind::Game))
        .chain(ModeratorCommandKind::ALL.iter().copied().map(CommandKind::Moderator))
        .chain(AdminCommandKind::ALL.iter().copied().map(CommandKind::Admin));
    let unseen: Vec<_> = all.filter(|kind| !seen.contains(kind)).map(CommandKind::name).collect();
    // Those that are newer than the recorded server.
    let newer = [
        "DECK_SHARE_DOWNLOAD",
        "DECK_LIST_OTHER_USER",
        "DECK_SET_VISIBILITY",
        "DECK_DOWNLOAD_PUBLIC",
        "DECK_SHARE_LIST_MINE",
        "DECK_SHARE_REMOVE",
        "CREATE_CAST_COUNT",
        "SET_PLAYER_ORDER",
        "REPORT_REOPEN",
    ];
    assert_eq!(unseen, newer);
    assert_eq!(seen.len(), 103);
}

#[test]
fn events_match_what_googles_library_reads() {
    let mut session = BTreeSet::new();
    let mut room = BTreeSet::new();
    let mut game = BTreeSet::new();
    for record in data::records("events") {
        let (message, event) = (record.message(), record.event());
        let what = (record.n, &record.names);
        let message = ServerMessage::parse(&message).unwrap();
        let name = record.message_type.as_deref();
        assert_eq!(Some(message.message_type().name()), name);
        let found = match name {
            Some("SESSION_EVENT") => {
                let read: SessionEvent<'_> = assert_expected(&event, &record.expected, what);
                session.extend(read.kind());
                message.session_event().unwrap().map(|event| event.to_vec())
            }
            Some("ROOM_EVENT") => {
                let read: RoomEvent<'_> = assert_expected(&event, &record.expected, what);
                room.extend(read.kind());
                message.room_event().unwrap().map(|event| event.to_vec())
            }
            _ => {
                let read: GameEventContainer<'_> = assert_expected(&event, &record.expected, what);
                for event in read.event_list() {
                    game.extend(event.unwrap().kind());
                }
                let container = message.game_event_container().unwrap();
                container.map(|event| event.to_vec())
            }
        };
        assert_eq!(found, Some(event), "{what:?}");
    }
    assert_eq!((session.len(), room.len(), game.len()), (13, 5, 30));
    assert!(!session.contains(&SessionEventKind::ServerCompleteList));
    assert_eq!(room.len(), RoomEventKind::ALL.len());
    // Without those that are newer than the recorded server.
    assert_eq!(game.len(), GameEventKind::ALL.len() - 3);
}

#[test]
fn replays_match_what_googles_library_reads() {
    let replays = data::records("replays");
    assert_eq!(replays.len(), 3);
    for record in replays {
        let bytes = record.message();
        let replay: GameReplay<'_> = assert_expected(&bytes, &record.expected, &record.name);
        assert!(replay.event_list().count() > 5);
    }
}

/// Both directions of every recorded connection.
#[test]
fn sessions_match_what_googles_library_reads() {
    let mut messages = 0;
    for name in data::TWO_WAY {
        for (number, line) in data::two_way(name).iter().enumerate() {
            let (Some(kind), Some(bytes)) = (line.message_type.as_deref(), line.message()) else {
                continue;
            };
            let what = (name, number);
            if kind == "CommandContainer" {
                assert_expected::<CommandContainer<'_>>(&bytes, &line.expected, what);
            } else {
                assert_expected::<ServerMessage<'_>>(&bytes, &line.expected, what);
            }
            messages += 1;
        }
    }
    assert_eq!(messages, 2537);
}

/// Encodes each message again from its view, on every level.
fn assert_same_again(message: &AnyMessage<'_>, what: &dyn Debug) {
    assert_eq!(message.reencode().unwrap(), message.root(), "{what:?}");
    for (_, value) in message.fields().unwrap() {
        match value {
            FieldValue::Message(message) => assert_same_again(&message, what),
            FieldValue::List(list) => list.for_each(|value| {
                if let FieldValue::Message(message) = value {
                    assert_same_again(&message, what);
                }
            }),
            _ => {}
        }
    }
}

/// No value is lost on any level, and none is added: encoding the views gives the same bytes. This
/// holds for every recorded message, without exceptions.
#[test]
fn encoding_the_values_gives_the_same_bytes() {
    for record in data::records("commands") {
        let bytes = record.message();
        assert_same_again(&AnyMessage::new::<CommandContainer<'_>>(&bytes), &record.n);
    }
    for record in data::records("events") {
        let bytes = record.message();
        assert_same_again(&AnyMessage::new::<ServerMessage<'_>>(&bytes), &record.n);
    }
    for record in data::records("replays") {
        let bytes = record.message();
        assert_same_again(&AnyMessage::new::<GameReplay<'_>>(&bytes), &record.name);
    }
    for name in data::TWO_WAY {
        for (number, line) in data::two_way(name).iter().enumerate() {
            let (Some(kind), Some(bytes)) = (line.message_type.as_deref(), line.message()) else {
                continue;
            };
            let message = match kind {
                "CommandContainer" => AnyMessage::new::<CommandContainer<'_>>(&bytes),
                _ => AnyMessage::new::<ServerMessage<'_>>(&bytes),
            };
            assert_same_again(&message, &(name, number));
        }
    }
}
