//! A complete gateway on a loopback port: the stack, the server, a vault and a tokens file.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{Gateway, Settings};
use portreeve::groupware::Groupware;
use portreeve::identity::{StaticTokens, TokensFile};
use portreeve::server::{self, Bounds, Drained};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tower::ServiceBuilder;

use crate::contract::{CONTRACT, Sent};

/// The app password of every user of the tests, also in the recordings.
pub const PASSWORD: &str =
    "FAKEAppPasswordadminfull00000000000000000000000000000000000000000000000000";

const USERS: [&str; 4] = ["admin", "alice", "bob", "carol"];

/// A running gateway. All users have a token; all but `carol`, the last one, are provisioned.
pub struct TestGateway {
    pub address: SocketAddr,
    pub vault: Vault,
    pub tokens: TokensFile,
    by_user: HashMap<String, String>,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<Drained>,
    dir: Arc<TempDir>,
}

/// A gateway that a test can configure before it starts.
pub type Unstarted = Gateway<StaticTokens>;

/// The change of a gateway whose settings are the defaults but for those that `change` sets.
pub fn set<V>(change: impl FnOnce(&mut Settings)) -> impl FnOnce(Gateway<V>) -> Gateway<V> {
    |gateway| {
        let mut settings = Settings::default();
        change(&mut settings);
        gateway.settings(settings)
    }
}

impl TestGateway {
    /// Starts one with the groupware server at `url`.
    pub async fn before(url: &str) -> Self {
        Self::with(url, |gateway| gateway).await
    }

    /// Like [`before`](Self::before), configured by `change`.
    pub async fn with(url: &str, change: impl FnOnce(Unstarted) -> Unstarted) -> Self {
        let groupware = Groupware::new(url.parse().unwrap(), Default::default()).unwrap();
        Self::start(Bounds::default(), |gateway| change(gateway.groupware(groupware))).await
    }

    /// Starts one without a groupware server, unless `change` sets one.
    pub async fn start(bounds: Bounds, change: impl FnOnce(Unstarted) -> Unstarted) -> Self {
        Self::for_users(bounds, &[], change).await
    }

    /// Like [`start`](Self::start), with more tokens: a name for each, its user and its scopes.
    pub async fn for_users(
        bounds: Bounds,
        more: &[(String, String, Vec<String>)],
        change: impl FnOnce(Unstarted) -> Unstarted,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let tokens = TokensFile::new(dir.path().join("tokens"));
        let users = USERS.map(|user| (user.to_owned(), user.to_owned(), Vec::new()));
        let mut by_user = HashMap::new();
        for (name, user, scopes) in users.iter().chain(more) {
            let scopes = scopes.iter().map(String::as_str);
            let token = tokens.new_token(user, scopes, None).unwrap().token;
            by_user.insert(name.clone(), token.expose().to_owned());
        }
        let vault =
            Vault::new(Keyring::from_base64_keys([KEY.as_str()]).unwrap(), MemoryStore::new());
        for user in &USERS[..3] {
            vault.put(user, user, &AppPassword::new(PASSWORD).unwrap()).await.unwrap();
        }
        let gateway = change(unstarted(&tokens, &vault));
        Self::run(bounds, gateway, vault, tokens, by_user, Arc::new(dir)).await
    }

    /// Stops this one and starts another with the same vault and tokens and the groupware server at `url`,
    /// like a restart.
    pub async fn again(&self, url: &str, change: impl FnOnce(Unstarted) -> Unstarted) -> Self {
        // With its connections and what it holds in the store.
        self.server.abort();
        self.beside(url, change).await
    }

    /// Starts another one beside this one, with the same vault and tokens.
    pub async fn beside(&self, url: &str, change: impl FnOnce(Unstarted) -> Unstarted) -> Self {
        let groupware = Groupware::new(url.parse().unwrap(), Default::default()).unwrap();
        let tokens = TokensFile::new(self.tokens.path());
        let gateway = unstarted(&tokens, &self.vault).groupware(groupware);
        Self::run(
            Bounds::default(),
            change(gateway),
            self.vault.clone(),
            tokens,
            self.by_user.clone(),
            self.dir.clone(),
        )
        .await
    }

    /// The stack and the server are compiled here, since nothing of it is generic.
    async fn run(
        bounds: Bounds,
        gateway: Unstarted,
        vault: Vault,
        tokens: TokensFile,
        by_user: HashMap<String, String>,
        dir: Arc<TempDir>,
    ) -> Self {
        let service = ServiceBuilder::new()
            .layer(ProbeLayer::new(vault.clone()))
            .service(gateway.into_service().unwrap());
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(server::serve(listener, service, bounds, async {
            stopped.await.ok();
        }));
        Self { address, vault, tokens, by_user, stop: Some(stop), server, dir }
    }

    /// The token of `user`.
    pub fn token(&self, user: &str) -> &str {
        &self.by_user[user]
    }

    /// Sends one request with a token of `user` and reads the answer.
    pub async fn call(&self, user: &str, method: &str, path: &str, body: &str) -> Answer {
        let token = self.token(user);
        let head = format!("{method} {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\n");
        self.send(&head, body).await
    }

    /// Sends a head without its end, completed by what every request needs, and a body.
    pub async fn send(&self, head: &str, body: &str) -> Answer {
        exchange(self.address, head, body).await
    }

    /// Sends bytes as they are, and reads one answer.
    pub async fn raw(&self, bytes: &[u8]) -> Answer {
        let answer = exchange_raw(self.address, bytes).await;
        assert_described(&Sent::new(&String::from_utf8_lossy(bytes), None), &answer);
        answer
    }

    /// Lets requests in flight end, then stops.
    pub async fn stop(mut self) -> Drained {
        self.begin_stop();
        self.finish().await
    }

    /// Waits for the end of a stop that has begun.
    pub async fn finish(mut self) -> Drained {
        (&mut self.server).await.unwrap()
    }

    /// Starts the shutdown.
    pub fn begin_stop(&mut self) {
        self.stop.take().unwrap().send(()).ok();
    }
}

fn unstarted(tokens: &TokensFile, vault: &Vault) -> Unstarted {
    let tokens = StaticTokens::open(tokens.path()).unwrap();
    Gateway::new(tokens, vault.clone())
}

/// Sends a head without its end, completed by what every request needs, and a body; reads the answer, which
/// must be as docs/openapi.json describes it.
pub async fn exchange(address: SocketAddr, head: &str, body: &str) -> Answer {
    let length = if body.is_empty() || head.contains("\r\nTransfer-Encoding:") {
        String::new()
    } else {
        format!("Content-Length: {}\r\n", body.len())
    };
    let request = format!("{head}Host: gateway\r\nConnection: close\r\n{length}\r\n{body}");
    let answer = exchange_raw(address, request.as_bytes()).await;
    assert_described(&Sent::new(head, Some(body)), &answer);
    answer
}

/// Fails unless docs/openapi.json has such an answer to such a request.
fn assert_described(sent: &Sent, answer: &Answer) {
    if let Err(fault) = CONTRACT.check(sent, answer) {
        panic!("{fault}");
    }
}

async fn exchange_raw(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A test that gives up a call has gone: a closed connection could still be read from.
    stream.set_zero_linger().unwrap();
    // The server may close before it has read everything.
    stream.write_all(bytes).await.ok();
    Answer::read(&mut stream).await
}

impl Drop for TestGateway {
    fn drop(&mut self) {
        self.server.abort();
    }
}

static KEY: LazyLock<String> = LazyLock::new(|| {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.encode([7; 32])
});

/// The chunks of a body, without their lengths.
fn joined(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((length, chunks)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or(0).min(chunks.len());
        body += &chunks[..length];
        rest = chunks.get(length + 2..).unwrap_or_default();
    }
    body
}

/// A raw answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// Reads to the end of the answer or of the connection, or for a minute.
    pub async fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        let read = async {
            while matches!(stream.read_buf(&mut bytes).await, Ok(1..)) {
                let answer = Self::parse(&bytes);
                let length = answer.header("content-length").and_then(|it| it.parse().ok());
                if length == Some(answer.body.len()) {
                    break;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), read).await.ok();
        Self::parse(&bytes)
    }

    /// Reads the first answer in `bytes`; status 0 if there is none.
    pub fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok());
        let headers: Vec<_> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let is_chunked = headers.iter().any(|(name, _)| name == "transfer-encoding");
        Self {
            status: status.unwrap_or(0),
            headers,
            body: match is_chunked {
                true => joined(body),
                false => body.to_owned(),
            },
        }
    }

    /// The value of a header field.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that it is an error of the documented shape (docs/API.md, section 6.1); returns its
    /// message.
    pub fn assert_error(&self, status: u16, error: &str) -> String {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        assert!(self.header("x-request-id").is_some(), "{self:?}");
        let body = self.json();
        let members = body.as_object().unwrap();
        assert_eq!(members.len(), 2, "{self:?}");
        assert_eq!(members["error"], error, "{self:?}");
        let message = members["message"].as_str().unwrap();
        assert!(!message.is_empty(), "{self:?}");
        message.to_owned()
    }
}
