//! A gateway that receives deliveries and makes them again, with its worker.

use std::time::Duration;

use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Sender, Worker};
use portreeve::gateway::{Gateway, Settings};
use portreeve::groupware::{DeliveryAuth, EventClasses};
use portreeve::server::Bounds;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::support::gateway::{Answer, TestGateway};
use crate::target::until;

const ADDRESS: &str = "https://gate.example.org";
pub(crate) const CALENDAR: &str = r"OCP\Calendar\Events\CalendarObjectCreatedEvent";
/// One of `trusted_event_classes`.
pub(crate) const TRUSTED: &str = r"OCA\Approval\Events\ApprovedEvent";
/// One of those whose events belong to whoever causes them.
pub(crate) const TAG: &str = r"OCP\SystemTag\TagAssignedEvent";
pub(crate) const NODE: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

/// A gateway that receives deliveries, and a worker that sends them.
pub(crate) struct Relay {
    pub(crate) gateway: TestGateway,
    credential: String,
    vault: Vault,
    _stop: DropGuard,
    pub(crate) dir: TempDir,
}

impl Relay {
    pub(crate) async fn start() -> Self {
        Self::with(Bounds::default(), |sender| sender).await
    }

    pub(crate) async fn with(bounds: Bounds, change: impl FnOnce(Sender) -> Sender) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(dir.path().join("db")).await.unwrap();
        let queue = Queue::in_sqlite(&store);
        let keyring = Keyring::read_or_create(dir.path().join("vault.key")).unwrap();
        let vault = Vault::new(keyring, store);
        let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
        let networks = Networks::new(["127.0.0.0/8".parse().unwrap()]);
        let sender = change(Sender::with_system_roots(networks));
        let classes = EventClasses::trusting([TRUSTED]);
        let worker = Worker::with_sender(deliveries, sender);
        let stop = CancellationToken::new();
        tokio::spawn(worker.clone().run(stop.clone()));
        let auth = DeliveryAuth::derived("a secret".into()).unwrap();
        let credential = auth.authorization_for(&format!("{ADDRESS}/webhooks/nextcloud"));
        let change = |gateway: Gateway<_>| {
            let mut settings = Settings::default();
            settings.event_classes = classes;
            settings.delivery = Some(auth);
            settings.public_url = Some(ADDRESS.parse().unwrap());
            settings.administrators.scope = Some("admin".into());
            gateway.settings(settings).deliveries(worker)
        };
        let root = ("root".to_owned(), "root".to_owned(), vec!["admin".to_owned()]);
        Self {
            gateway: TestGateway::for_users(bounds, &[root], change).await,
            credential: credential.expose().to_owned(),
            vault,
            _stop: stop.drop_guard(),
            dir,
        }
    }

    /// What another gateway on the same database has.
    pub(crate) async fn second_gateway(&self) -> Deliveries {
        let store = SqliteStore::open(self.dir.path().join("db")).await;
        let queue = Queue::in_sqlite(&store.unwrap());
        Deliveries::new(self.vault.clone(), queue, Limits::default())
    }

    /// Sends an event of `user`, as the groupware server does.
    pub(crate) async fn deliver(&self, body: &str) {
        let head =
            format!("POST /webhooks/nextcloud HTTP/1.1\r\nAuthorization: {}\r\n", self.credential);
        let answer = self.gateway.send(&head, body).await;
        assert_eq!((answer.status, answer.json()), (200, json!({"status": "queued"})));
    }

    pub(crate) async fn call(&self, user: &str, method: &str, path: &str, body: Value) -> Answer {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let path = format!("/api/v1/deliveries/{path}");
        self.gateway.call(user, method, &path, &body).await
    }

    /// The answer to a GET.
    pub(crate) async fn get(&self, user: &str, path: &str) -> Value {
        self.call(user, "GET", path, Value::Null).await.json()
    }

    pub(crate) async fn target(&self, user: &str, target: Value) -> Value {
        let answer = self.call(user, "POST", "targets", target).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()
    }

    pub(crate) fn database(&self) -> rusqlite::Connection {
        let database = rusqlite::Connection::open(self.dir.path().join("deliveries.db")).unwrap();
        database.busy_timeout(Duration::from_secs(10)).unwrap();
        database
    }

    /// Neither the database nor what is written beside it holds this text.
    pub(crate) fn assert_on_disk_is_no(&self, secret: &str) {
        for file in std::fs::read_dir(self.dir.path()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            let holds = bytes.windows(secret.len()).any(|it| it == secret.as_bytes());
            assert!(!holds, "{secret} is on the disk");
        }
    }

    /// The deliveries to a target once `done` is satisfied with them.
    pub(crate) async fn deliveries(
        &self,
        user: &str,
        target: &Value,
        done: impl Fn(&Value) -> bool,
    ) -> Value {
        let path = format!("targets/{}/deliveries", target["id"].as_str().unwrap());
        let mut list = Value::Null;
        until("the deliveries are as they should be", async || {
            list = self.get(user, &path).await;
            done(&list["deliveries"])
        })
        .await;
        list["deliveries"].take()
    }

    /// A connection on which carol has asked for events.
    pub(crate) async fn ask_for_events(&self, query: &str, fields: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.gateway.address).await.unwrap();
        self.send_request(&mut stream, "carol", query, fields).await;
        stream
    }

    pub(crate) async fn send_request(
        &self,
        to: &mut TcpStream,
        user: &str,
        query: &str,
        fields: &str,
    ) {
        let token = self.gateway.token(user);
        let head = format!(
            "GET /api/v1/deliveries/events{query} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {token}\r\n{fields}\r\n"
        );
        to.write_all(head.as_bytes()).await.unwrap();
    }

    pub(crate) async fn stream(&self, query: &str, field: &str) -> TcpStream {
        self.ask_for_events(query, &format!("Accept: text/event-stream\r\n{field}")).await
    }
}

pub(crate) fn path_of(target: &Value) -> String {
    format!("targets/{}", target["id"].as_str().unwrap())
}

/// The body of a delivery with this `event`.
pub(crate) fn with_event(user: &str, event: &str) -> String {
    format!(r#"{{"event":{event},"user":{{"uid":"{user}"}},"time":1}}"#)
}

/// An event of `user`, number `n`.
pub(crate) fn event(user: &str, n: u32) -> String {
    let path = format!("/{user}/files/{n}.md");
    let event = json!({"node": {"id": n, "path": path}, "class": NODE});
    json!({"event": event, "user": {"uid": user, "displayName": user}, "time": n}).to_string()
}

/// The first piece of a stream, and the id that it leaves a client with.
pub(crate) async fn last_id(stream: &mut TcpStream) -> (String, String) {
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    let read = async {
        loop {
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "{text}");
            text += std::str::from_utf8(&piece[..read]).unwrap();
            let blocks = text.rsplit_once("\n\n").map_or("", |it| it.0);
            let last = blocks.rsplit_once("event: cursor\nid: ");
            let last = last.and_then(|(_, it)| it.split_once("\ndata: "));
            if let Some((id, data)) = last {
                assert_eq!(id, data);
                return id.to_owned();
            }
        }
    };
    let id = tokio::time::timeout(Duration::from_mins(2), read).await;
    (id.expect("the stream has an id"), text)
}

/// What comes until it has this text.
pub(crate) async fn read_until(stream: &mut TcpStream, wanted: &str) -> String {
    let (mut text, mut piece) = (String::new(), [0; 4096]);
    let read = async {
        while !text.contains(wanted) {
            let read = stream.read(&mut piece).await.unwrap();
            assert_ne!(read, 0, "{text}");
            text += std::str::from_utf8(&piece[..read]).unwrap();
        }
    };
    let read = tokio::time::timeout(Duration::from_mins(2), read).await;
    assert!(read.is_ok(), "{text} has no {wanted}");
    text
}
