//! The stand-in for the groupware server, and for an identity provider: it sends the same fields, bodies and `304` as the real one,
//! but fast enough that the measured servers are the bottleneck.
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::webdav;

/// The password that the peers use for all users; as long as the real server's.
pub(crate) const PASSWORD: &str =
    "FAKEAppPasswordFAKEAppPasswordFAKEAppPasswordFAKEAppPassword000000000000";

/// The stored password of `user`, which identifies them as a bearer token.
pub(crate) fn password(user: &str) -> String {
    format!("{user:F<72}")
}

const CAPABILITIES: &[u8] = b"/ocs/v2.php/cloud/capabilities";
const NOTES: &[u8] = b"/index.php/apps/notes/api/v1/notes";
const ACCOUNT: &[u8] = b"/ocs/v2.php/cloud/user";
const WEBHOOKS: &[u8] = b"/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";

/// A key of the identity provider, of the kind whose signatures take longest to check. Nobody knows the other half.
const KEY: &str = r#"{"kty":"EC","crv":"P-384","use":"sig","x":"e7Amij8cbJOGOyo7AqDCCdjMDj_zL0M7KNhBsxk8mn1-JjYlY0hrlgAP7ca5P6aT","y":"B16S6fLctshMcBnaGC1XzXcozLT90Vokgz0GKWm_NMsfecpms0tpOjMPsRoZ-Sz_"}"#;

/// How many keys the identity provider has.
const KEYS: usize = 9;

/// The real server sends a digest of the body.
const TAG: &str = "\"3f4f05f2e05628f89c9b3a6d6f09ca7f\"";

/// The recorded fields of all answers, except those that differ.
pub(crate) const FIELDS: &str = "\
Server: nginx/1.22.1\r
Date: Sat, 21 Nov 2026 08:27:56 GMT\r
Connection: keep-alive\r
Set-Cookie: oc_sessionPassphrase=FAKEsessionPassphrase000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000; path=/; HttpOnly; SameSite=Lax\r
Referrer-Policy: no-referrer\r
X-Content-Type-Options: nosniff\r
X-Frame-Options: SAMEORIGIN\r
X-Permitted-Cross-Domain-Policies: none\r
Set-Cookie: nc_sameSiteCookielax=true; path=/; httponly;expires=Fri, 31-Dec-2100 23:59:59 GMT; SameSite=lax\r
Set-Cookie: nc_sameSiteCookiestrict=true; path=/; httponly;expires=Fri, 31-Dec-2100 23:59:59 GMT; SameSite=strict\r
Set-Cookie: ocfakeinst01=fakesessionid0000000000000; path=/; HttpOnly; SameSite=Lax\r
X-Request-Id: X58yl8rT7tJBVGn7v40L\r
X-Robots-Tag: noindex, nofollow\r
";

/// Those of its APIs.
const OF_APIS: &str = "\
Cache-Control: no-cache, no-store, must-revalidate\r
Content-Security-Policy: default-src 'none';base-uri 'none';manifest-src 'self';frame-ancestors 'none'\r
Feature-Policy: autoplay 'none';camera 'none';fullscreen 'none';geolocation 'none';microphone 'none';payment 'none'\r
";

/// A server in the thread of the clients, which runs until the program ends.
pub(crate) struct StandIn {
    pub(crate) address: SocketAddr,
    /// Delay of each answer, in milliseconds.
    delay: Arc<AtomicU64>,
}

/// The complete answers to one user.
struct Answers {
    webhooks: Vec<u8>,
    created: Vec<u8>,
    capabilities: Vec<u8>,
    not_modified: Vec<u8>,
    notes: Vec<u8>,
    account: Vec<u8>,
    listing: Vec<u8>,
}

/// The accounts.
struct Logins {
    /// By the value of `Authorization`.
    users: HashMap<Vec<u8>, Arc<Answers>>,
    public: Public,
}

/// The answers without a login.
struct Public {
    capabilities: Vec<u8>,
    /// Of the identity provider.
    discovery: Vec<u8>,
    keys: Vec<u8>,
}

// === impl StandIn ===

impl StandIn {
    /// Accepts `users` with their own passwords, by HTTP Basic or bearer token, and with the one that the
    /// peers use for all.
    pub(crate) fn start<'a>(users: impl Iterator<Item = &'a str>) -> Self {
        let users = users.flat_map(Answers::to).collect();
        let delay = Arc::<AtomicU64>::default();
        let waits = delay.clone();
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let logins = Arc::new(Logins { users, public: Public::at(address) });
        let listener = TcpListener::from_std(listener).unwrap();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // It ends when the server closes it.
                tokio::spawn(connection(stream, logins.clone(), waits.clone()));
            }
        });
        Self { address, delay }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Delays each answer by this time from now on.
    pub(crate) fn takes(&self, delay: Duration) {
        let delay = u64::try_from(delay.as_millis()).unwrap();
        self.delay.store(delay, Ordering::Relaxed);
    }
}

// === impl Public ===

impl Public {
    fn at(address: SocketAddr) -> Self {
        let issuer = format!("http://{address}");
        let discovery = json!({"issuer": issuer, "jwks_uri": format!("{issuer}/keys")});
        let keys = json!({"keys": vec![KEY.parse::<Value>().unwrap(); KEYS]});
        Self {
            capabilities: answer("200 OK", "", include_bytes!("capabilities.json")),
            discovery: answer("200 OK", "", discovery.to_string().as_bytes()),
            keys: answer("200 OK", "", keys.to_string().as_bytes()),
        }
    }

    fn answer(&self, head: &[u8]) -> &[u8] {
        match path_of(head) {
            b"/.well-known/openid-configuration" => &self.discovery,
            b"/keys" => &self.keys,
            _ => &self.capabilities,
        }
    }
}

// === impl Answers ===

impl Answers {
    fn to(user: &str) -> [(Vec<u8>, Arc<Self>); 3] {
        let id = format!("X-User-Id: {user}\r\n");
        let tag = format!("ETag: {TAG}\r\n{id}");
        let basic = |password| format!("Basic {}", STANDARD.encode(format!("{user}:{password}")));
        let own = password(user);
        let meta = r#"{"status":"ok","statuscode":200,"message":"OK"}"#;
        let account =
            format!(r#"{{"ocs":{{"meta":{meta},"data":{{"id":"{user}","groups":["admin"]}}}}}}"#);
        let answers = Arc::new(Self {
            webhooks: answer("200 OK", &id, include_bytes!("webhooks.json")),
            created: answer("200 OK", &id, include_bytes!("created.json")),
            capabilities: answer("200 OK", &tag, include_bytes!("capabilities.json")),
            not_modified: answer("304 Not Modified", &tag, b""),
            notes: answer("200 OK", &tag, include_bytes!("notes.json")),
            account: answer("200 OK", &id, account.as_bytes()),
            listing: webdav::listing(),
        });
        [basic(PASSWORD), basic(&own), format!("Bearer {own}")]
            .map(|login| (login.into_bytes(), answers.clone()))
    }

    fn answer(&self, head: &[u8]) -> &[u8] {
        match path_of(head) {
            CAPABILITIES if field(head, b"if-none-match") == Some(TAG.as_bytes()) => {
                &self.not_modified
            }
            CAPABILITIES => &self.capabilities,
            WEBHOOKS if head.starts_with(b"POST ") => &self.created,
            WEBHOOKS => &self.webhooks,
            NOTES => &self.notes,
            // Asked once for each login: a folder's answer names nobody.
            ACCOUNT => &self.account,
            _ if head.starts_with(b"PROPFIND ") => &self.listing,
            _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        }
    }
}

/// A complete answer with the fields `more` in addition to the common ones.
fn answer(status: &str, more: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let content = match length {
        0 => String::new(),
        _ => {
            format!("Content-Type: application/json; charset=utf-8\r\nContent-Length: {length}\r\n")
        }
    };
    let head = format!("HTTP/1.1 {status}\r\n{content}{FIELDS}{OF_APIS}{more}\r\n");
    [head.as_bytes(), body].concat()
}

async fn connection(
    mut stream: TcpStream,
    logins: Arc<Logins>,
    delay: Arc<AtomicU64>,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = Vec::with_capacity(4096);
    loop {
        request.clear();
        // They come one after the other.
        while whole(&request).is_none() {
            if stream.read_buf(&mut request).await? == 0 {
                return Ok(());
            }
        }
        let head = whole(&request).expect("it was looked for");
        match delay.load(Ordering::Relaxed) {
            0 => {}
            delay => tokio::time::sleep(Duration::from_millis(delay)).await,
        }
        let answer = match field(head, b"authorization") {
            None => logins.public.answer(head),
            Some(login) => match (logins.users.get(login), webdav::size(path_of(head))) {
                (None, _) => b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n",
                (Some(answers), None) => answers.answer(head),
                (_, Some(size)) => {
                    webdav::transfer(&mut stream, size, &request).await?;
                    continue;
                }
            },
        };
        stream.write_all(answer).await?;
    }
}

/// The head of the request, once it and its body have arrived completely; of an upload, the head alone.
fn whole(request: &[u8]) -> Option<&[u8]> {
    let end = request.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let (head, body) = request.split_at(end + 4);
    let length = field(head, b"content-length").unwrap_or(b"0");
    let length = std::str::from_utf8(length).ok()?.parse::<usize>().ok()?;
    (body.len() >= length || head.starts_with(b"PUT ")).then_some(head)
}

/// The path of a request, without its query.
fn path_of(head: &[u8]) -> &[u8] {
    let target = head.split(|byte| *byte == b' ').nth(1).unwrap_or_default();
    let path = target.split(|byte| *byte == b'?').next();
    path.unwrap_or_default()
}

/// The value of a field of a request's head.
fn field<'a>(head: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    head.split(|byte| *byte == b'\n').find_map(|line| {
        let (start, rest) = line.split_at_checked(name.len())?;
        let is_it = start.eq_ignore_ascii_case(name) && rest.first() == Some(&b':');
        is_it.then(|| rest[1..].trim_ascii())
    })
}
