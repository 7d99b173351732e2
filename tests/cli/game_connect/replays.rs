//! Replays that are saved, by `game connect` and by `game replays`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Connect, answer, event, ok, script, signal, wait};
use crate::support::binary::{assert_contains, portreeve};

const LEAVE: &str = r#"{"game_id":3,"game_command":[{"[Command_LeaveGame.ext]":{}}]}"#;

/// The client joins game 3, and it begins.
fn played() -> [String; 2] {
    let joined = json!({"game_info": {"game_id": 3}, "player_id": 0});
    let begun = json!({"game_id": 3, "event_list": [{"[Event_GameStateChanged.ext]": {"game_started": true}}]});
    let begun = json!({"message_type": "GAME_EVENT_CONTAINER", "game_event_container": begun});
    [event("GameJoined", joined), format!("< {begun}")]
}

/// A replay is announced.
fn added() -> String {
    event("ReplayAdded", json!({"match_info": {"replay_list": [{"replay_id": 7}]}}))
}

/// The request of that replay, and the answer to it.
fn download(cmd_id: u64, code: &str, payload: Value) -> [String; 2] {
    let request = json!({"[Command_ReplayDownload.ext]": {"replay_id": 7}});
    let request = json!({"cmd_id": cmd_id, "session_command": [request]});
    [format!("> {request}"), answer(cmd_id, code, payload)]
}

fn handed_out(cmd_id: u64) -> [String; 2] {
    let replay = json!({"[Response_ReplayDownload.ext]": {"replay_data": "CAcgBg=="}});
    download(cmd_id, "RespOk", replay)
}

/// The files are what `decode` reads.
#[tokio::test(flavor = "multi_thread")]
async fn save_replays_stores_replays_as_received() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let server = script([vec![added()], handed_out(100).into()].concat()).await;
    let connect = Connect::start(server.tcp.clone(), &["--watch", "--save-replays", folder]);
    let report = std::iter::repeat_with(|| connect.line()).find(|line| line["type"] == "REPLAY");
    let file = dir.path().join("replay_7.cor");
    assert_eq!(report.unwrap()["file"], json!(file));
    assert_eq!(fs::read(&file).unwrap(), b"\x08\x07\x20\x06");
    connect.signal("TERM");
    assert_eq!(connect.end().0, Some(0));
}

/// The end of the input and a signal wait for a replay that the server does not have yet; one that does not arrive is
/// reported.
#[tokio::test(flavor = "multi_thread")]
async fn the_end_waits_for_the_replay_of_the_last_game() {
    for (by_signal, arrives) in [(false, true), (true, true), (false, false)] {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().to_str().unwrap();
        let left = r#"> {"cmd_id":1,"game_id":3,"game_command":"***"}"#.to_owned();
        let [joined, begun] = played();
        let refused = download(100, "RespAccessDenied", json!({}));
        let rest = match arrives {
            true => handed_out(101).to_vec(),
            false => vec!["-".to_owned()],
        };
        let server = vec![joined, begun, left, ok(1), added()];
        let server = script([server, refused.into(), rest].concat()).await;
        let mut connect = Connect::start(server.tcp.clone(), &["--save-replays", folder]);
        connect.write(&format!("{LEAVE}\n"));
        while connect.line()["response"]["cmd_id"] != json!("1") {}
        match by_signal {
            true => connect.signal("TERM"),
            false => connect.close_input(),
        }
        let (code, lines, said) = connect.end();
        let replay = lines.iter().find(|line| line["type"] == "REPLAY");
        let replay = replay.expect("it is reported");
        if arrives {
            assert_eq!((code, &*said), (Some(0), ""));
            assert!(replay["file"].as_str().unwrap().ends_with("replay_7.cor"));
        } else {
            assert_eq!((code, &replay["replay_id"]), (Some(1), &json!(7)));
            assert_contains(&said, &["replays not saved: 1"]);
        }
    }
}

/// A path is bytes, and JSON is text.
#[tokio::test(flavor = "multi_thread")]
async fn a_folder_whose_name_is_not_text_is_used() {
    use std::os::unix::ffi::OsStrExt as _;
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join(std::ffi::OsStr::from_bytes(b"r\xff"));
    fs::create_dir(&folder).unwrap();
    let server = script([vec![added()], handed_out(100).into()].concat()).await;
    let mut child = portreeve()
        .args(["game", "connect", &server.tcp.to_string(), "--watch", "--save-replays"])
        .arg(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let report = lines.map(Result::unwrap).find(|line| line.contains("REPLAY\""));
    assert!(report.unwrap().contains("replay_7.cor"));
    signal(&child, "TERM");
    assert_eq!(wait(&mut child), Some(0));
    assert!(folder.join("replay_7.cor").exists());
}

/// Somebody who leaves while the others play on is told whose replay is missing.
#[tokio::test(flavor = "multi_thread")]
async fn a_replay_that_is_not_announced_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    let [joined, begun] = played();
    let left = r#"> {"cmd_id":1,"game_id":3,"game_command":"***"}"#.to_owned();
    let server = script([joined, begun, left, ok(1)]).await;
    let mut connect =
        Connect::start(server.tcp.clone(), &["--save-replays", folder, "--wait-replays", "1"]);
    connect.write(&format!("{LEAVE}\n"));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!(code, Some(1));
    let last = lines.last().unwrap();
    assert_eq!((&last["type"], &last["game_id"]), (&json!("REPLAY"), &json!(3)));
    assert_contains(last["error"].as_str().unwrap(), &["portreeve game replays"]);
    assert_contains(&said, &["replays not saved: 1"]);
}

/// One that is there is not requested again, one that is refused is named, the others are saved.
#[tokio::test(flavor = "multi_thread")]
async fn all_replays_of_an_account_are_saved() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().to_str().unwrap();
    fs::write(dir.path().join("replay_5.cor"), "other").unwrap();
    let list = json!([{"replay_list": [{"replay_id": 5}, {"replay_id": 6}]}, {"replay_list": [{"replay_id": 7}]}]);
    let list = json!({"[Response_ReplayList.ext]": {"match_list": list}});
    let command = |cmd_id: u64, name: &str, members: Value| {
        let command = json!({format!("[Command_{name}.ext]"): members});
        format!("> {}", json!({"cmd_id": cmd_id, "session_command": [command]}))
    };
    let lines = [
        command(1, "Login", json!("***")),
        ok(1),
        command(2, "ReplayList", json!({})),
        answer(2, "RespOk", list),
        command(3, "ReplayDownload", json!({"replay_id": 6})),
        answer(3, "RespAccessDenied", json!({})),
    ];
    let server = script(lines.into_iter().chain(handed_out(4))).await;
    let output = portreeve()
        .args(["game", "replays", &server.tcp.to_string(), "--user", "ann", "--all", folder])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["replay_id"]), (2, &json!(6)), "{lines:?}");
    assert!(lines[1]["file"].as_str().unwrap().ends_with("replay_7.cor"));
    assert_eq!(fs::read(dir.path().join("replay_5.cor")).unwrap(), b"other");
    assert_contains(&String::from_utf8(output.stderr).unwrap(), &["replays not saved: 1"]);
    server.finish().await.unwrap();
}
