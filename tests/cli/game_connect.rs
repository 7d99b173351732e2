//! `portreeve game connect`: the process, connected to a test server (docs/GAME_CLIENT.md).

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use portreeve::game::connection::Address;
use portreeve::game::event::{RoomEvent, RoomSay};
use portreeve::game::frame::{self, greeting_of};
use portreeve::game::testing::{Fault, ScriptedServer, Server};
use portreeve::game::{Extended, MessageType, Nested, ServerMessage, json};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::support::binary::{assert_contains, failure, portreeve};
use crate::support::certificates::Authority;
use crate::terminal::Terminal;

const PING: &str = r#"{"session_command":[{"[Command_Ping.ext]":{}}]}"#;
/// Unlike a ping, the servers for tests do not take it for a keep-alive.
const LIST: &str = r#"{"session_command":[{"[Command_ListRooms.ext]":{}}]}"#;
const SAY: &str = r#"{"room_id":1,"room_command":[{"[Command_RoomSay.ext]":{"message":"hi"}}]}"#;
/// Longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

// The lines of scripts (docs/GAME_CLIENT.md, "A session as a test").
const IDENTIFICATION: &str = r#"< {"message_type":"SESSION_EVENT","session_event":{"[Event_ServerIdentification.ext]":{"server_name":"test","protocol_version":14}}}"#;
const SESSION_COMMAND: &str = r#"> {"session_command":"***"}"#;

async fn script(lines: impl IntoIterator<Item = impl Into<String>>) -> ScriptedServer {
    let lines = lines.into_iter().map(Into::into);
    let lines: Vec<String> = std::iter::once(IDENTIFICATION.to_owned()).chain(lines).collect();
    let script = Server::script(&lines.join("\n")).unwrap();
    script.start().await.unwrap()
}

/// The server answers `RespOk` to the command that has this number in the script, or in the input.
fn ok(cmd_id: u64) -> String {
    answer(cmd_id, "RespOk", json!({}))
}

fn answer(cmd_id: u64, code: &str, payload: Value) -> String {
    let mut response = payload;
    response["cmd_id"] = json!(cmd_id);
    response["response_code"] = json!(code);
    format!("< {}", json!({"message_type": "RESPONSE", "response": response}))
}

/// A session event `Event_…` of this name.
fn event(name: &str, event: Value) -> String {
    let event = json!({format!("[Event_{name}.ext]"): event});
    format!("< {}", json!({"message_type": "SESSION_EVENT", "session_event": event}))
}

fn closed(reason: &str, text: &str) -> String {
    event("ConnectionClosed", json!({"reason": reason, "reason_str": text}))
}

fn room_say(text: &str) -> String {
    let event = json!({"room_id": 1, "[Event_RoomSay.ext]": {"name": "ann", "message": text}});
    format!("< {}", json!({"message_type": "ROOM_EVENT", "room_event": event}))
}

/// The same address, as that of another transport.
fn with_scheme(scheme: &str, address: &Address) -> String {
    format!("{scheme}://{}:{}", address.host(), address.port())
}

/// A running `portreeve game connect`.
struct Connect {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
}

impl Connect {
    fn start(url: impl ToString, arguments: &[&str]) -> Self {
        let mut child = portreeve()
            .args(["game", "connect", &url.to_string()])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                sender.send(line).ok();
            }
        });
        Self { stdin: child.stdin.take(), child, lines }
    }

    fn write(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
    }

    fn close_input(&mut self) {
        self.stdin = None;
    }

    fn line(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line");
        serde_json::from_str(&line).unwrap()
    }

    fn signal(&self, name: &str) {
        signal(&self.child, name);
    }

    /// Waits for the end; returns the exit code, the lines not read so far, and standard error.
    fn end(mut self) -> (Option<i32>, Vec<Value>, String) {
        let code = wait(&mut self.child);
        let lines = self.lines.iter();
        let lines = lines.map(|line| serde_json::from_str(&line).unwrap());
        let lines = lines.collect();
        let mut said = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        (code, lines, said)
    }
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

fn wait(child: &mut Child) -> Option<i32> {
    let begun = std::time::Instant::now();
    while begun.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().ok();
    panic!("it does not end");
}

/// The peak memory of a process so far, in MiB.
pub(crate) fn peak_memory(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    kib.unwrap().parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_sent_and_messages_are_printed() {
    for websocket in [false, true] {
        let server = Server::start().await.unwrap();
        let address = if websocket { server.websocket() } else { server.tcp() };
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
    let mut connect = Connect::start(server.tcp(), &[]);
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
    let mut connect = Connect::start(server.websocket(), &[]);
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
    let mut connect = Connect::start(server.tcp(), &[]);
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

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_read_from_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("password");
    let path = file.to_str().unwrap();
    let arguments = ["--user", "ann", "--password-file", path];
    let server = Server::builder().account("ann", "sesame opens");
    let server = server.start().await.unwrap();
    for (content, code) in [("sesame opens", 0), ("\u{feff}sesame opens\r\n", 0), ("wrong\n", 1)] {
        fs::write(&file, content).unwrap();
        let mut connect = Connect::start(server.websocket(), &arguments);
        if code == 0 {
            connect.write(&format!("{PING}\n"));
        }
        connect.close_input();
        let (ended, lines, said) = connect.end();
        assert_eq!(ended, Some(code), "{said}");
        let all = format!("{lines:?}{said}");
        assert!(!all.contains("sesame") && !all.contains("wrong\n"), "{all}");
        if code == 1 {
            assert_contains(&said, &["the game server refused the login: RespWrongPassword"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_not_shown_when_it_is_typed() {
    let server = Server::builder().account("ann", "sesame opens");
    let server = server.start().await.unwrap();
    let url = server.tcp().to_string();
    let mut terminal =
        Terminal::start(&["game", "connect", &url, "--user", "ann", "--ask-password"]);
    terminal.until("password of ann");
    terminal.type_in("sesame opens\r");
    terminal.until(r#""cmd_id":"1073741825""#);
    // After that, the terminal is the input.
    terminal.type_in(&PING.replacen('{', "{\"cmd_id\":33,", 1));
    terminal.type_in("\n");
    terminal.until(r#""response":{"cmd_id":"33""#);
    terminal.type_in("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("sesame"), "{shown}");
}

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
            true => server.websocket(),
            false => server.tcp(),
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
        let address = if websocket { server.websocket() } else { server.tcp() };
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
    let mut connect = Connect::start(server.tcp(), &[]);
    connect.line();
    server.inject(Fault::Delay(Duration::from_secs(2)));
    connect.write(&format!("{PING}\n{PING}\n"));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!((code, lines.len(), &*said), (Some(0), 2, ""));
}

/// The time for an answer starts when a command is written, not while the flood limits delay it.
#[tokio::test(flavor = "multi_thread")]
async fn commands_delayed_by_the_flood_limits_are_sent() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp(), &["--answer-timeout", "8"]);
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
        let server = script([SESSION_COMMAND, SESSION_COMMAND, &ok(2)]).await;
        let mut connect = Connect::start(server.tcp(), &["--answer-timeout", "3"]);
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
    let mut connect = Connect::start(server.tcp(), &[]);
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
    let mut connect = Connect::start(server.tcp(), &arguments);
    connect.write(&format!("{PING}\n{PING}\n"));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!(code, Some(0), "{said}");
    let ids = lines.iter().filter_map(|line| line["response"]["cmd_id"].as_str());
    let ids: Vec<_> = ids.collect();
    assert_eq!(ids, ["1073741824", "1073741825", "1", "2"]);
    assert!(lines.iter().all(|line| line["type"].is_string()), "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_message_is_printed_and_makes_the_exit_code_1() {
    let server = Server::start().await.unwrap();
    let mut connect = Connect::start(server.tcp(), &["--user", "ann"]);
    while connect.line()["type"] != json!("RESPONSE") {}
    server.send(b"\xff\xff\xff\xff");
    let mut lines = std::iter::repeat_with(|| connect.line());
    let report = lines.find(|line| line["type"] == json!("UNREADABLE")).unwrap();
    assert!(report["error"].is_string(), "{report}");
    connect.close_input();
    let (code, _, said) = connect.end();
    assert_eq!(code, Some(1));
    assert!(said.contains("messages that cannot be read: 1"), "{said}");
}

/// A login that is refused for its name, with the rules for names.
fn name_refused() -> [String; 2] {
    let rules = json!({"[Response_Login.ext]": {"denied_reason_str": "3|20|1|1|1|0|_.-|admin|"}});
    let refused = answer(100, "RespUsernameInvalid", rules);
    [r#"> {"cmd_id":"100","session_command":"***"}"#.to_owned(), refused]
}

/// A disconnect at the idle limit is named as such, and the rules for names are spelled out.
#[tokio::test(flavor = "multi_thread")]
async fn idle_disconnects_and_refused_names_are_explained() {
    let warning = event("NotifyUser", json!({"type": "IDLEWARNING"}));
    let server = script([&warning, "-"]).await;
    let (code, _, said) = Connect::start(server.websocket(), &["--watch"]).end();
    assert_eq!(code, Some(1));
    assert!(said.contains("the user was idle"), "{said}");

    let server = script(name_refused()).await;
    let (code, _, said) = Connect::start(server.tcp(), &["--user", "x"]).end();
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
        SESSION_COMMAND.to_owned(),
        ok(2),
    ]);
    let server = server.await;
    let mut connect = Connect::start(server.websocket(), &["--user", "ann", "--reconnect"]);
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
    let connect = Connect::start(server.tcp(), &["--watch", "--save-replays", folder]);
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
        let left = r#"> {"game_id":3,"game_command":"***"}"#.to_owned();
        let [joined, begun] = played();
        let refused = download(100, "RespAccessDenied", json!({}));
        let rest = match arrives {
            true => handed_out(101).to_vec(),
            false => vec!["-".to_owned()],
        };
        let server = vec![joined, begun, left, ok(1), added()];
        let server = script([server, refused.into(), rest].concat()).await;
        let mut connect = Connect::start(server.tcp(), &["--save-replays", folder]);
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
        .args(["game", "connect", &server.tcp().to_string(), "--watch", "--save-replays"])
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
    let left = r#"> {"game_id":3,"game_command":"***"}"#.to_owned();
    let server = script([joined, begun, left, ok(1)]).await;
    let mut connect =
        Connect::start(server.tcp(), &["--save-replays", folder, "--wait-replays", "1"]);
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
    let game = |replays: &[u32]| json!({"replay_list": replays.iter().map(|id| json!({"replay_id": id})).collect::<Vec<_>>()});
    let list = json!({"[Response_ReplayList.ext]": {"match_list": [game(&[5, 6]), game(&[7])]}});
    let refused = json!({"session_command": [{"[Command_ReplayDownload.ext]": {"replay_id": 6}}]});
    let server = script(
        [
            vec![
                r#"> {"cmd_id":1,"session_command":[{"[Command_Login.ext]":"***"}]}"#.to_owned(),
                ok(1),
            ],
            vec![
                r#"> {"cmd_id":2,"session_command":[{"[Command_ReplayList.ext]":{}}]}"#.to_owned(),
            ],
            vec![answer(2, "RespOk", list)],
            vec![
                format!("> {}", {
                    let mut c = refused;
                    c["cmd_id"] = json!(3);
                    c
                }),
                answer(3, "RespAccessDenied", json!({})),
            ],
            handed_out(4).to_vec(),
        ]
        .concat(),
    )
    .await;
    let output = portreeve()
        .args(["game", "replays", &server.tcp().to_string(), "--user", "ann", "--all", folder])
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

/// A server to try out a bot in any language.
#[tokio::test(flavor = "multi_thread")]
async fn the_demo_answers() {
    let mut demo = portreeve()
        .args(["game", "demo", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut at = BufReader::new(demo.stdout.take().unwrap()).lines();
    let [tcp, websocket] = [(); 2].map(|()| at.next().unwrap().unwrap());
    assert!(tcp.starts_with("tcp://") && websocket.starts_with("ws://"), "{tcp} {websocket}");
    let mut connect = Connect::start(&websocket, &["--user", "ann"]);
    let join = r#"{"session_command":[{"[Command_JoinRoom.ext]":{"room_id":0}}]}"#;
    let say = r#"{"room_id":0,"room_command":[{"[Command_RoomSay.ext]":{"message":"hi"}}]}"#;
    connect.write(&format!("{join}\n{say}\n"));
    for expected in ["@ann welcome", "@ann you said: hi"] {
        let mut lines = std::iter::repeat_with(|| connect.line());
        lines.find(|line| line["room_event"]["[Event_RoomSay.ext]"]["message"] == expected);
    }
    connect.close_input();
    assert_eq!(connect.end().0, Some(0));
    python_bot(&tcp);
    signal(&demo, "TERM");
    assert_eq!(wait(&mut demo), Some(0));
}

/// The example in Python greets who enters, with the messages that Debian's `protoc` makes of `proto/`.
fn python_bot(tcp: &str) {
    let run = |program: &str, arguments: &[&str]| Command::new(program).args(arguments).output();
    let protobuf = run("python3", &["-c", "import google.protobuf"]);
    if run("protoc", &["--version"]).is_err()
        || !protobuf.is_ok_and(|output| output.status.success())
    {
        println!("left out: the bot in Python needs protoc and python3-protobuf");
        return;
    }
    let root = env!("CARGO_MANIFEST_DIR");
    let messages = tempfile::tempdir().unwrap();
    let compile = format!(
        "protoc -I proto --python_out={} $(find proto -name '*.proto')",
        messages.path().display()
    );
    assert!(
        Command::new("sh").args(["-c", &compile]).current_dir(root).status().unwrap().success()
    );
    let (host, port) = tcp.trim_start_matches("tcp://").rsplit_once(':').unwrap();
    let path = std::env::var("PYTHONPATH").unwrap_or_default();
    let mut bot = Command::new("python3")
        .args(["examples/greeting_bot.py", host, port, "greeter"])
        .current_dir(root)
        .env("PYTHONPATH", format!("{}:{path}", messages.path().display()))
        .spawn()
        .unwrap();
    let welcomed = |name: &str| {
        let mut connect = Connect::start(tcp, &["--user", name]);
        connect.write("{\"session_command\":[{\"[Command_JoinRoom.ext]\":{\"room_id\":0}}]}\n");
        // The bot itself may enter later.
        connect.write("{\"room_id\":0,\"room_command\":[{\"[Command_RoomSay.ext]\":{\"message\":\"here\"}}]}\n");
        let expected = format!("Welcome, {name}!");
        let mut lines = std::iter::repeat_with(|| connect.line())
            .map(|line| line["room_event"]["[Event_RoomSay.ext]"]["message"].clone());
        let found =
            lines.find(|said| *said == expected || *said == format!("@{name} you said: here"));
        found.unwrap() == expected
    };
    // Until it has entered, nobody is greeted.
    assert!((0..50).any(|number| welcomed(&format!("u{number}"))));
    bot.kill().unwrap();
    bot.wait().unwrap();
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
        let mut connect = Connect::start(server.tcp(), arguments);
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
    let mut connect = Connect::start(server.tcp(), &[]);
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
        let lines = [vec![format!("> {SAY}"); 15], (1..=15).map(ok).collect()];
        let server = script(lines.concat()).await;
        let arguments = ["--answer-timeout", "8", "--flood-limits", limits];
        let mut connect = Connect::start(server.tcp(), &arguments);
        connect.write(&format!("{SAY}\n").repeat(15));
        connect.close_input();
        assert_eq!(connect.end().0, Some(0));
        server.finish().await.unwrap();
    }
    let server = script([100, 200].map(|length| room_say(&"x".repeat(length)))).await;
    let arguments = ["--watch", "--message-limit", "200"];
    let (code, lines, said) = Connect::start(server.tcp(), &arguments).end();
    assert_eq!((code, lines.len()), (Some(1), 2));
    assert_contains(&said, &["limit of 200"]);
}

/// In both directions, without waiting for a timeout.
#[tokio::test(flavor = "multi_thread")]
async fn the_other_transport_is_named() {
    let server = Server::start().await.unwrap();
    let wrong = with_scheme("tcp", &server.websocket());
    let line = failure(portreeve().args(["game", "connect", &wrong]), 1);
    let right = server.websocket().to_string();
    assert_contains(&line, &["expects WebSocket", &format!("use {right}")]);
    let wrong = with_scheme("ws", &server.tcp());
    let line = failure(portreeve().args(["game", "connect", &wrong]), 1);
    assert_contains(&line, &["does not speak HTTP", &server.tcp().to_string()]);

    // A web server that is no game server: there is nothing to recommend.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4];
            let _ = stream.read_exact(&mut request).await;
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
        }
    });
    let line = failure(portreeve().args(["game", "connect", &url]), 1);
    assert_contains(&line, &["not a game server"]);
    assert!(!line.contains("ws://"), "{line}");
    served.abort();

    // A server that waits for the request.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (silent, _) = listener.accept().await.unwrap();
        let (probe, _) = listener.accept().await.unwrap();
        tokio_tungstenite::accept_async(probe).await.unwrap();
        silent
    });
    let line = failure(portreeve().args(["game", "connect", &url]), 1);
    assert_contains(&line, &["expects WebSocket"]);
    served.await.unwrap();
}

/// Neither a line nor standard error passes on what a terminal would interpret.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_is_escaped() {
    let evil = "\u{1b}]0;owned\u{7}\u{9b}2J\u{202e}";
    let server = script([SESSION_COMMAND, &closed("SERVER_SHUTDOWN", evil), "-"]).await;
    let mut connect = Connect::start(server.tcp(), &[]);
    connect.line();
    connect.write(&format!("{LIST}\n"));
    let mut raw = Vec::new();
    for line in &connect.lines {
        raw.push(line);
    }
    assert!(raw.iter().any(|line| line.contains("\"LINE\"")), "{raw:?}");
    let (code, _, said) = connect.end();
    assert_eq!(code, Some(1));
    assert_contains(&said, &["owned"]);
    raw.push(said.trim_end().to_owned());
    for line in raw {
        let interpreted = |char: char| char.is_control() || char == '\u{202e}';
        assert!(!line.contains(interpreted), "{line:?}");
    }
}

/// The frame of a message in a room.
fn said(text: &str) -> Vec<u8> {
    let say = RoomSay { message: Some(text.into()), ..RoomSay::default() };
    let say = say.into();
    let event = RoomEvent { payload: Extended::from(&say), ..RoomEvent::default() };
    let message = ServerMessage {
        message_type: Some(MessageType::RoomEvent),
        room_event: Nested::from(&event),
        ..ServerMessage::default()
    };
    let mut frame = Vec::new();
    frame::append(&message, &mut frame);
    frame
}

/// A slow reader gets everything, while memory stays bounded and the session alive. A reader that
/// does not read at all does not delay a signal.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_gets_everything() {
    const MESSAGES: usize = 20_000;
    for reads in [true, false] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("tcp://{}", listener.local_addr().unwrap());
        let mut child = portreeve()
            .args(["game", "connect", &url, "--watch"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let (mut read, mut write) = stream.into_split();
        // `session_event { [Event_ServerIdentification.ext] { protocol_version: 14 } }`
        write.write_all(&greeting_of(14)).await.unwrap();
        let identification = b"\0\0\0\x09\x08\x01\x1a\x05\xa2\x1f\x02\x18\x0e";
        write.write_all(identification).await.unwrap();
        let keep_alives = tokio::spawn(async move {
            let (mut bytes, mut count) = ([0; 1024], 0);
            while let Ok(length @ 1..) = read.read(&mut bytes).await {
                count += length;
            }
            count
        });
        let flood = tokio::spawn(async move {
            for number in 0..MESSAGES {
                let frame = said(&format!("{number} {}", "x".repeat(1000)));
                if write.write_all(&frame).await.is_err() {
                    break;
                }
            }
            write
        });
        tokio::time::sleep(Duration::from_secs(8)).await;
        assert!(!flood.is_finished(), "the server is slowed down");
        if reads {
            let stdout = BufReader::new(child.stdout.take().unwrap());
            let mut lines = stdout.lines().map(Result::unwrap).skip(1);
            for number in 0..MESSAGES {
                let line = lines.next().unwrap();
                let start = format!("\"message\":\"{number} x");
                assert!(line.contains(&start), "{start}: {}", &line[..200]);
            }
            let peak = peak_memory(&child);
            assert!(peak < 64, "{peak} MiB");
            signal(&child, "TERM");
            assert!(lines.next().is_none());
        } else {
            signal(&child, "TERM");
        }
        assert_eq!(wait(&mut child), Some(0));
        drop(flood.await.unwrap());
        // A keep-alive has about 20 bytes.
        let keep_alives = keep_alives.await.unwrap();
        assert!(keep_alives >= 20, "{keep_alives} bytes of keep-alives");
    }
}

/// As in `portreeve game connect | head`.
#[tokio::test(flavor = "multi_thread")]
async fn a_closed_output_pipe_ends_the_session() {
    let server = script(vec![room_say("anybody?"); 100]).await;
    let mut child = portreeve()
        .args(["game", "connect", &server.tcp().to_string(), "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(wait(&mut child), Some(0));
    server.finish().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_certificate_authority_is_trusted_if_it_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let authority = Authority::new("game");
    let file = dir.path().join("ca.pem");
    let path = file.to_str().unwrap();
    fs::write(&file, authority.pem()).unwrap();
    let server = Server::start().await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("wss://localhost:{}", listener.local_addr().unwrap().port());
    let tls = TlsAcceptor::from(authority.ending_in(90).server());
    let behind = server.websocket().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            if let Ok(mut stream) = tls.accept(stream).await {
                let mut server = TcpStream::connect(("127.0.0.1", behind)).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut server).await;
            }
        }
    });
    let mut connect = Connect::start(&url, &["--ca", path]);
    connect.write(&format!("{PING}\n"));
    connect.close_input();
    let (code, lines, said) = connect.end();
    assert_eq!((code, lines.len()), (Some(0), 2), "{said}");

    // The other transport is named here too.
    let plain = url.replace("wss", "tcp");
    let line = failure(portreeve().args(["game", "connect", &plain]), 1);
    assert_contains(&line, &["expects WebSocket", &format!("use {url}")]);
    let plain = url.replace("wss", "ws");
    let line = failure(portreeve().args(["game", "connect", &plain]), 1);
    assert_contains(&line, &["expects TLS", &format!("use {url}")]);

    let line = failure(portreeve().args(["game", "connect", &url]), 1);
    assert_contains(&line, &["no trusted authority signed its certificate", "--ca FILE"]);
}
