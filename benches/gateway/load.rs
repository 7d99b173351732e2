//! The client: many requests over a few connections that stay open.
use std::net::SocketAddr;

use bytes::Bytes;
use http::Request;
use http::header::{AUTHORIZATION, HOST};
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Connections that make requests at the same time.
pub(crate) const CONNECTIONS: usize = 16;

/// Makes about `requests` requests, evenly over the connections, and checks each answer.
pub(crate) async fn load(address: SocketAddr, path: &str, token: Option<&str>, requests: usize) {
    let connections = (0..CONNECTIONS).map(|_| {
        let (path, token) = (path.to_owned(), token.map(str::to_owned));
        let requests = requests.div_ceil(CONNECTIONS);
        tokio::spawn(async move { connection(address, &path, token.as_deref(), requests).await })
    });
    for connection in connections.collect::<Vec<_>>() {
        connection.await.unwrap();
    }
}

async fn connection(address: SocketAddr, path: &str, token: Option<&str>, requests: usize) {
    let stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    let authorization = token.map(|token| format!("Bearer {token}"));
    for _ in 0..requests {
        let mut request = Request::get(path).header(HOST, "gateway");
        if let Some(authorization) = &authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request.body(Empty::<Bytes>::new()).unwrap();
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.status(), 200);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert!(body.len() > 100, "an answer of {} bytes", body.len());
    }
}
