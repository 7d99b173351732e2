//! `portreeve game connect`: the process, connected to a test server (docs/GAME_CLIENT.md).

mod demo;
mod end;
mod input;
mod login;
mod output;
mod replays;
mod transport;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use portreeve::game::testing::{ScriptedServer, Server};
use serde_json::{Value, json};

use crate::support::binary::portreeve;

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

/// The client sends a command, whose answers have this number.
fn sent(cmd_id: u64, command: &str) -> String {
    command.replacen('{', &format!("> {{\"cmd_id\":{cmd_id},"), 1)
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

/// A login that is refused for its name, with the rules for names.
fn name_refused() -> [String; 2] {
    let rules = json!({"[Response_Login.ext]": {"denied_reason_str": "3|20|1|1|1|0|_.-|admin|"}});
    let refused = answer(100, "RespUsernameInvalid", rules);
    [r#"> {"cmd_id":"100","session_command":"***"}"#.to_owned(), refused]
}
