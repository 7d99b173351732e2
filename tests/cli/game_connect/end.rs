//! How a session ends, or is restored.

use std::time::Duration;

use portreeve::game::testing::{Fault, ScriptedServer, Server};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{
    Connect, IDENTIFICATION, LIST, PING, SESSION_COMMAND, closed, event, name_refused, ok,
    room_say, script, sent,
};
use crate::support::binary::assert_contains;

/// Standard error says how the server ended the session, and the exit code is 1.
#[tokio::test(flavor = "multi_thread")]
async fn the_reason_for_the_end_of_a_session_is_reported() {
    let last_words = [
        ("SERVER_SHUTDOWN", "the game server is shutting down (SERVER_SHUTDOWN): \"soon\""),
        ("BANNED", "the user is banned from the game server (BANNED): \"soon\""),
        ("TOO_MANY_CONNECTIONS", "rejected the user (TOO_MANY_CONNECTIONS)"),
        ("LOGGEDINELSEWERE", "the game server ended the session (LOGGEDINELSEWERE)"),
    ];
    for websocket in [false, true] {
        let address = |server: &ScriptedServer| match websocket {
            true => server.websocket.clone(),
            false => server.tcp.clone(),
        };
        for (reason, expected) in last_words {
            let server = script([room_say("one"), closed(reason, "soon"), "-".to_owned()]).await;
            let (code, lines, said) = Connect::start(address(&server), &["--watch"]).end();
            assert_eq!(code, Some(1));
            assert!(said.contains(expected), "{said}");
            // Everything that was received is printed.
            assert_eq!(lines.len(), 3, "{lines:?}");
        }
        // The connection is lost, with a command in flight and the input open.
        let server = script([SESSION_COMMAND, "-"]).await;
        let mut connect = Connect::start(address(&server), &[]);
        connect.write(&format!("{LIST}\n"));
        let (code, _, said) = connect.end();
        assert_eq!(code, Some(1));
        assert_contains(&said, &["the game server closed the connection"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_the_session_and_fails_it_only_if_an_answer_is_missing() {
    for (websocket, name, watch) in
        [(false, "INT", false), (false, "TERM", true), (true, "TERM", false), (true, "INT", true)]
    {
        let server = Server::start().await.unwrap();
        server.inject(Fault::Silence);
        let address = if websocket { server.websocket.clone() } else { server.tcp.clone() };
        let arguments: &[&str] = if watch { &["--watch"] } else { &[] };
        let mut connect = Connect::start(address, arguments);
        connect.line();
        if !watch {
            // A command that is never answered.
            connect.write(&format!("{LIST}\n"));
            server.next_command().await;
        }
        connect.signal(name);
        let (code, lines, said) = connect.end();
        if watch {
            assert_eq!((code, lines.len(), &*said), (Some(0), 0, ""));
        } else {
            // It is not known what became of the command.
            assert_eq!((code, lines.len()), (Some(1), 1), "{said}");
            assert_eq!((&lines[0]["line"], &lines[0]["sent"]), (&json!(1), &json!(true)));
        }
    }
    // A signal while it still connects, as no greeting comes.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let connect = Connect::start(&url, &[]);
    let (_silent, _) = listener.accept().await.unwrap();
    connect.signal("TERM");
    assert_eq!(connect.end().0, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_answers_are_awaited_after_the_end_of_the_input() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp.clone(), &[]);
    connect.line();
    server.inject(Fault::Delay(Duration::from_secs(2)));
    connect.write(&format!("{PING}\n{PING}\n"));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!((code, lines.len(), &*said), (Some(0), 2, ""));
}

/// A disconnect at the idle limit is named as such, and the rules for names are spelled out.
#[tokio::test(flavor = "multi_thread")]
async fn idle_disconnects_and_refused_names_are_explained() {
    let warning = event("NotifyUser", json!({"type": "IDLEWARNING"}));
    let server = script([&warning, "-"]).await;
    let (code, _, said) = Connect::start(server.websocket.clone(), &["--watch"]).end();
    assert_eq!(code, Some(1));
    assert!(said.contains("the user was idle"), "{said}");

    let server = script(name_refused()).await;
    let (code, _, said) = Connect::start(server.tcp.clone(), &["--user", "x"]).end();
    assert_eq!(code, Some(1));
    assert_contains(&said, &["RespUsernameInvalid: a name has 3 to 20 characters"]);
}

/// The gap is reported, and so is a line whose answer was lost.
#[tokio::test(flavor = "multi_thread")]
async fn reconnect_restores_a_lost_connection() {
    let login = |cmd_id: u64| {
        let login = json!({"user_name": "ann", "clientid": "***", "clientver": "***", "clientfeatures": "***"});
        let login = json!({"cmd_id": cmd_id, "session_command": [{"[Command_Login.ext]": login}]});
        format!("> {login}")
    };
    let server = script([
        login(101),
        ok(101),
        SESSION_COMMAND.to_owned(),
        "-".to_owned(),
        IDENTIFICATION.to_owned(),
        login(102),
        ok(102),
        sent(2, LIST),
        ok(2),
    ]);
    let server = server.await;
    let mut connect = Connect::start(server.websocket.clone(), &["--user", "ann", "--reconnect"]);
    connect.write(&format!("{LIST}\n"));
    let mut lines = Vec::new();
    while lines.last().is_none_or(|line: &Value| line["type"] != json!("RESTORED")) {
        lines.push(connect.line());
    }
    connect.write(&format!("{LIST}\n"));
    connect.close_input();
    let (code, last, said) = connect.end();
    lines.extend(last);
    assert_eq!(code, Some(1));
    assert!(said.contains("lines sent and not answered: 1"), "{said}");
    let types = lines.iter().map(|line| line["type"].as_str().unwrap());
    let mut types: Vec<_> = types.collect();
    // The line is reported when its answer is given up, which may be before or after the gap.
    types.retain(|kind| *kind != "LINE");
    assert_eq!(
        types,
        [
            "SESSION_EVENT",
            "RESPONSE",
            "GAP",
            "SESSION_EVENT",
            "RESPONSE",
            "RESPONSE",
            "RESTORED",
            "RESPONSE",
        ]
    );
    let lost = lines.iter().find(|line| line["type"] == "LINE").unwrap();
    assert_eq!((&lost["line"], &lost["sent"]), (&json!(1), &json!(true)));
    server.finish().await.unwrap();
}
