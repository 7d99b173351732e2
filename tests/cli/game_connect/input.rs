//! Lines of commands, and their answers.

use std::fs;
use std::io::Write as _;

use portreeve::game::json;
use portreeve::game::testing::Server;
use serde_json::{Value, json};

use super::{
    Connect, LIST, PING, SAY, SESSION_COMMAND, closed, name_refused, ok, peak_memory, room_say,
    script, sent,
};
use crate::support::binary::assert_contains;

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_sent_and_messages_are_printed() {
    for websocket in [false, true] {
        let server = Server::start().await.unwrap();
        let address = if websocket { server.websocket.clone() } else { server.tcp.clone() };
        let mut connect = Connect::start(address, &[]);
        let first = connect.line();
        let extension = "[Event_ServerIdentification.ext]";
        let name = &first["session_event"][extension]["server_name"];
        assert_eq!((name, &first["offset"]), (&json!("portreeve"), &json!(4)));

        connect.write(PING);
        connect.write("\n");
        let answer = connect.line();
        assert_eq!(answer["response"], json!({"cmd_id": "1", "response_code": "RespOk"}));
        // Offsets count the messages one after the other, as in a TCP stream.
        let end = |line: &Value| line["offset"].as_u64().unwrap() + line["size"].as_u64().unwrap();
        assert_eq!(answer["offset"], json!(end(&first) + 4));

        // An empty line is counted too. A command with a `cmd_id` keeps it.
        connect.write(&format!("\n{}\n", PING.replacen('{', "{\"cmd_id\":77,", 1)));
        assert_eq!(connect.line()["response"]["cmd_id"], json!("77"));
        connect.write(&format!(
            "{PING}\n{}",
            r#"{"room_id":3,"room_command":[{"[Command_RoomSay.ext]":{"message":"hi é"}}]}"#
        ));
        assert_eq!(connect.line()["response"]["cmd_id"], json!("4"));
        // The last line needs no line break.
        connect.close_input();
        assert_eq!(connect.line()["response"]["cmd_id"], json!("5"));
        let (code, lines, said) = connect.end();
        assert_eq!((code, &*said), (Some(0), ""));
        assert_eq!(lines, [Value::Null; 0]);
        let last = server.next_command().await.command;
        assert_eq!(last.container().room_id, Some(3));
        let text = json::to_string(&last.container()).unwrap();
        assert!(text.contains(r#"{"message":"hi é"}"#), "{text}");
    }
}

/// Each of them is reported with its line number.
#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_not_commands_are_reported_and_not_sent() {
    let bad = [
        ("hello", "not a JSON object"),
        (
            r#"{"session_command":[{"[Command_Pin.ext]":{}}]}"#,
            "`SessionCommand` has no `[Command_Pin.ext]`",
        ),
        (
            r#"{"session_command":[{"[Command_Register.ext]":{}}]}"#,
            "lacks the required field `user_name`",
        ),
        (
            r#"{"room_id":-1,"room_command":[{"[Command_LeaveRoom.ext]":{}}]}"#,
            "an unsigned 32-bit integer",
        ),
        ("{}", "commands of exactly one kind"),
        (
            r#"{"cmd_id":2147483647,"session_command":[{"[Command_Ping.ext]":{}}]}"#,
            "must be below 1073741824",
        ),
        (
            r#"{"cmd_id":"99999999999999999999","session_command":[{"[Command_Ping.ext]":{}}]}"#,
            "an unsigned 64-bit integer",
        ),
    ];
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp.clone(), &[]);
    connect.line();
    for (number, (line, problem)) in (1..).zip(bad) {
        connect.write(&format!("{line}\n"));
        let report = connect.line();
        assert_eq!(report["line"], json!(number), "{report}");
        let said = report["error"].as_str().unwrap();
        assert!(said.contains(problem), "{line}: {said}");
    }
    // Bytes that are not text.
    connect.stdin.as_mut().unwrap().write_all(b"\xff\n").unwrap();
    assert_eq!(connect.line()["error"], json!("the line is not UTF-8"));
    connect.write(&format!("{LIST}\n"));
    assert_eq!(connect.line()["response"]["cmd_id"], json!("9"));
    connect.close_input();
    let (code, _, said) = connect.end();
    assert_eq!(code, Some(1));
    assert!(said.contains("lines not sent: 8"), "{said}");
    let first = server.next_command().await.command;
    assert_eq!(first.kinds().next().unwrap().name(), "LIST_ROOMS");
}

/// A command that is too long for the transport is not sent, nor is an answer to it awaited.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_over_the_websocket_limit_is_reported_and_not_sent() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.websocket.clone(), &[]);
    let text = "x".repeat(1_500_000);
    connect.write(&format!(
        "{{\"room_id\":1,\"room_command\":[{{\"[Command_RoomSay.ext]\":{{\"message\":\"{text}\"}}}}]}}\n{LIST}"
    ));
    connect.close_input();
    let (code, lines, _) = connect.end();
    assert_eq!((code, lines.len()), (Some(1), 3), "{lines:?}");
    assert_eq!(lines[1]["line"], json!(1));
    let error = lines[1]["error"].as_str().unwrap();
    assert!(error.contains("at most 1500000"), "{error}");
    assert_eq!(lines[2]["response"]["cmd_id"], json!("2"));
    let first = server.next_command().await.command;
    assert_eq!(first.kinds().next().unwrap().name(), "LIST_ROOMS");
}

/// 200 MB without a line break need no more memory than the longest line, and the next line is sent.
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_line_takes_bounded_memory() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp.clone(), &[]);
    connect.line();
    let part = "x".repeat(1 << 20);
    for _ in 0..200 {
        connect.write(&part);
    }
    connect.write(&format!("\n{PING}\n"));
    let report = connect.line();
    assert_eq!(
        report,
        json!({
            "type": "LINE",
            "line": 1,
            "sent": false,
            "error": "the line is longer than 8388608 bytes",
        })
    );
    assert_eq!(connect.line()["response"]["cmd_id"], json!("2"));
    let peak = peak_memory(&connect.child);
    assert!(peak < 64, "{peak} MiB");
    connect.close_input();
    assert_eq!(connect.end().0, Some(1));
}

/// The time for an answer starts when a command is written, not while the flood limits delay it.
#[tokio::test(flavor = "multi_thread")]
async fn commands_delayed_by_the_flood_limits_are_sent() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp.clone(), &["--answer-timeout", "8"]);
    connect.write(&format!("{SAY}\n").repeat(12));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!((code, lines.len(), &*said), (Some(0), 13, ""));
}

/// An answer that never comes is reported with its line, whether the input has ended or not. So are
/// the lines that are unanswered or unsent when the connection ends.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_an_answer_is_reported() {
    for ends in [true, false] {
        let server = script([SESSION_COMMAND, &sent(2, LIST), &ok(2)]).await;
        let mut connect = Connect::start(server.tcp.clone(), &["--answer-timeout", "3"]);
        connect.line();
        connect.write(&format!("{LIST}\n{LIST}\n"));
        if ends {
            connect.close_input();
        }
        assert_eq!(connect.line()["response"]["cmd_id"], json!("2"));
        let report = connect.line();
        assert_eq!(
            (&report["type"], &report["line"], &report["sent"]),
            (&json!("LINE"), &json!(1), &json!(true))
        );
        let error = report["error"].as_str().unwrap();
        assert!(error.contains("within 3s"), "{error}");
        connect.close_input();
        let (code, _, said) = connect.end();
        assert_eq!(code, Some(1));
        assert!(said.contains("lines sent and not answered: 1"), "{said}");
        server.finish().await.unwrap();
    }
    // The server disconnects when ten lines are written and two wait for the flood limits.
    let say = format!("> {SAY}");
    let server = script([say.as_str(); 10].into_iter().chain(["-"])).await;
    let mut connect = Connect::start(server.tcp.clone(), &[]);
    connect.write(&format!("{SAY}\n").repeat(12));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!((code, lines.len()), (Some(1), 13), "{said}");
    let sent = |sent: bool| lines.iter().filter(|line| line["sent"] == json!(sent)).count();
    assert_eq!((sent(true), sent(false)), (10, 2), "{lines:?}");
}

/// If a command of the login and a line had the same id, a reader of the output could not tell their
/// answers apart.
#[tokio::test(flavor = "multi_thread")]
async fn lines_and_the_login_use_different_command_ids() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("password");
    fs::write(&file, "sesame opens").unwrap();
    let path = file.to_str().unwrap();
    let arguments = ["--user", "ann", "--password-file", path];
    let server = Server::builder().account("ann", "sesame opens");
    let server = server.start().await.unwrap();
    let mut connect = Connect::start(server.tcp.clone(), &arguments);
    connect.write(&format!("{PING}\n{PING}\n"));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!(code, Some(0), "{said}");
    let ids = lines.iter().filter_map(|line| line["response"]["cmd_id"].as_str());
    let ids: Vec<_> = ids.collect();
    assert_eq!(ids, ["1073741824", "1073741825", "1", "2"]);
    assert!(lines.iter().all(|line| line["type"].is_string()), "{lines:?}");
}

/// The input stays open, so that the command ends by itself.
#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_left_when_the_session_ends_are_reported() {
    const LINES: usize = 500;
    // The server ends the session, or refuses the login.
    for kicks in [true, false] {
        let arguments: &[&str] = if kicks { &[] } else { &["--user", "x"] };
        let lines = match kicks {
            true => {
                vec![SESSION_COMMAND.to_owned(), closed("LOGGEDINELSEWERE", ""), "-".to_owned()]
            }
            false => name_refused().to_vec(),
        };
        let server = script(lines).await;
        let mut connect = Connect::start(server.tcp.clone(), arguments);
        connect.write(&format!("{LIST}\n").repeat(LINES));
        let input = connect.stdin.take();
        let (code, lines, said) = connect.end();
        drop(input);
        assert_eq!(code, Some(1));
        let reports = lines.iter().filter(|line| line["type"] == "LINE");
        let mut numbers: Vec<_> = reports.map(|line| line["line"].as_u64().unwrap()).collect();
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(1..=LINES as u64), "{numbers:?}");
        let reason = if kicks { "LOGGEDINELSEWERE" } else { "RespUsernameInvalid" };
        assert_contains(&said, &[reason]);
    }
}

/// Endless input does not keep the command from ending.
#[tokio::test(flavor = "multi_thread")]
async fn endless_input_ends_with_the_session() {
    let server = script([&closed("LOGGEDINELSEWERE", ""), "-"]).await;
    let mut connect = Connect::start(server.tcp.clone(), &[]);
    let mut input = connect.stdin.take().unwrap();
    let endless = std::thread::spawn(move || {
        let lines = "no command\n".repeat(1000);
        while input.write_all(lines.as_bytes()).is_ok() {}
    });
    let (code, _, said) = connect.end();
    assert_eq!(code, Some(1));
    assert_contains(&said, &["the rest of the input was not read"]);
    endless.join().unwrap();
}

/// Fifteen messages are more than the limits that are assumed by default.
#[tokio::test(flavor = "multi_thread")]
async fn the_limits_of_a_server_are_options() {
    for limits in ["15,1000,20,3600", "none"] {
        // Answered once all have arrived: if some waited for the limits, the others would time out.
        let lines = (1..=15).map(|line| sent(line, SAY)).chain((1..=15).map(ok));
        let server = script(lines).await;
        let arguments = ["--answer-timeout", "8", "--flood-limits", limits];
        let mut connect = Connect::start(server.tcp.clone(), &arguments);
        connect.write(&format!("{SAY}\n").repeat(15));
        connect.close_input();
        assert_eq!(connect.end().0, Some(0));
        server.finish().await.unwrap();
    }
    let server = script([100, 200].map(|length| room_say(&"x".repeat(length)))).await;
    let arguments = ["--watch", "--message-limit", "200"];
    let (code, lines, said) = Connect::start(server.tcp.clone(), &arguments).end();
    assert_eq!((code, lines.len()), (Some(1), 2));
    assert_contains(&said, &["limit of 200"]);
}
