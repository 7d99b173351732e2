//! Messages that the schema does not have yet: the commands 1037 to 1039 and the event 2027 of
//! tournaments, and fields of later versions. They pass unchanged, in both directions.

use futures_util::StreamExt;
use portreeve::game::client::{Role, Settings};
use portreeve::game::{Command, CommandContainer, Message, ServerMessage, json};
use tokio::io::AsyncWriteExt;

use super::script::frame;
use super::server::{framed, session};
use crate::bytes::field;

/// `game_id: 3 game_command { <extension> { 1: 6 2: 1 } }`, and a field 77 of a later container.
fn game_command(extension: u32) -> Vec<u8> {
    let command = field(extension, b"\x08\x06\x10\x01");
    [&b"\x50\x03"[..], &field(101, &command), b"\xe8\x04\x05"].concat()
}

#[tokio::test]
async fn unknown_commands_are_sent_unchanged() {
    let (client, _events, mut server) = session(&Settings::default()).await;
    for (cmd_id, extension) in (1u8..).zip(1037..=1039) {
        let behind = game_command(extension);
        let bytes = [&[0x08, cmd_id], &behind[..]].concat();
        client.send_raw(&bytes).await.unwrap();
        assert_eq!(frame(&mut server).await, Some(bytes.clone()));
        // And as a call, which has a `cmd_id` of five bytes.
        let container = CommandContainer::parse(&bytes).unwrap();
        assert_eq!(container.game_command().count(), 1);
        let call = tokio::spawn({
            let command = Command::from_container(&container);
            let client = client.clone();
            async move { client.send(command).await }
        });
        let sent = frame(&mut server).await.unwrap();
        assert_eq!(sorted_fields(&sent[6..]), sorted_fields(&behind));
        call.abort();
    }
}

/// The top-level fields of a message, sorted, because an encoder may write them in another order.
fn sorted_fields(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let mut reader = portreeve::game::wire::Reader::new(bytes);
        let tag = reader.tag().unwrap();
        reader.skip(tag, 0).unwrap();
        let (field, rest) = bytes.split_at(bytes.len() - reader.rest().len());
        fields.push(field.to_vec());
        bytes = rest;
    }
    fields.sort();
    fields
}

#[tokio::test]
async fn unknown_events_are_received_unchanged() {
    // Tournament state: phase 1, round 2, a player; and what game state and players may get.
    let state = field(2027, b"\x08\x01\x10\x02\x22\x04\x12\x02an");
    let event = field(2, &[&b"\x08\x02"[..], &state].concat());
    let container = [&b"\x08\x03"[..], &event, b"\xa8\x06\x07"].concat();
    let message = [&b"\x08\x02"[..], &field(4, &container), b"\xa0\x06\x01"].concat();

    let (client, mut events, mut server) = session(&Settings::default()).await;
    events.next().await.unwrap();
    server.write_all(&framed(&message)).await.unwrap();
    let received = events.next().await.unwrap();
    assert_eq!(received.role, Role::Event);
    assert_eq!(received.bytes, message);
    let parsed: ServerMessage<'_> = received.message().unwrap();
    assert_eq!(parsed.to_vec(), message);
    let container = parsed.game_event_container().unwrap().unwrap();
    let event = container.event_list().next().unwrap().unwrap();
    // The player of the event is known, and its kind is not.
    assert_eq!((event.player_id(), event.kind()), (1, None));
    json::to_string(&parsed).unwrap();
    client.close().await;
}
