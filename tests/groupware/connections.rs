//! Connections over HTTP/1.1 that are kept for the next call (docs/API.md, section 8). The server
//! here is a plain socket, since the tests depend on what happens between two answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use portreeve::groupware::{Groupware, GroupwareError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use crate::recorded::account;

/// Long enough for written bytes to arrive.
const SETTLED: Duration = Duration::from_millis(100);

#[tokio::test]
async fn sequential_calls_share_a_connection() {
    let server = Server::start(async |mut stream| {
        while let Some(name) = request(&mut stream).await {
            stream.write_all(answer(&name).as_bytes()).await.unwrap();
        }
    })
    .await;
    for name in ["alice", "bob", "carol"].repeat(10) {
        assert_eq!(server.call(name).await.unwrap(), name);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn simultaneous_calls_use_one_connection_each_and_the_next_ones_reuse_them() {
    let server = Server::start(async |mut stream| {
        while let Some(name) = request(&mut stream).await {
            sleep(SETTLED).await;
            stream.write_all(answer(&name).as_bytes()).await.unwrap();
        }
    })
    .await;
    for _ in 0..3 {
        let names: Vec<_> = (0..20).map(|at| format!("user{at}")).collect();
        let answers = join_all(names.iter().map(|name| server.call(name))).await;
        for (name, answer) in names.iter().zip(answers) {
            assert_eq!(answer.unwrap(), *name);
        }
    }
    assert_eq!(server.connections(), 20);
}

#[tokio::test]
async fn a_connection_that_the_server_closed_fails_no_call() {
    let server = Server::start(async |mut stream| {
        let name = request(&mut stream).await.unwrap();
        stream.write_all(answer(&name).as_bytes()).await.unwrap();
    })
    .await;
    for name in ["alice", "bob", "carol"] {
        assert_eq!(server.call(name).await.unwrap(), name);
        sleep(SETTLED).await;
    }
    assert_eq!(server.connections(), 3);
}

/// As when the server closes an idle connection while a request is on its way.
#[tokio::test]
async fn api_8_a_read_is_repeated_once_if_its_connection_ends() {
    let server = Server::start(async |mut stream| {
        let name = request(&mut stream).await.unwrap();
        stream.write_all(answer(&name).as_bytes()).await.unwrap();
        request(&mut stream).await;
    })
    .await;
    for name in ["alice", "bob", "carol"] {
        assert_eq!(server.call(name).await.unwrap(), name);
    }
    assert_eq!(server.connections(), 3);

    let server = Server::start(async |mut stream| drop(request(&mut stream).await)).await;
    let fault = server.call("alice").await.unwrap_err();
    assert_eq!(
        fault.public_message(),
        "The connection to the groupware server was closed before its answer."
    );
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn many_connections_that_the_server_closed_fail_no_call() {
    let server = Server::start(async |mut stream| {
        let name = request(&mut stream).await.unwrap();
        sleep(SETTLED).await;
        stream.write_all(answer(&name).as_bytes()).await.unwrap();
    })
    .await;
    for round in 1..=3 {
        let answers = join_all((0..20).map(|_| server.call("alice"))).await;
        assert!(answers.iter().all(Result::is_ok), "{answers:?}");
        assert_eq!(server.connections(), 20 * round);
        sleep(SETTLED).await;
    }
}

#[tokio::test]
async fn a_connection_with_connection_close_is_not_used_again() {
    let server = Server::start(async |mut stream| {
        let name = request(&mut stream).await.unwrap();
        let answer = answer(&name).replacen("\r\n", "\r\nConnection: close\r\n", 1);
        stream.write_all(answer.as_bytes()).await.unwrap();
        // It does not close the connection, and would accept another request.
        assert_eq!(request(&mut stream).await, None);
    })
    .await;
    for name in ["alice", "bob", "carol"] {
        assert_eq!(server.call(name).await.unwrap(), name);
    }
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn an_answer_in_pieces_is_read_whole_and_its_connection_kept() {
    let server = Server::start(async |mut stream| {
        while let Some(name) = request(&mut stream).await {
            for piece in chunked(&name).as_bytes().chunks(16) {
                stream.write_all(piece).await.unwrap();
                sleep(Duration::from_millis(2)).await;
            }
        }
    })
    .await;
    for name in ["alice", "bob", "carol"] {
        assert_eq!(server.call(name).await.unwrap(), name);
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn the_answer_to_a_cancelled_call_goes_to_no_other_call() {
    let server = Server::start(async |mut stream| {
        while let Some(name) = request(&mut stream).await {
            // Late, whether the caller is still waiting or not.
            sleep(SETTLED).await;
            if stream.write_all(answer(&name).as_bytes()).await.is_err() {
                return;
            }
        }
    })
    .await;
    assert_eq!(server.call("alice").await.unwrap(), "alice");
    for wait in [0, 1, 50, 99, 100, 101] {
        let given_up = timeout(Duration::from_millis(wait), server.call("mallory"));
        let _ = given_up.await;
        assert_eq!(server.call("bob").await.unwrap(), "bob", "after {wait} ms");
    }
}

/// Bytes after an answer would be taken for the next one (RFC 9112, section 9.2).
#[tokio::test]
async fn an_answer_without_a_request_goes_to_no_call() {
    for pause in [Duration::ZERO, Duration::from_millis(20)] {
        let server = Server::start(move |mut stream| async move {
            while let Some(name) = request(&mut stream).await {
                stream.write_all(answer(&name).as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                sleep(pause).await;
                if stream.write_all(answer("root").as_bytes()).await.is_err() {
                    return;
                }
            }
        })
        .await;
        for name in ["alice", "bob", "carol"] {
            assert_eq!(server.call(name).await.unwrap(), name);
            sleep(SETTLED).await;
        }
        assert_eq!(server.connections(), 3);
    }
    // In the same packet as the answer.
    let server = Server::start(async |mut stream| {
        while let Some(name) = request(&mut stream).await {
            let both = [answer(&name), answer("root")].concat();
            if stream.write_all(both.as_bytes()).await.is_err() {
                return;
            }
        }
    })
    .await;
    for name in ["alice", "bob", "carol"] {
        assert_eq!(server.call(name).await.unwrap(), name);
    }
}

#[tokio::test]
async fn an_idle_connection_that_the_server_closes_is_closed() {
    let server = Server::start(async |mut stream| {
        while let Some(name) = request(&mut stream).await {
            stream.write_all(answer(&name).as_bytes()).await.unwrap();
            sleep(SETTLED).await;
            stream.shutdown().await.unwrap();
        }
        // Reached only when the client closes its half, too.
    })
    .await;
    assert_eq!(server.call("alice").await.unwrap(), "alice");
    let ended = async {
        while server.ended.load(Ordering::Relaxed) == 0 {
            sleep(SETTLED).await;
        }
    };
    timeout(Duration::from_secs(30), ended).await.unwrap();
}

/// A server on loopback, and a client of it.
struct Server {
    client: Groupware,
    connections: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
}

// === impl Server ===

impl Server {
    /// Runs `serve` for each connection.
    async fn start<F: Future<Output = ()> + Send + 'static>(
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server = Self {
            client: Groupware::new(url.parse().unwrap(), Default::default()).unwrap(),
            connections: Arc::default(),
            ended: Arc::default(),
        };
        let (connections, ended) = (server.connections.clone(), server.ended.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                connections.fetch_add(1, Ordering::Relaxed);
                let (serving, ended) = (serve(stream), ended.clone());
                tokio::spawn(async move {
                    serving.await;
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        server
    }

    /// The account that the server returns to `name`.
    async fn call(&self, name: &str) -> Result<String, GroupwareError> {
        let reply = self.client.access(account(name)).user().await;
        reply.result.map(|user| user.id)
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }
}

/// The login name in a request; `None` at the end of the connection.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let field = |name: &str| {
        let mut fields = head.lines().filter_map(|line| line.split_once(": "));
        let value = fields.find(|(it, _)| it.eq_ignore_ascii_case(name));
        value.map(|(_, value)| value.to_owned())
    };
    // RFC 9112, section 3.2.
    assert!(head.starts_with("GET /ocs/v2.php/cloud/user?format=json HTTP/1.1\r\n"));
    let address = stream.local_addr().unwrap().to_string();
    assert_eq!(field("host"), Some(address));
    let login = field("authorization").unwrap();
    let login = STANDARD.decode(login.strip_prefix("Basic ").unwrap()).unwrap();
    let login = String::from_utf8(login).unwrap();
    Some(login.split_once(':').unwrap().0.to_owned())
}

fn body(name: &str) -> String {
    format!(
        r#"{{"ocs":{{"meta":{{"status":"ok","statuscode":200,"message":"OK"}},"data":{{"id":"{name}","groups":[]}}}}}}"#
    )
}

fn answer(name: &str) -> String {
    let body = body(name);
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-User-Id: {name}\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
}

fn chunked(name: &str) -> String {
    let body = body(name);
    let (first, second) = body.split_at(40);
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-User-Id: {name}\r\n\
         Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{first}\r\n{:x}\r\n{second}\r\n0\r\n\r\n",
        first.len(),
        second.len()
    )
}
