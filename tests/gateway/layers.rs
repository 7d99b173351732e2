//! Single layers, in a stack without a gateway: what each makes of a request (docs/API.md, sections 1.3, 2.1 and 7).

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures_util::stream;
use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use portreeve::gateway::layer::bearer::{BearerLayer, Verified};
use portreeve::gateway::layer::body_limit::{BodyLimitLayer, LimitedBody, MAX_PIECES};
use portreeve::gateway::layer::record::RecordLayer;
use portreeve::gateway::layer::request_id::{RequestIdLayer, X_REQUEST_ID};
use portreeve::gateway::{EndedRequest, Error, RequestObserver};
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use tower::{Service as _, ServiceBuilder, ServiceExt as _};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A request with a field of this name for each value.
fn with_fields(name: &str, values: &[&str]) -> Request<()> {
    let builder = values
        .iter()
        .fold(Request::builder(), |builder, value| builder.header(name, value.as_bytes()));
    builder.body(()).unwrap()
}

/// The id that a request with these ids gets, for the layers below and for the caller.
async fn request_id(sent: &[&str]) -> HeaderValue {
    let stack = ServiceBuilder::new().layer(RequestIdLayer::default()).service_fn(
        async |request: Request<()>| {
            let ids = request.headers().get_all(X_REQUEST_ID).iter().cloned();
            Ok::<_, Infallible>(Response::new(ids.collect::<Vec<_>>()))
        },
    );
    let request = with_fields(X_REQUEST_ID.as_str(), sent);
    let mut response = stack.oneshot(request).await.unwrap();
    let id = response.headers_mut().remove(X_REQUEST_ID).unwrap();
    assert_eq!(response.into_body(), [&id], "{sent:?}");
    id
}

#[tokio::test]
async fn api_1_3_a_request_id_is_adopted_or_made() {
    let [longest, too_long] = [128, 129].map(|length| "x".repeat(length));
    for (sent, is_adopted) in [
        (&["!a~"][..], true),
        (&[&*longest], true),
        (&[&*too_long], false),
        (&[""], false),
        (&["two words"], false),
        (&["täg"], false),
        (&["a", "a"], false),
    ] {
        let id = request_id(sent).await;
        assert_eq!(id.as_bytes() == sent[0].as_bytes(), is_adopted, "{sent:?}");
        let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let is_made = id.len() == 32 && id.as_bytes().iter().all(is_hex);
        assert_eq!(is_made, !is_adopted, "{sent:?} {id:?}");
    }
}

#[tokio::test]
async fn made_request_ids_differ() {
    let mut made = HashSet::new();
    for _ in 0..1000 {
        made.insert(request_id(&[]).await);
    }
    assert_eq!(made.len(), 1000);
}

/// The traces of requests that have ended.
#[derive(Debug, Default)]
struct Traces(Mutex<Vec<Option<String>>>);

impl RequestObserver for Traces {
    fn request_ended(&self, request: &EndedRequest<'_>) {
        let trace_id = request.trace_id.map(Into::into);
        self.0.lock().unwrap().push(trace_id);
    }
}

/// The trace that a request with these fields is recorded with.
async fn trace_id(fields: &[&str]) -> Option<String> {
    let traces = Arc::<Traces>::default();
    let stack = ServiceBuilder::new()
        .layer(RequestIdLayer::default())
        .layer(RecordLayer { observers: Arc::new([traces.clone()]) })
        .service_fn(async |_: Request<()>| Ok::<_, Infallible>(Response::new(())));
    let request = with_fields("traceparent", fields);
    stack.oneshot(request).await.unwrap();
    let [trace] = &traces.0.lock().unwrap()[..] else {
        panic!("{traces:?}");
    };
    trace.clone()
}

/// The endpoints of requests that have ended.
#[derive(Debug, Default)]
struct Routes(Mutex<Vec<&'static str>>);

impl RequestObserver for Routes {
    fn request_ended(&self, request: &EndedRequest<'_>) {
        self.0.lock().unwrap().push(request.endpoint.as_str());
    }
}

#[tokio::test]
async fn the_method_decides_whether_a_delivery_or_a_webhook_is_recorded() {
    let routes = Arc::<Routes>::default();
    let stack = ServiceBuilder::new()
        .layer(RequestIdLayer::default())
        .layer(RecordLayer { observers: Arc::new([routes.clone()]) })
        .service_fn(async |_: Request<()>| Ok::<_, Infallible>(Response::new(())));
    for method in ["POST", "DELETE", "GET", "OPTIONS"] {
        let request = Request::builder().method(method).uri("/api/v1/webhooks/callback");
        stack.clone().oneshot(request.body(()).unwrap()).await.unwrap();
    }
    const WEBHOOK: &str = "/api/v1/webhooks/{webhook_id}";
    let expected = ["/api/v1/webhooks/callback", WEBHOOK, WEBHOOK, WEBHOOK];
    assert_eq!(*routes.0.lock().unwrap(), expected);
}

#[tokio::test]
async fn the_trace_of_a_valid_traceparent_is_adopted() {
    for (version, rest) in [
        ("00", "0a"),
        // Versions to come.
        ("01", "01"),
        ("cc", "03-what-the-future-will-be-like"),
        ("01", "01-"),
    ] {
        let field = format!("{version}-{TRACE}-{PARENT}-{rest}");
        assert_eq!(trace_id(&[&field]).await.as_deref(), Some(TRACE), "{field}");
    }
}

#[tokio::test]
async fn any_other_traceparent_is_ignored() {
    let valid = format!("00-{TRACE}-{PARENT}-01");
    let zeros = "0".repeat(32);
    let mut wrong = vec![
        format!("ff-{TRACE}-{PARENT}-01"),
        format!("00-{zeros}-{PARENT}-01"),
        format!("00-{TRACE}-{}-01", &zeros[..16]),
        format!("00-{TRACE}-{PARENT}-01-"),
        format!("00-{TRACE}-{PARENT}-01-more"),
        format!("01-{TRACE}-{PARENT}-01more"),
        format!(" {valid}"),
    ];
    for at in 0..valid.len() {
        let (before, after) = (&valid[..at], &valid[at + 1..]);
        wrong.push(before.to_owned());
        wrong.extend(["g", "A", " ", "é", "_"].map(|it| format!("{before}{it}{after}")));
    }
    for field in wrong {
        assert_eq!(trace_id(&[&field]).await, None, "{field}");
    }
    assert_eq!(trace_id(&[&valid, &valid]).await, None);
}

/// Accepts a token only at the path that it names, after a wait.
struct ByPath;

impl TokenVerifier for ByPath {
    async fn verify(&self, token: &BearerToken, head: &Parts) -> Result<Caller, VerifyError> {
        tokio::task::yield_now().await;
        assert!(!head.headers.contains_key(AUTHORIZATION));
        match head.uri.path() == token.expose() {
            true => Ok(Caller::new("alice")),
            false => Err(RefusalReason::Unknown.into()),
        }
    }
}

#[tokio::test]
async fn a_verifier_sees_the_request_and_the_service_gets_it_whole() {
    let stack = ServiceBuilder::new().layer(BearerLayer::new(ByPath)).service_fn(
        async |verified: Verified<Request<&'static str>>| {
            let (caller, request) = verified.into_parts();
            assert!(!request.headers().contains_key(AUTHORIZATION));
            assert_eq!((request.method(), request.uri().path()), (&Method::PUT, "/a"));
            Ok::<_, Error>((caller.name().to_owned(), request.into_body()))
        },
    );
    let call = |path: &str| {
        let request = Request::put(path).header(AUTHORIZATION, "Bearer /a");
        stack.clone().oneshot(request.body("body").unwrap())
    };
    assert_eq!(call("/a").await.unwrap(), ("alice".to_owned(), "body"));
    let refused = call("/b").await;
    let is_refused = matches!(&refused, Err(Error::RefusedToken(VerifyError::Refused(_))));
    assert!(is_refused, "{refused:?}");
}

#[tokio::test]
async fn api_7_a_body_in_too_many_pieces_is_not_read() {
    let stack = ServiceBuilder::new().layer(BodyLimitLayer::new(1 << 20)).service_fn(
        async |request: Request<LimitedBody<_>>| {
            Ok::<_, Error>(request.into_body().collect().await?.to_bytes())
        },
    );
    let read = |pieces| {
        let piece = |_| Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"x")));
        let body = StreamBody::new(stream::iter((0..pieces).map(piece)));
        stack.clone().oneshot(Request::new(body))
    };
    assert_eq!(read(MAX_PIECES).await.unwrap().len(), MAX_PIECES);
    let cut = read(MAX_PIECES + 1).await;
    assert!(matches!(cut, Err(Error::UnreadableBody(_))), "{cut:?}");
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// As for a client that leaves: what goes on without it has the id in its lines.
#[test]
fn a_request_is_dropped_in_its_span() {
    let (sender, dropped_in) = std::sync::mpsc::channel();
    let mut stack =
        ServiceBuilder::new().layer(RequestIdLayer::default()).service_fn(|_: Request<()>| {
            let sender = sender.clone();
            let guard = OnDrop(move || {
                let span = tracing::Span::current();
                let name = span.metadata().map(|span| span.name());
                sender.send(name).unwrap();
            });
            async move {
                let _guard = guard;
                std::future::pending::<Result<Response<()>, Infallible>>().await
            }
        });
    // The span is known before its subscriber: otherwise a test without one could be the first to use it, and turn it off.
    drop(stack.call(Request::new(())));
    assert_eq!(dropped_in.recv().unwrap(), None);
    let _logging = tracing::subscriber::set_default(tracing_subscriber::registry());
    drop(stack.call(Request::new(())));
    assert_eq!(dropped_in.recv().unwrap(), Some("request"));
}
