//! A groupware server that takes its time.

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use portreeve::server::{self, Bounds};
use tokio::net::TcpListener;
use tower::service_fn;

/// Time that each answer takes.
pub(crate) const DELAY: Duration = Duration::from_millis(200);

/// Starts one; it runs until the program ends.
pub(crate) async fn start() -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let bounds = Bounds::new().connections(100_000);
    tokio::spawn(server::serve(listener, service_fn(answer), bounds, pending()));
    address
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    tokio::time::sleep(DELAY).await;
    let body: &'static [u8] = include_bytes!("../gateway/webhooks.json");
    let mut answer = Response::new(Full::from(body));
    let headers = answer.headers_mut();
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    headers.insert(CONTENT_TYPE, json);
    // By which the real server says whose login it was.
    if let Some(user) = user(&request) {
        headers.insert("x-user-id", user);
    }
    Ok(answer)
}

fn user(request: &Request<Incoming>) -> Option<HeaderValue> {
    let field = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let login = STANDARD.decode(field.strip_prefix("Basic ")?).ok()?;
    let end = login.iter().position(|byte| *byte == b':')?;
    HeaderValue::from_bytes(&login[..end]).ok()
}
