//! Sessions that are recorded as scripts, and played (`portreeve::game::testing::Script`).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::client::{CallError, Client, Credentials, End, Note, Reconnect, Settings};
use portreeve::game::connection::{Address, Connector};
use portreeve::game::testing::{self, Server};
use portreeve::game::{Command, CommandContainer};

use super::recorded::send_commands;
use super::script::{Session, sessions};
use super::server::address;
use crate::data::TWO_WAY;

const HELLO: &str = r#"
< {"message_type":"SESSION_EVENT","session_event":{"[Event_ServerIdentification.ext]":{"protocol_version":14}}}
"#;
const LIST: &str = r#"
> {"cmd_id":"1","session_command":[{"[Command_ListRooms.ext]":{}}]}
< {"message_type":"RESPONSE","response":{"cmd_id":"1","response_code":"RespOk"}}
"#;

/// A connector, and the script that it records.
fn recorder() -> (Connector, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let recorded = lines.clone();
    let connector = testing::record(Connector::default(), move |line| {
        recorded.lock().unwrap().push(line.to_owned());
    });
    (connector, lines)
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.keep_alive = Duration::from_secs(3600);
    settings.flood_limits = None;
    settings.max_in_flight = 1000;
    settings.answers_among_events = true;
    settings
}

/// Those of the client, and those of the server.
fn by_side(lines: &[String]) -> (Vec<&String>, Vec<&String>) {
    lines.iter().partition(|line| line.starts_with('>'))
}

/// The commands of a session without pings, which are not recorded.
fn commands(session: &Session) -> Vec<Vec<u8>> {
    let is_ping = |bytes: &Vec<u8>| {
        let container = CommandContainer::parse(bytes).unwrap();
        let mut kinds = container.kinds().peekable();
        kinds.peek().is_some() && kinds.all(|kind| kind.name() == "PING")
    };
    let commands = session.commands.iter().filter(|bytes| !is_ping(bytes));
    commands.cloned().collect()
}

/// Sessions with a real server, recorded by this client while the recording of that time is sent to it, and played to
/// another client over both transports: both see and send the same.
#[tokio::test]
async fn recorded_sessions_are_played_as_they_were() {
    let (mut played, mut without) = (0, 0);
    for session in TWO_WAY.iter().flat_map(|name| sessions(name)) {
        let (here, there) = tokio::io::duplex(1 << 20);
        let script = session.clone();
        tokio::spawn(async move { script.play(there, usize::MAX).await });
        let (connector, first) = recorder();
        let connection = connector.over(here, &address(session.websocket)).await;
        let (mut client, mut events) = settings().start(connection.unwrap()).await.unwrap();
        let calls = send_commands(&mut client, &session.commands).await;
        for _ in 0..session.messages.len() {
            events.next().await.unwrap();
        }
        client.close().await;
        drop(calls);
        let mut first = first.lock().unwrap().clone();
        // The answers to commands that the recording has only in part, or whose numbers the server cut.
        while let Err(error) = Server::script(&first.join("\n")) {
            assert!(error.problem.starts_with("answers the command"), "{}: {error}", session.name);
            first.remove(error.line - 1);
            without += 1;
        }
        for websocket in [false, true] {
            let server = Server::script(&first.join("\n")).unwrap();
            let server = server.start().await.unwrap();
            let at = if websocket { server.websocket.clone() } else { server.tcp.clone() };
            let (connector, second) = recorder();
            let mut settings = settings();
            settings.connector = connector;
            let (mut client, mut events) = settings.connect(&at).await.unwrap();
            let calls = send_commands(&mut client, &commands(&session)).await;
            let (sent, received) = by_side(&first);
            for _ in 0..received.len() {
                if events.next().await.is_none() {
                    panic!("{}: {:?}", session.name, server.finish().await);
                }
            }
            // A server that ended the session did not read the last commands.
            while by_side(&second.lock().unwrap()).0.len() < sent.len() {
                tokio::task::yield_now().await;
            }
            client.close().await;
            drop(calls);
            server.finish().await.unwrap_or_else(|error| panic!("{}: {error}", session.name));
            let second = second.lock().unwrap();
            assert_eq!(by_side(&second), (sent, received), "{}", session.name);
            played += 1;
        }
    }
    assert_eq!((played, without), (2 * 38, 14));
}

async fn connect(address: &Address) -> Client {
    settings().connect(address).await.unwrap().0
}

#[tokio::test]
async fn a_client_that_does_something_else_is_reported_with_the_line() {
    let outcome = |script: String, commands: Vec<Command>| async move {
        let server = Server::script(&script).unwrap().start().await.unwrap();
        let client = connect(&server.tcp).await;
        for command in commands {
            let _ = client.send(command).await;
        }
        client.close().await;
        server.finish().await
    };
    let script = || format!("{HELLO}{LIST}");
    assert_eq!(outcome(script(), vec![Command::list_rooms()]).await, Ok(()));
    // Whenever they come.
    let pings = vec![Command::ping(), Command::list_rooms(), Command::ping()];
    assert_eq!(outcome(script(), pings).await, Ok(()));
    let other = outcome(script(), vec![Command::join_room(7)]).await.unwrap_err();
    let other = (other.line, other.to_string());
    assert_eq!(other.0, 4);
    assert!(other.1.contains("client sent {"), "{other:?}");
    assert!(other.1.contains("Command_JoinRoom.ext"), "{other:?}");
    let none = outcome(script(), Vec::new()).await.unwrap_err();
    assert_eq!(none.line, 4);
    assert!(none.problem.contains("client disconnected"), "{none}");
    let twice = vec![Command::list_rooms(), Command::list_rooms()];
    let more = outcome(script(), twice).await.unwrap_err();
    assert_eq!(more.line, 6);
    assert!(more.problem.contains("is after the end"), "{more}");
    // A member too many, one too few, and one whose value does not matter.
    let say = |members: &str| {
        format!(
            "{HELLO}> {{\"room_id\":1,\"room_command\":[{{\"[Command_RoomSay.ext]\":{members}}}]}}\n-"
        )
    };
    let said = |members| outcome(say(members), vec![Command::room_say(1, "hi")]);
    assert_eq!(said(r#"{"message":"hi"}"#).await, Ok(()));
    assert_eq!(said(r#"{"message":"***"}"#).await, Ok(()));
    for members in ["{}", r#"{"message":"ho"}"#, r#"{"message":"hi","extra":1}"#] {
        let error = said(members).await.unwrap_err();
        let problem = &error.problem;
        assert!(problem.contains("the client sent"), "{members}: {error}");
    }
}

/// A password is neither recorded nor compared, nor shown in an error.
#[tokio::test]
async fn a_login_matches_whatever_the_password() {
    let real = Server::builder().account("ann", "s3cret").start().await.unwrap();
    let (connector, lines) = recorder();
    let mut settings = settings();
    settings.connector = connector;
    let (client, _events) = settings.connect(&real.tcp).await.unwrap();
    let with = |user: &str, password: &str| Credentials::account(user, password);
    client.login(&with("ann", "s3cret")).await.unwrap();
    client.close().await;
    let script = lines.lock().unwrap().join("\n");
    assert!(script.contains(r#""hashed_password":"***""#), "{script}");
    assert!(script.contains(r#""clientver":"***""#), "{script}");
    assert!(!script.contains("s3cret") && !script.contains("=="), "{script}");
    for (user, outcome) in [("ann", true), ("ben", false)] {
        let server = Server::script(&script).unwrap().start().await.unwrap();
        let client = connect(&server.tcp).await;
        let logged_in = client.login(&with(user, "an0ther")).await;
        assert_eq!(logged_in.is_ok(), outcome);
        client.close().await;
        let played = server.finish().await;
        assert_eq!(played.is_ok(), outcome, "{played:?}");
        assert!(!format!("{played:?}").contains("an0ther"));
    }
}

/// A line `-` closes the connection; the rest is for the next one.
#[tokio::test]
async fn a_lost_connection_is_part_of_the_script() {
    let join = r#"> {"session_command":[{"[Command_JoinRoom.ext]":{"room_id":1}}]}"#;
    let script = format!("{HELLO}{LIST}-\n{HELLO}{LIST}{join}\n-");
    let server = Server::script(&script).unwrap().start().await.unwrap();
    let (connector, lines) = recorder();
    let mut policy = Reconnect::default();
    policy.first_delay = Duration::from_millis(1);
    policy.attempts = 1;
    let mut settings = settings();
    settings.connector = connector;
    settings.reconnect = Some(policy);
    let (client, mut events) = settings.connect(&server.tcp).await.unwrap();
    client.send(Command::list_rooms()).await.unwrap().into_accepted().unwrap();
    let mut restored = 0;
    while let Some(received) = events.next().await {
        if matches!(received.as_note(), Some(Note::Restored)) {
            restored += 1;
            let _ = client.send(Command::join_room(1)).await;
        }
    }
    assert!(matches!(client.ended().await, End::Unreachable { .. }));
    server.finish().await.unwrap();
    assert_eq!(restored, 1);
    let recorded = lines.lock().unwrap();
    assert_eq!(recorded.iter().filter(|line| *line == "-").count(), 1);
}

#[test]
fn a_line_that_is_not_of_a_script_is_refused() {
    for (script, problem) in [
        ("hello", "line 1 of the script must begin with `>`, `<` or `#`, or be `-`"),
        ("\n# ok\n> {", "line 3 of the script is not a JSON object"),
        ("< []", "not a JSON object"),
        ("< {\"respons\":{}}", "`ServerMessage` has no `respons`"),
        ("< {\"message_type\":7}", "must be the name"),
        ("- {}", "must begin"),
        ("\u{e9}", "must begin"),
        (
            "# An answer without its command.\n< {\"response\":{\"cmd_id\":7,\"response_code\":\"RespOk\"}}",
            "line 2 of the script answers the command 7, and no command before it has that `cmd_id`",
        ),
        ("> {}\n< {\"response\":{\"cmd_id\":1}}", "line 2 of the script answers the command 1"),
        ("> {\"cmd_id\":1}\n< {\"response\":{\"response_code\":\"RespOk\"}}", "`cmd_id`"),
    ] {
        let error = Server::script(script).unwrap_err().to_string();
        assert!(error.contains(problem), "{script}: {error}");
    }
    assert!(Server::script("").is_ok());
}

/// The `cmd_id` of a line names the command for its answers, as a number or as text, also over several connections.
#[tokio::test]
async fn an_answer_gets_the_cmd_id_of_its_command() {
    let list = r#"{"cmd_id":"x","session_command":[{"[Command_ListRooms.ext]":{}}]}"#;
    let ok = |id: &str| {
        let response = format!(r#"{{"cmd_id":{id},"response_code":"RespOk"}}"#);
        format!(r#"< {{"message_type":"RESPONSE","response":{response}}}"#)
    };
    for (named, answered) in [("7", "\"7\""), ("\"8\"", "8"), ("0", "0")] {
        let list = list.replace("\"x\"", named);
        let script = format!("{HELLO}> {list}\n-\n{HELLO}> {list}\n{}", ok(answered));
        let server = Server::script(&script).unwrap().start().await.unwrap();
        let lost = connect(&server.tcp).await.send(Command::list_rooms()).await;
        assert!(matches!(lost, Err(CallError::Unknown(_))), "{lost:?}");
        let client = connect(&server.tcp).await;
        client.send(Command::list_rooms()).await.unwrap();
        client.close().await;
        server.finish().await.unwrap();
    }
    // As a server answers a command without a `cmd_id`.
    let nameless = list.replace("\"cmd_id\":\"x\",", "");
    let script = format!("{HELLO}> {nameless}\n{}", ok("\"18446744073709551615\""));
    let server = Server::script(&script).unwrap().start().await.unwrap();
    let client = connect(&server.tcp).await;
    client.send(Command::list_rooms()).await.unwrap();
    client.close().await;
    server.finish().await.unwrap();
}

/// The first mistakes of a test's author: the bot is not started, or not stopped.
#[tokio::test]
async fn a_script_does_not_wait_for_ever() {
    let script = || Server::script(HELLO).unwrap().start();
    let server = script().await.unwrap();
    tokio::time::pause();
    let error = server.finish().await.unwrap_err().to_string();
    assert!(error.contains("no client connected"), "{error}");
    tokio::time::resume();
    let server = script().await.unwrap();
    let client = connect(&server.tcp).await;
    tokio::time::pause();
    let error = server.finish().await.unwrap_err().to_string();
    assert!(error.starts_with("line 2 of the script was played"), "{error}");
    drop(client);
}
