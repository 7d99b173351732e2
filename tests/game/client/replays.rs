//! Replays, saved when their game has ended.

use futures_util::StreamExt;
use portreeve::game::client::{Client, Note, SaveError};
use portreeve::game::payload::ReplayDownload;
use portreeve::game::{CommandContainer, GameReplay, Message, Payload, ResponseCode, command};
use tokio::io::AsyncWriteExt;

use super::script::frame;
use super::server::{Io, answer, answer_of, cmd_id, framed, session};
use crate::data;

/// `session_event { [Event_ReplayAdded.ext] { match_info { replay_list { replay_id: … } } } }`, one for
/// each of 7, 8 and 9.
const ADDED: &[u8] =
    b"\x08\x01\x1a\x11\xe2\x44\x0e\x0a\x0c\x0a\x02\x08\x0e\x0a\x02\x08\x10\x0a\x02\x08\x12";

/// Answers a request with a replay, or with a refusal; returns the number that was asked for.
async fn hand_out(server: &mut impl Io, replay: Option<&[u8]>) -> i32 {
    let bytes = frame(server).await.unwrap();
    let container = CommandContainer::parse(&bytes).unwrap();
    let command = container.session_command().next().unwrap().unwrap();
    let asked = command
        .get::<command::ReplayDownload<'_>>()
        .unwrap()
        .unwrap();
    let message = handed_out(cmd_id(&bytes), replay);
    server.write_all(&framed(&message)).await.unwrap();
    asked.replay_id()
}

fn handed_out(cmd_id: u64, replay: Option<&[u8]>) -> Vec<u8> {
    let Some(replay) = replay else {
        return answer(cmd_id, ResponseCode::RespAccessDenied);
    };
    let payload = Payload::from(ReplayDownload {
        replay_data: Some(replay),
        ..ReplayDownload::default()
    });
    answer_of(cmd_id, ResponseCode::RespOk, &payload)
}

/// The recorded replays, as a server hands them out.
fn recorded() -> Vec<Vec<u8>> {
    let records = data::records("replays");
    assert_eq!(records.len(), 3);
    records.iter().map(|record| record.message()).collect()
}

#[tokio::test]
async fn replays_are_saved_when_a_game_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let replays = recorded();
    // A replay of another server, with the same number.
    std::fs::write(folder.path().join("replay_9.cor"), "other").unwrap();
    for round in 0..2 {
        let builder = Client::builder().save_replays(folder.path());
        let (client, mut events, mut server) = session(&builder).await;
        let first = replays[0].clone();
        let serve = tokio::spawn(async move {
            server.write_all(&framed(ADDED)).await.unwrap();
            let ids = [
                hand_out(&mut server, Some(&first)).await,
                hand_out(&mut server, None).await,
                hand_out(&mut server, Some(&first)).await,
            ];
            assert_eq!(ids, [7, 8, 9]);
            server
        });
        let mut notes = Vec::new();
        while notes.len() < 3 {
            let event = events.next().await.unwrap();
            notes.extend(event.as_note().map(|note| match note {
                Note::ReplaySaved(path) => path.file_name().unwrap().to_str().unwrap().to_owned(),
                Note::ReplayNotSaved { replay_id, error } => match &**error {
                    SaveError::Refused(_) => format!("{replay_id} refused"),
                    SaveError::Exists { .. } => format!("{replay_id} exists"),
                    error => panic!("{error}"),
                },
                note => panic!("{note:?}"),
            }));
        }
        // In the second round the replay of the first one exists already.
        assert_eq!(notes, ["replay_7.cor", "8 refused", "9 exists"], "{round}");
        client.close().await;
        serve.await.unwrap();
    }
    let saved = std::fs::read(folder.path().join("replay_7.cor")).unwrap();
    assert_eq!(saved, replays[0]);
    let other = std::fs::read(folder.path().join("replay_9.cor")).unwrap();
    assert_eq!(other, b"other");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// A replay that is parsed and encoded again has the same bytes.
#[test]
fn a_replay_is_encoded_with_the_same_bytes() {
    for bytes in recorded() {
        assert_eq!(GameReplay::parse(&bytes).unwrap().to_vec(), bytes);
    }
}
