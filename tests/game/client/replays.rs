//! Replays, saved when their game has ended.

use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use futures_util::StreamExt;
use portreeve::game::client::{Client, Note, Reconnect, Replays, SaveError, Settings};
use portreeve::game::connection::Connector;
use portreeve::game::payload::ReplayDownload;
use portreeve::game::{
    Command, CommandContainer, GameReplay, Message, Payload, ResponseCode, command,
};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::time::{Instant, sleep};

use super::script::frame;
use super::server::{
    IDENTIFIED, Io, answer, answer_of, answered, answered_with, cmd_id, framed, script, session,
};
use crate::bytes::field;
use crate::data;

/// `session_event { [Event_ReplayAdded.ext] { match_info { replay_list { replay_id: … } } } }`, one for
/// each of 7, 8 and 9.
const ADDED: &[u8] =
    b"\x08\x01\x1a\x11\xe2\x44\x0e\x0a\x0c\x0a\x02\x08\x0e\x0a\x02\x08\x10\x0a\x02\x08\x12";

/// The same for 7 alone.
const ADDED_ONE: &[u8] = b"\x08\x01\x1a\x09\xe2\x44\x06\x0a\x04\x0a\x02\x08\x0e";

/// A session whose replays are saved.
async fn saving(folder: &Path) -> (Client, Replays, impl Io) {
    let settings = Box::leak(Box::default());
    let (client, events, server) = session(settings).await;
    let events = Replays::save(&client, events, folder);
    (client, events, server)
}

/// `session_event { [Event_ReplayAdded.ext] { match_info { replay_list { replay_id: … }, game_id: … } } }`
fn added(replay: u8, game: u8) -> Vec<u8> {
    let info = [&field(1, &[0x08, 2 * replay])[..], &[0x10, 2 * game]].concat();
    [b"\x08\x01", &*field(3, &field(1100, &field(1, &info)))].concat()
}

/// `session_event { [Event_GameJoined.ext] { game_info { game_id: … } } }`
fn joined(game: u8) -> Vec<u8> {
    [b"\x08\x01", &*field(3, &field(1009, &field(1, &[0x18, 2 * game])))].concat()
}

/// `game_event_container { game_id: … event_list { … } }`
fn in_game(game: u8, event: u32, payload: &[u8]) -> Vec<u8> {
    let container = [&[0x08, game][..], &field(2, &field(event, payload))].concat();
    [b"\x08\x02", &*field(4, &container)].concat()
}

/// `[Event_GameStateChanged.ext] { game_started: true }`
fn begun(game: u8) -> Vec<u8> {
    in_game(game, 1005, b"\x10\x01")
}

fn leave(game: i32) -> Command {
    Command::game(game, command::LeaveGame::default())
}

/// Reads a command, and accepts it.
async fn accept_one(server: &mut impl Io) {
    let bytes = frame(server).await.unwrap();
    let answer = answer(cmd_id(&bytes), ResponseCode::RespOk);
    server.write_all(&framed(&answer)).await.unwrap();
}

/// Reads commands up to the next request of a replay; returns its `cmd_id` and the replay's number. Keep-alives are
/// answered here.
async fn request(server: &mut impl Io) -> (u64, i32) {
    loop {
        let bytes = frame(server).await.unwrap();
        let container = CommandContainer::parse(&bytes).unwrap();
        let command = container.session_command().next().unwrap().unwrap();
        let id = cmd_id(&bytes);
        match command.get::<command::ReplayDownload<'_>>().unwrap() {
            Some(request) => return (id, request.replay_id()),
            None => {
                let answer = framed(&answer(id, ResponseCode::RespOk));
                server.write_all(&answer).await.unwrap();
            }
        }
    }
}

/// Answers a request with a replay, or with a refusal; returns the number that was asked for.
async fn hand_out(server: &mut impl Io, replay: Result<&[u8], ResponseCode>) -> i32 {
    let (cmd_id, replay_id) = request(server).await;
    let message = handed_out(cmd_id, replay);
    server.write_all(&framed(&message)).await.unwrap();
    replay_id
}

fn handed_out(cmd_id: u64, replay: Result<&[u8], ResponseCode>) -> Vec<u8> {
    let replay = match replay {
        Ok(replay) => replay,
        Err(code) => return answer(cmd_id, code),
    };
    let payload =
        Payload::from(ReplayDownload { replay_data: Some(replay), ..ReplayDownload::default() });
    answer_of(cmd_id, ResponseCode::RespOk, &payload)
}

/// The announcement of these replays, as a line of a script.
fn announced(replays: &[u32]) -> String {
    let list: Vec<_> = replays.iter().map(|id| json!({"replay_id": id})).collect();
    let event = json!({"[Event_ReplayAdded.ext]": {"match_info": {"replay_list": list}}});
    format!("< {}", json!({"message_type": "SESSION_EVENT", "session_event": event}))
}

/// The request of a replay, and the answer to it, as lines of a script.
fn download(cmd_id: u64, replay_id: u32, replay: Result<&[u8], &str>) -> String {
    let request =
        json!({"session_command": [{"[Command_ReplayDownload.ext]": {"replay_id": replay_id}}]});
    let members = request.to_string();
    let members = &members[1..members.len() - 1];
    match replay {
        Ok(replay) => {
            let replay = json!({"replay_data": STANDARD.encode(replay)});
            let payload = format!(r#","[Response_ReplayDownload.ext]":{replay}"#);
            answered_with(cmd_id, members, "RespOk", &payload)
        }
        Err(code) => answered(cmd_id, members, code),
    }
}

/// The notes among the events, in words, up to the end of the session.
async fn notes(mut events: Replays) -> Vec<String> {
    let mut notes = Vec::new();
    while let Some(event) = events.next().await {
        notes.extend(event.as_note().map(note));
    }
    notes
}

fn note(note: &Note) -> String {
    match note {
        Note::ReplaySaved(path) => path.file_name().unwrap().to_str().unwrap().to_owned(),
        Note::ReplayNotSaved { replay_id, error } => match &**error {
            SaveError::Refused(_) => format!("{replay_id} refused"),
            SaveError::Exists { .. } => format!("{replay_id} exists"),
            SaveError::Ended(_) => format!("{replay_id} at the end"),
            SaveError::ConnectionsLost(times) => format!("{replay_id} lost {times} connections"),
            error => panic!("{error}"),
        },
        Note::ReplayNotAnnounced { game_id } => format!("game {game_id} not announced"),
        Note::Gap(_) => "gap".to_owned(),
        Note::Restored => "restored".to_owned(),
        note => panic!("{note:?}"),
    }
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
        let server = script(&[
            IDENTIFIED.to_owned(),
            announced(&[7, 8, 9]),
            download(1, 7, Ok(&replays[0])),
            download(2, 8, Err("RespFunctionNotAllowed")),
            download(3, 9, Ok(&replays[0])),
        ])
        .await;
        let (client, events) = Client::connect(&server.tcp).await.unwrap();
        let mut events = Replays::save(&client, events, folder.path());
        let mut notes = Vec::new();
        while notes.len() < 3 {
            let event = events.next().await.unwrap();
            notes.extend(event.as_note().map(note));
        }
        // In the second round the replay of the first one exists already.
        assert_eq!(notes, ["replay_7.cor", "8 refused", "9 exists"], "{round}");
        client.close().await;
        server.finish().await.unwrap();
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

/// A server announces a replay, then stores its bytes, then who has access to them.
#[tokio::test(start_paused = true)]
async fn a_replay_that_is_not_stored_yet_is_requested_again() {
    let folder = tempfile::tempdir().unwrap();
    let (_client, mut events, mut server) = saving(folder.path()).await;
    let serve = tokio::spawn(async move {
        server.write_all(&framed(ADDED_ONE)).await.unwrap();
        for answer in [
            Err(ResponseCode::RespNameNotFound),
            Err(ResponseCode::RespInternalError),
            Err(ResponseCode::RespAccessDenied),
            Ok(&b""[..]),
            Ok(b"\x08\x07"),
        ] {
            assert_eq!(hand_out(&mut server, answer).await, 7);
        }
        server
    });
    while events.next().await.unwrap().position == 0 {}
    events.close(Replays::USUAL_WAIT);
    assert_eq!(notes(events).await, ["replay_7.cor"]);
    serve.await.unwrap();
    let saved = std::fs::read(folder.path().join("replay_7.cor")).unwrap();
    assert_eq!(saved, b"\x08\x07");
}

/// With growing pauses, and other replays in between.
#[tokio::test(start_paused = true)]
async fn a_replay_that_stays_refused_for_a_minute_is_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (client, mut events, mut server) = saving(folder.path()).await;
    let begun = Instant::now();
    let serve = tokio::spawn(async move {
        server.write_all(&framed(ADDED)).await.unwrap();
        let mut requests = Vec::new();
        loop {
            let (cmd_id, replay_id) = tokio::select! {
                request = request(&mut server) => request,
                () = sleep(Duration::from_secs(30)) => return requests,
            };
            requests.push(replay_id);
            let replay = match replay_id {
                7 => Err(ResponseCode::RespAccessDenied),
                _ => Ok(&b"\x08\x07"[..]),
            };
            let message = handed_out(cmd_id, replay);
            server.write_all(&framed(&message)).await.unwrap();
        }
    });
    let mut seen = Vec::new();
    while seen.len() < 3 {
        let event = events.next().await.unwrap();
        seen.extend(event.as_note().map(note));
    }
    assert_eq!(seen, ["replay_8.cor", "replay_9.cor", "7 refused"]);
    let took = begun.elapsed().as_secs();
    assert!((45..=60).contains(&took), "{took} s");
    let requests = serve.await.unwrap();
    assert_eq!(requests[..4], [7, 8, 9, 7]);
    assert!(requests.len() < 16, "{requests:?}");
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn closing_waits_for_an_announced_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (_client, mut events, mut server) = saving(folder.path()).await;
    server.write_all(&framed(ADDED_ONE)).await.unwrap();
    let serve = tokio::spawn(async move {
        let (id, _) = request(&mut server).await;
        sleep(Duration::from_secs(1)).await;
        let message = answer(id, ResponseCode::RespAccessDenied);
        server.write_all(&framed(&message)).await.unwrap();
        hand_out(&mut server, Ok(b"\x08\x07")).await;
        server
    });
    while events.next().await.unwrap().position == 0 {}
    events.close(Replays::USUAL_WAIT);
    assert_eq!(notes(events).await, ["replay_7.cor"]);
    serve.await.unwrap();
}

/// The announcement comes after the answer to the command that ended the game.
#[tokio::test(start_paused = true)]
async fn closing_after_leaving_a_game_waits_for_the_announcement() {
    let folder = tempfile::tempdir().unwrap();
    for announced in [true, false] {
        let (client, mut events, mut server) = saving(folder.path()).await;
        let serve = tokio::spawn(async move {
            for message in [joined(3), begun(3)] {
                server.write_all(&framed(&message)).await.unwrap();
            }
            accept_one(&mut server).await;
            if announced {
                sleep(Duration::from_secs(1)).await;
                server.write_all(&framed(ADDED_ONE)).await.unwrap();
                hand_out(&mut server, Ok(b"\x08\x07")).await;
            }
            server
        });
        client.send(leave(3)).await.unwrap();
        let begun = Instant::now();
        events.close(Replays::USUAL_WAIT);
        let expected = match announced {
            true => "replay_7.cor",
            false => "game 3 not announced",
        };
        assert_eq!(notes(events).await, [expected]);
        assert!(begun.elapsed() < Duration::from_secs(5));
        serve.await.unwrap();
    }
}

/// An announcement is that of the game that it names: of another one it ends nothing.
#[tokio::test(start_paused = true)]
async fn each_of_two_games_that_end_together_has_its_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (client, mut events, mut server) = saving(folder.path()).await;
    let serve = tokio::spawn(async move {
        for message in [joined(3), begun(3), joined(4), begun(4)] {
            server.write_all(&framed(&message)).await.unwrap();
        }
        accept_one(&mut server).await;
        accept_one(&mut server).await;
        // Of an earlier game, then of one of the two.
        for (replay, game) in [(6, 2), (7, 3)] {
            server.write_all(&framed(&added(replay, game))).await.unwrap();
            assert_eq!(hand_out(&mut server, Ok(b"\x08\x07")).await, i32::from(replay));
        }
        sleep(Duration::from_secs(1)).await;
        server.write_all(&framed(&added(8, 4))).await.unwrap();
        assert_eq!(hand_out(&mut server, Ok(b"\x08\x07")).await, 8);
        server
    });
    client.send(leave(3)).await.unwrap();
    client.send(leave(4)).await.unwrap();
    events.close(Replays::USUAL_WAIT);
    let expected = ["replay_6.cor", "replay_7.cor", "replay_8.cor"];
    assert_eq!(notes(events).await, expected);
    serve.await.unwrap();
}

/// Who leaves a game that the others play on is told that its replay is missing, and so is who is still in it. Not so
/// who never played, or was kicked out.
#[tokio::test(start_paused = true)]
async fn a_replay_that_is_not_announced_is_reported_with_its_game() {
    let folder = tempfile::tempdir().unwrap();
    let (client, mut events, mut server) = saving(folder.path()).await;
    let serve = tokio::spawn(async move {
        let kicked = in_game(5, 1004, b"");
        for message in
            [joined(3), begun(3), joined(4), joined(5), begun(5), kicked, joined(6), begun(6)]
        {
            server.write_all(&framed(&message)).await.unwrap();
        }
        super::server::answer_all(server).await;
    });
    client.send(leave(3)).await.unwrap();
    client.send(leave(4)).await.unwrap();
    let begun = Instant::now();
    events.close(Duration::from_secs(600));
    let expected = ["game 3 not announced", "game 6 not announced"];
    assert_eq!(notes(events).await, expected);
    assert_eq!(begun.elapsed().as_secs(), 600);
    serve.await.unwrap();
}

/// Two processes that save into one folder.
#[tokio::test]
async fn the_same_replay_may_be_saved_twice_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let saves = (0..8).map(|_| async {
        let server = script(&[IDENTIFIED.to_owned(), download(1, 7, Ok(&[7; 4000]))]).await;
        let (client, _events) = Client::connect(&server.tcp).await.unwrap();
        client.save_replay(7, folder.path()).await
    });
    for saved in futures_util::future::join_all(saves).await {
        assert_eq!(saved.unwrap(), folder.path().join("replay_7.cor"));
    }
    assert_eq!(std::fs::read(folder.path().join("replay_7.cor")).unwrap(), [7; 4000]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Whether the client closes the connection, or the server does.
#[tokio::test(start_paused = true)]
async fn a_replay_that_is_left_at_the_end_is_reported() {
    for closes in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let (_client, mut events, mut server) = saving(folder.path()).await;
        server.write_all(&framed(ADDED_ONE)).await.unwrap();
        if closes {
            // What is still on its way when the client closes, it may not hear: the announcement follows the
            // identification.
            while events.next().await.unwrap().position == 0 {}
            events.close(Replays::USUAL_WAIT);
        } else {
            let events = &mut events;
            tokio::select! {
                _ = request(&mut server) => {}
                () = async { while events.next().await.is_some() {} } => {}
            }
            drop(server);
        }
        assert_eq!(notes(events).await, ["7 at the end"]);
    }
}

/// The answer is longer than the limit, which ends the connection each time.
#[tokio::test]
async fn a_replay_that_ends_each_connection_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let mut policy = Reconnect::default();
    policy.first_delay = Duration::from_millis(1);
    policy.longest_delay = Duration::from_millis(20);
    policy.attempts = 200;
    let mut connector = Connector::default();
    connector.message_limit = 1000;
    let mut settings = Settings::default();
    settings.connector = connector;
    settings.reconnect = Some(policy);
    let lost = |cmd_id| [&*download(cmd_id, 7, Ok(&[0; 2000])), "-", IDENTIFIED].join("\n");
    let server = script(&[IDENTIFIED.to_owned(), announced(&[7]), lost(1), lost(2), lost(3)]).await;
    let (client, events) = settings.connect(&server.tcp).await.unwrap();
    let mut events = Replays::save(&client, events, folder.path());
    let mut seen = Vec::new();
    while !seen.last().is_some_and(|note: &String| note.starts_with('7')) {
        let event = events.next().await.unwrap();
        seen.extend(event.as_note().map(note));
    }
    seen.retain(|note| note != "gap" && note != "restored");
    while !matches!(events.next().await.unwrap().as_note(), Some(Note::Restored)) {}
    assert_eq!(seen, ["7 lost 3 connections"]);
    client.close().await;
    server.finish().await.unwrap();
}
