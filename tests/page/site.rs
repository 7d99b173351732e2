//! A gateway with the page, and a stand-in for Nextcloud, each a process of the real binary.

use std::net::SocketAddr;
use std::process::Command;

use serde_json::Value;

use crate::browser::Browser;
use crate::support::binary::{Served, credentials, http, in_dir, portreeve, success, token};
use crate::support::postgres::free_port;

/// alice is an administrator at the stand-in.
pub(crate) struct Site {
    pub(crate) gateway: Served,
    serve: Command,
    _nextcloud: Served,
    pub(crate) url: String,
    /// Of whoever sends deliveries.
    credential: String,
    pub(crate) dir: tempfile::TempDir,
}

impl Site {
    /// Starts both; `change` may set more.
    pub(crate) fn start(change: impl FnOnce(&mut Command)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let nextcloud = Served::start(portreeve().args([
            "demo",
            "--nextcloud-only",
            "--listen",
            "127.0.0.1:0",
        ]));
        let server = format!("http://{}", nextcloud.address);
        let mut password = None;
        crate::support::binary::wait("an app password is printed", || {
            let lines = nextcloud.lines();
            let is_password = |it: &&String| it.trim().len() == 40 && !it.trim().contains(' ');
            password = password.take().or(lines.iter().find(is_password).cloned());
            password.is_some()
        });
        let url = format!("http://127.0.0.1:{}", free_port());
        let configured = |command: &mut Command| {
            command
                .env("PORTREEVE_LISTEN", url.trim_start_matches("http://"))
                .env("PORTREEVE_PUBLIC_URL", &url)
                .env("PORTREEVE_DELIVERIES", "true")
                .env("WEBHOOK_SECRET", "a secret for the tests of the page");
        };
        token(dir.path(), "alice");
        let stored = ["put", "--user", "alice"];
        credentials(dir.path(), &stored, password.unwrap().trim());
        let mut address = in_dir(dir.path(), &["deliveries", "address"]);
        configured(&mut address);
        let printed = success(&mut address, "");
        let credential = printed.lines().find_map(|line| line.strip_prefix("credential\t"));
        let credential = credential.unwrap().to_owned();
        let mut serve = in_dir(dir.path(), &["serve"]);
        configured(&mut serve);
        serve
            .env("PORTREEVE_PAGE", "true")
            .env("PORTREEVE_GROUPWARE_URL", &server)
            .env("PORTREEVE_DELIVERY_NETWORKS", "127.0.0.0/8");
        change(&mut serve);
        let gateway = Served::start(&mut serve);
        Self { gateway, serve, _nextcloud: nextcloud, url, credential, dir }
    }

    pub(crate) fn page(&self) -> String {
        format!("{}/ui/", self.url)
    }

    /// Stops the gateway, and starts it again; `change` may set more.
    pub(crate) fn restart(&mut self, change: impl FnOnce(&mut Command)) {
        change(&mut self.serve);
        self.restart_while(|| {});
    }

    /// Stops the gateway, and starts it again after `what`.
    pub(crate) fn restart_while(&mut self, what: impl FnOnce()) {
        self.gateway.terminate();
        self.gateway.wait();
        what();
        self.gateway = Served::start(&mut self.serve);
    }

    /// A call of the API, which must succeed.
    pub(crate) fn call(&self, token: &str, method: &str, path: &str, body: &str) -> Value {
        let head = format!(
            "{method} /api/v1/{path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n"
        );
        let length = body.len();
        let request = format!("{head}Content-Length: {length}\r\n\r\n{body}");
        let answer = http(self.gateway.address, &request);
        assert!((200..300).contains(&answer.status), "{answer:?}");
        answer.json()
    }

    /// Shows the page to a user, logged in by a token that is pasted.
    pub(crate) fn log_in(&self, browser: &Browser, user: &str) {
        browser.open(&self.page());
        paste(browser, &token(self.dir.path(), user));
    }

    /// An event of this file arrives.
    pub(crate) fn file_is_made(&self, path: &str) {
        let event = serde_json::json!({
            "event": {"class": "OCP\\Files\\Events\\Node\\NodeCreatedEvent", "node": {"id": 1, "path": path}},
            "user": {"uid": "alice", "displayName": "Alice"},
            "time": 1,
        });
        self.deliver(&event);
    }

    pub(crate) fn deliver(&self, event: &Value) {
        let (body, to) = (event.to_string(), self.gateway.address);
        let head = format!(
            "POST /webhooks/nextcloud HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
             Content-Length: {}\r\n\r\n",
            self.credential,
            body.len()
        );
        let answer = http(to, &(head + &body));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
}

/// Logs in by this token on the page that is shown.
pub(crate) fn paste(browser: &Browser, token: &str) {
    browser.type_into("Token", token);
    browser.click("Use this token");
    browser.sees("You are");
}

/// A receiver on loopback that answers each delivery with this status.
pub(crate) fn receiver(status: &'static str) -> SocketAddr {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            std::thread::spawn(move || {
                let mut read = [0; 65536];
                let mut got = Vec::new();
                loop {
                    let Ok(count @ 1..) = stream.read(&mut read) else { return };
                    got.extend_from_slice(&read[..count]);
                    // The body is one object, and the last thing.
                    if got.ends_with(b"}") {
                        break;
                    }
                }
                let answer =
                    format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                stream.write_all(answer.as_bytes()).ok();
            });
        }
    });
    address
}
