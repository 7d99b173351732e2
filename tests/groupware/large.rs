//! Large answers, of which not all are read at once (docs/API.md, section 7).

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures_util::future::join_all;
use futures_util::{Stream, StreamExt as _, stream};
use http::Response;
use http_body::Frame;
use http_body_util::StreamBody;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use portreeve::groupware::{ClientSettings, Groupware};
use portreeve::outbound::certificates;
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::own_server::{BODY, call};
use crate::support::nextcloud::tls_acceptor;

const PIECE: usize = 16 * 1024;
/// Pieces of a large answer: 3 MiB.
const PIECES: usize = 192;
const LARGE: usize = 4;

#[derive(Default)]
struct State {
    requests: AtomicUsize,
    /// Pieces of large answers that were sent.
    sent: AtomicUsize,
    sends: Notify,
    /// Lets the first answer end.
    ends: Notify,
}

#[tokio::test]
async fn api_7_answers_that_wait_for_room_hold_up_no_others() {
    let state = Arc::<State>::default();
    let client = start(state.clone()).await;
    // It takes all room as long as it is read.
    let first = tokio::spawn({
        let client = client.clone();
        async move { call(&client).await }
    });
    wait_for(&state, 5).await;
    let large = tokio::spawn({
        let client = client.clone();
        async move { join_all((0..LARGE).map(|_| call(&client))).await }
    });
    wait_for(&state, 5 + LARGE * 8).await;
    // A small one on the same connection.
    call(&client).await.unwrap();
    assert!(!first.is_finished() && !large.is_finished());
    state.ends.notify_one();
    first.await.unwrap().unwrap();
    for outcome in large.await.unwrap() {
        outcome.unwrap();
    }
}

/// Waits until the server has sent `pieces`.
async fn wait_for(state: &State, pieces: usize) {
    loop {
        let sends = state.sends.notified();
        if state.sent.load(Ordering::Relaxed) >= pieces {
            return;
        }
        sends.await;
    }
}

/// A server on loopback with TLS and HTTP/2: its first answer takes its time, the next ones are large, and
/// all others small. The client reserves all room for a large one.
async fn start(state: Arc<State>) -> Groupware {
    let (acceptor, ca) = tls_acceptor(true);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let stream = acceptor.accept(stream).await.unwrap();
        let service = service_fn(move |_| {
            let answer = answer(&state);
            async move { Ok::<_, Infallible>(answer) }
        });
        let server = http2::Builder::new(TokioExecutor::new());
        // It ends with the client.
        let _ = server.serve_connection(TokioIo::new(stream), service).await;
    });
    let mut settings = ClientSettings::default();
    settings.max_body = 128 * 1024 * 1024;
    settings.extra_ca = certificates(ca.as_bytes()).unwrap();
    Groupware::new(url.parse().unwrap(), settings).unwrap()
}

type Pieces = std::pin::Pin<Box<dyn Stream<Item = Result<Frame<Bytes>, Infallible>> + Send>>;

fn answer(state: &Arc<State>) -> Response<StreamBody<Pieces>> {
    let end = stream::iter([Ok(Frame::data(Bytes::from(BODY)))]);
    let blanks = |count| {
        let state = state.clone();
        stream::iter(0..count).map(move |_| {
            state.sent.fetch_add(1, Ordering::Relaxed);
            state.sends.notify_one();
            Ok(Frame::data(Bytes::from(vec![b' '; PIECE])))
        })
    };
    let pieces: Pieces = match state.requests.fetch_add(1, Ordering::Relaxed) {
        0 => {
            let state = state.clone();
            let pause = stream::once(async move { state.ends.notified().await });
            let pause = pause.filter_map(async |()| None);
            Box::pin(blanks(5).chain(pause).chain(end))
        }
        1..=LARGE => Box::pin(blanks(PIECES).chain(end)),
        _ => Box::pin(end),
    };
    Response::new(StreamBody::new(pieces))
}
