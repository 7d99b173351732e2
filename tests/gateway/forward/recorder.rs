//! A server that writes down what arrives, byte for byte.

use std::sync::{Arc, Mutex};

use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::wire::{Body, Head, Wire};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::{basic, bearer};

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// The number of its connection.
    pub(super) connection: usize,
    pub(super) head: Head,
    pub(super) body: Body,
}

/// The server. It ends when it is dropped.
pub(super) struct Recorder {
    pub(super) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: JoinHandle<()>,
}

// === impl Recorder ===

impl Recorder {
    /// One that answers each request with `ok`, as the account that it is made as.
    pub(super) async fn start() -> Self {
        Self::with(|seen| seen.answer("200 OK", "", "ok")).await
    }

    /// One that answers as `answer` says.
    pub(super) async fn with(answer: impl Fn(&Seen) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let (written, answer) = (seen.clone(), Arc::new(answer));
        let task = tokio::spawn(async move {
            for connection in 0.. {
                let mut wire = Wire::new(listener.accept().await.unwrap().0);
                let (written, answer) = (written.clone(), answer.clone());
                tokio::spawn(async move {
                    while let Some(head) = wire.next_head().await {
                        let body = wire.body(&head).await;
                        let seen = Seen { connection, head, body };
                        written.lock().unwrap().push(seen.clone());
                        if !seen.body.is_complete {
                            return;
                        }
                        wire.send(answer(&seen)).await;
                    }
                });
            }
        });
        Self { url, seen, task }
    }

    /// What has arrived since the last time, whatever it is.
    pub(super) fn take_unchecked(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }

    /// What has arrived since the last time.
    pub(super) fn take(&self) -> Vec<Seen> {
        let seen = self.take_unchecked();
        seen.iter().for_each(|seen| seen.assert_clean(&self.url));
        seen
    }

    /// The only request that has arrived since the last time.
    pub(super) fn take_one(&self) -> Seen {
        let mut seen = self.take();
        assert_eq!(seen.len(), 1, "{seen:#?}");
        seen.remove(0)
    }

    pub(super) fn assert_nothing_arrived(&self, cause: &str) {
        let seen = self.take();
        assert!(seen.is_empty(), "{cause}: {seen:#?}");
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.task.abort();
    }
}

// === impl Seen ===

impl Seen {
    /// The account that it is made as. All have the same password: of a bearer login it is the one that the path names.
    pub(super) fn user(&self) -> &'static str {
        let authorization = self.head.field("authorization").expect("each has a login");
        let users = ["admin", "alice", "bob"];
        let by_basic = users.iter().find(|user| authorization == basic(user, PASSWORD));
        let by_bearer = || {
            assert_eq!(authorization, bearer(PASSWORD));
            users.iter().find(|user| self.head.line.contains(**user)).unwrap_or(&"alice")
        };
        by_basic.unwrap_or_else(by_bearer)
    }

    /// An answer to it, with more `fields`, each with its line end.
    pub(super) fn answer(&self, status: &str, fields: &str, body: &str) -> String {
        let (user, length) = (self.user(), body.len());
        format!(
            "HTTP/1.1 {status}\r\nX-User-Id: {user}\r\nContent-Length: {length}\r\n{fields}\r\n{body}"
        )
    }

    /// Whatever was sent, this holds of what arrives.
    fn assert_clean(&self, url: &str) {
        let head = &self.head;
        let count = |name| head.count(name);
        assert_eq!(head.field("host"), url.strip_prefix("http://"), "{head:?}");
        assert_eq!(count("authorization"), 1, "{head:?}");
        assert_eq!(count("user-agent"), 1, "{head:?}");
        assert!(head.field("user-agent").unwrap().starts_with("portreeve/"), "{head:?}");
        // How long a body is, is said once.
        assert!(count("content-length") + count("transfer-encoding") <= 1, "{head:?}");
        assert!(head.line.ends_with(" HTTP/1.1"), "{head:?}");
        let [_, target, _] = head.line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{head:?}");
        };
        assert!(target.starts_with('/'), "{head:?}");
        assert!(target.bytes().all(|byte| byte.is_ascii_graphic()), "{head:?}");
        for (name, value) in head.fields.iter().chain(&self.body.trailers) {
            let may_pass = !name.contains('_') && !NEVER.contains(&&**name);
            assert!(may_pass, "{name}: {head:?}");
            assert!(!value.contains("SMUGGLED"), "{name}: {head:?}");
        }
        assert!(!head.line.contains("SMUGGLED"), "{head:?}");
        self.user();
    }
}

/// Fields that never reach the server, beside those with an underscore in their name. Each of them is read by it, or by
/// something before it.
pub(super) const NEVER: &[&str] = &[
    "aa-version",
    "access-control-request-method",
    "authorization-app-api",
    "cookie",
    "cookie2",
    "ex-app-id",
    "ex-app-version",
    "expect",
    "forwarded",
    "keep-alive",
    "origin",
    "proxy-authorization",
    "proxy-connection",
    "referer",
    "requesttoken",
    "upgrade",
    "x-api-key",
    "x-forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "x-forwarded-prefix",
    "x-forwarded-proto",
    "x-forwarded-uri",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-middleware-subrequest",
    "x-nextcloud-federation",
    "x-original-url",
    "x-real-ip",
    "x-requested-with",
    "x-rewrite-url",
    "x-sabre-original-method",
    "x-user-id",
    "xauthorization",
];
