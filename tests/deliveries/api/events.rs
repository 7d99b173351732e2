//! Events that somebody waits for: long polls, streams, and the room for their answers.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use portreeve::deliveries::{Incoming, Queue};
use portreeve::groupware::EventClasses;
use portreeve::server::Bounds;
use portreeve::vault::SqliteStore;
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::relay::{Relay, TAG, event, last_id, read_until};
use crate::target::until;

#[tokio::test]
async fn api_12_5_who_waits_gets_an_event_when_it_arrives() {
    let relay = Relay::start().await;
    let began = relay.get("carol", "events").await;
    let path = format!("events?timeout=30&cursor={}", began["cursor"].as_str().unwrap());
    let (answer, ()) = tokio::join!(relay.call("carol", "GET", &path, Value::Null), async {
        relay.deliver(&event("alice", 1)).await;
        relay.deliver(&event("carol", 2)).await;
    });
    assert_eq!(answer.json()["events"][0]["body"]["time"], 2, "{answer:?}");

    // As a stream, which goes on after the last event that was seen.
    let mut stream = relay.stream("", "").await;
    let text = read_until(&mut stream, "\"time\":2").await;
    assert!(text.contains("content-type: text/event-stream"), "{text}");
    let id = text.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
    relay.deliver(&event("carol", 3)).await;
    read_until(&mut stream, "\"time\":3").await;
    let mut again = relay.stream("", &format!("Last-Event-ID: {id}\r\n")).await;
    let text = read_until(&mut again, "\"time\":3").await;
    assert!(!text.contains("\"time\":2"), "{text}");

    // Two are open; there may be eight.
    let mut more = Vec::new();
    for _ in 0..6 {
        let mut stream = relay.stream("", "").await;
        read_until(&mut stream, "\"time\":3").await;
        more.push(stream);
    }
    let path = format!("{path}&x=1");
    let refused =
        relay.call("carol", "GET", &path.replace("timeout=30", "timeout=1"), Value::Null).await;
    // There is something to read at once, so nobody waits.
    assert_eq!(refused.status, 200, "{refused:?}");
    let refused = relay.call("carol", "GET", "events?cursor=now&timeout=1", Value::Null).await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let other = relay.call("alice", "GET", "events?cursor=now&timeout=1", Value::Null).await;
    assert_eq!(other.status, 200, "{other:?}");
}

/// What waits is woken by one look for all, however it was received.
#[tokio::test]
async fn api_12_5_who_waits_gets_an_event_that_another_gateway_has_received() {
    let relay = Relay::start().await;
    let other = relay.second_gateway().await;
    let receive = async |user, n| {
        let incoming =
            Incoming::parse(event(user, n).as_bytes(), &EventClasses::default()).unwrap();
        other.receive(incoming).await.unwrap();
    };
    receive("carol", 1).await;
    let now = async |user| {
        let newest = relay.call(user, "GET", "events?cursor=now", Value::Null);
        let newest = newest.await.json();
        newest["cursor"].as_str().unwrap().to_owned()
    };
    let waiting = async |user, cursor: &str| {
        let path = format!("events?cursor={cursor}&timeout=30");
        let answer = relay.call(user, "GET", &path, Value::Null).await;
        let answer = answer.json();
        assert_eq!(answer["events"].as_array().unwrap().len(), 1, "{answer}");
        answer["events"][0]["body"]["time"].clone()
    };
    // The first who wait find the watch asleep, the last ones awake; and then it sleeps again.
    for n in 2..5 {
        let (of_carol, of_alice) = (now("carol").await, now("alice").await);
        let began = Instant::now();
        let (carol, also_carol, alice, ()) = tokio::join!(
            waiting("carol", &of_carol),
            waiting("carol", &of_carol),
            waiting("alice", &of_alice),
            async {
                tokio::time::sleep(Duration::from_millis(300)).await;
                receive("carol", n).await;
                receive("alice", n + 10).await;
            }
        );
        assert_eq!((carol, also_carol, alice), (n.into(), n.into(), (n + 10).into()));
        // Otherwise they would have waited to the end.
        assert!(began.elapsed() < Duration::from_secs(25));
    }
}

/// Otherwise a few callers would fill the memory.
#[tokio::test]
async fn api_12_5_answers_that_nobody_takes_have_bounded_room() {
    let mut bounds = Bounds::default();
    bounds.stall_timeout = Duration::from_mins(10);
    let relay = Relay::with(bounds, |sender| sender).await;
    let users = ["alice", "bob", "carol", "root"];
    for user in users {
        let large = "x".repeat(1_048_000);
        let body = json!({"event": {"class": TAG}, "user": {"uid": user}, "x": large}).to_string();
        for _ in 0..6 {
            relay.deliver(&body).await;
        }
    }
    // 4 MiB, and the event that goes beyond them.
    let page = relay.call("alice", "GET", "events", Value::Null).await;
    assert_eq!(page.json()["events"].as_array().unwrap().len(), 5);
    let mut open = Vec::new();
    let mut given = Vec::new();
    for user in users {
        let answers = (0..9).map(|_| relay.untaken(user));
        let (answers, mut statuses): (Vec<_>, Vec<_>) = join_all(answers).await.into_iter().unzip();
        statuses.sort_unstable();
        given.push(statuses.iter().filter(|it| **it == "200").count());
        assert!(statuses[*given.last().unwrap()..].iter().all(|it| it == "429"));
        open.extend(answers);
    }
    // Half of the room is for whoever comes first, and the other half has one for each.
    assert_eq!(given, [7, 3, 2, 1]);
    // Small ones need none.
    let small = relay.call("root", "GET", "events?cursor=now", Value::Null);
    assert_eq!(small.await.status, 200);
    drop(open);
    until("there is room again", async || {
        let large = relay.call("root", "GET", "events", Value::Null);
        large.await.status == 200
    })
    .await;
}

impl Relay {
    /// A connection on which nobody takes the answer, and its status.
    async fn untaken(&self, user: &str) -> (TcpStream, String) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        let mut stream = socket.connect(self.gateway.address).await.unwrap();
        self.send_request(&mut stream, user, "", "").await;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.unwrap();
        let status = head[9..].iter().map(|byte| char::from(*byte)).collect();
        (stream, status)
    }
}

/// Nothing is lost in the pause before a client connects again, though no event has come before it.
#[tokio::test]
async fn api_12_5_a_stream_without_events_goes_on_where_it_ended() {
    let relay = Relay::start().await;
    relay.deliver(&event("carol", 1)).await;
    let id = last_id(&mut relay.stream("?cursor=now", "").await).await.0;
    relay.deliver(&event("carol", 2)).await;
    // It asks for the same again.
    let field = format!("Last-Event-ID: {id}\r\n");
    let (next, text) = last_id(&mut relay.stream("?cursor=now", &field).await).await;
    assert!(text.contains("\"time\":2") && !text.contains("\"time\":1"), "{text}");
    assert_ne!(next, id);
}

#[tokio::test]
async fn api_12_5_a_stream_tells_of_a_gap_once() {
    let relay = Relay::start().await;
    let id = last_id(&mut relay.stream("", "").await).await.0;
    relay.deliver(&event("carol", 1)).await;
    let store = SqliteStore::open(relay.dir.path().join("db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    until("it is removed", async || queue.clean(Duration::ZERO).await.unwrap() > 0).await;
    let field = format!("Last-Event-ID: {id}\r\n");
    let (id, text) = last_id(&mut relay.stream("", &field).await).await;
    assert!(text.contains("event: gap\ndata: {\"gaps\":[]}\n\n"), "{text}");
    let field = format!("Last-Event-ID: {id}\r\n");
    let (_, text) = last_id(&mut relay.stream("", &field).await).await;
    assert!(!text.contains("gap"), "{text}");
}

/// However many answers somebody asks for, each as large as they are.
#[tokio::test(flavor = "multi_thread")]
async fn api_12_5_nobody_waits_for_all_that_another_one_reads() {
    let relay = Relay::start().await;
    for n in 0..40 {
        let mut large: Value = serde_json::from_str(&event("alice", n)).unwrap();
        large["more"] = "x".repeat(10_000).into();
        relay.deliver(&large.to_string()).await;
    }
    relay.deliver(&event("bob", 1)).await;
    let done = AtomicUsize::new(0);
    let alice = (0..60).map(async |_| {
        relay.call("alice", "GET", "events", Value::Null).await;
        done.fetch_add(1, SeqCst);
    });
    let bob = async {
        while done.load(SeqCst) < 4 {
            tokio::task::yield_now().await;
        }
        let before = done.load(SeqCst);
        assert_eq!(relay.get("bob", "events").await["events"].as_array().unwrap().len(), 1);
        done.load(SeqCst) - before
    };
    let (_, meanwhile) = tokio::join!(join_all(alice), bob);
    assert!(meanwhile < 12, "bob waited for {meanwhile}");
}
