//! Streams of events, as the packages read them that programs use (docs/API.md, section 12.5).

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::relay::{Relay, event, read_until};
use crate::support::oidc::{node, python};
use crate::target::until;

/// A proxy in front of `to`, which cuts all connections, and makes no more, while that is switched on.
async fn cuttable(to: SocketAddr) -> (SocketAddr, watch::Sender<bool>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (cut, is_cut) = watch::channel(false);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut is_cut = is_cut.clone();
            tokio::spawn(async move {
                let mut gateway = TcpStream::connect(to).await.unwrap();
                tokio::select! {
                    biased;
                    _ = is_cut.wait_for(|it| *it) => {}
                    _ = tokio::io::copy_bidirectional(&mut client, &mut gateway) => {}
                }
            });
        }
    });
    (address, cut)
}

/// A program that reads a stream by several clients, and what these have handed on.
struct Program {
    process: Child,
    printed: Arc<Mutex<Vec<Value>>>,
}

impl Program {
    fn start(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let printed = Arc::<Mutex<Vec<Value>>>::default();
        let into = printed.clone();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let event = serde_json::from_str(&line).expect(&line);
                into.lock().unwrap().push(event);
            }
        });
        Self { process, printed }
    }

    /// What `client` was handed on.
    fn of(&self, client: &str) -> Vec<Value> {
        let printed = self.printed.lock().unwrap();
        let of_client = printed.iter().filter(|it| it["client"] == client);
        of_client.cloned().collect()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

/// The numbers of the events among these.
fn numbers(handed_on: &[Value]) -> Vec<i64> {
    let events = handed_on.iter().filter(|it| it["type"] == "message");
    let bodies = events.map(|it| serde_json::from_str(it["data"].as_str().unwrap()).unwrap());
    bodies.map(|it: Value| it["body"]["time"].as_i64().unwrap()).collect()
}

/// Time for a sign of life.
async fn let_pass_15_seconds() {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(15)).await;
    tokio::time::resume();
}

async fn lose_nothing(command: Option<Command>, clients: &[&str]) {
    let Some(mut command) = command else { return };
    let relay = Relay::start().await;
    relay.deliver(&event("carol", 0)).await;
    let (address, cut) = cuttable(relay.gateway.address).await;
    let url = format!("http://{address}/api/v1/deliveries/events?cursor=now");
    command.args([&*url, relay.gateway.token("carol")]);
    let program = Program::start(command);
    let all = async |what: &str, is_so: &dyn Fn(&[Value]) -> bool| {
        let is_so = async || clients.iter().all(|client| is_so(&program.of(client)));
        until(what, is_so).await;
    };
    let have = async |wanted: &[i64]| {
        all("they have the events", &|it| numbers(it).len() >= wanted.len()).await;
        for client in clients {
            assert_eq!(numbers(&program.of(client)), wanted, "{client}");
        }
    };
    // Nothing has come, so that only the cursor says where they are.
    all("they have begun", &|it| !it.is_empty()).await;
    cut.send_replace(true);
    for n in 1..4 {
        relay.deliver(&event("carol", n)).await;
    }
    cut.send_replace(false);
    have(&[1, 2, 3]).await;
    // A sign of life, several times; then an event, and another while they are cut off.
    for _ in 0..3 {
        let_pass_15_seconds().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    relay.deliver(&event("carol", 4)).await;
    have(&[1, 2, 3, 4]).await;
    cut.send_replace(true);
    relay.deliver(&event("carol", 5)).await;
    cut.send_replace(false);
    have(&[1, 2, 3, 4, 5]).await;
    for client in clients {
        for handed_on in program.of(client) {
            let is_whole = |name: &str| handed_on[name].as_str().is_some_and(|it| !it.is_empty());
            assert!(is_whole("data") && is_whole("id"), "{handed_on}");
        }
    }
}

#[tokio::test]
async fn api_12_5_clients_in_javascript_lose_nothing_when_they_are_cut_off() {
    let clients = ["eventsource", "undici", "eventsource-client", "fetch-event-source"];
    lose_nothing(node("streams.mjs", "eventsource"), &clients).await;
}

#[tokio::test]
async fn api_12_5_clients_in_python_lose_nothing_when_they_are_cut_off() {
    let clients = ["httpx-sse", "sseclient-py"];
    lose_nothing(python("streams.py", "httpx_sse"), &clients).await;
}

/// The connection of a request with these header fields, and its answer as far as it has this.
async fn answer_until(
    relay: &Relay,
    query: &str,
    fields: &str,
    wanted: &str,
) -> (TcpStream, String) {
    let mut stream = relay.ask_for_events(query, fields).await;
    let text = read_until(&mut stream, wanted).await;
    (stream, text)
}

#[tokio::test]
async fn api_12_5_a_stream_is_asked_for_by_its_media_type() {
    let relay = Relay::start().await;
    relay.deliver(&event("carol", 1)).await;
    for accept in [
        "Accept: text/event-stream\r\n",
        "accept: Text/Event-Stream;charset=utf-8\r\n",
        "Accept: */*;q=0.1, text/event-stream ; q=1\r\n",
        "Accept: text/html\r\nAccept: text/event-stream, application/json\r\n",
        "Accept: text/event-stream\r\nLast-Event-ID: \r\n",
    ] {
        let (_, text) = answer_until(&relay, "", accept, "event: cursor").await;
        assert!(text.contains("content-type: text/event-stream"), "{accept}: {text}");
        assert!(text.contains("cache-control: no-store, no-transform"), "{accept}: {text}");
        assert!(text.contains("\"time\":1"), "{accept}: {text}");
    }
    for accept in
        ["", "Accept: text/event-streams\r\n", "Accept: application/json, text/event-stream\r\n"]
    {
        let (_, text) = answer_until(&relay, "", accept, "\"gaps\":[]}").await;
        assert!(text.contains("content-type: application/json"), "{accept}: {text}");
    }
}

/// Otherwise proxies end a request that waits for a minute.
#[tokio::test]
async fn api_12_5_a_long_poll_gets_blanks_before_its_answer() {
    let relay = Relay::start().await;
    let query = "?cursor=now&timeout=60";
    let (mut stream, head) = answer_until(&relay, query, "Connection: close\r\n", "\r\n\r\n").await;
    assert!(head.contains("cache-control: no-store, no-transform"), "{head}");
    for _ in 0..2 {
        let_pass_15_seconds().await;
        assert_eq!(read_until(&mut stream, "1\r\n \r\n").await, "1\r\n \r\n");
    }
    relay.deliver(&event("carol", 1)).await;
    let rest = read_until(&mut stream, "0\r\n\r\n").await;
    let page = rest.split("\r\n").nth(1).unwrap();
    let page: Value = serde_json::from_str(page).unwrap();
    assert_eq!(page["events"][0]["body"]["time"], 1);
    // Nothing comes, and it is over.
    let (mut stream, _) = answer_until(&relay, query, "Connection: close\r\n", "\r\n\r\n").await;
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    let rest = read_until(&mut stream, "0\r\n\r\n").await;
    let page = rest.split("\r\n").nth(1).unwrap();
    let page: Value = serde_json::from_str(page).unwrap();
    assert_eq!((&page["events"], &page["gap"]), (&json!([]), &json!(false)));
}
