//! Gives each request an id and a span that carries it (docs/API.md, section 1.3).
//!
//! An `X-Request-Id` of 1 to 128 visible ASCII characters is adopted, anything else is replaced by
//! a fresh id. The id is in the span of every log line about the request and in the `X-Request-Id`
//! of the answer, and the layers below find it in the request. It is never sent on to the
//! groupware server. A valid `traceparent` (W3C Trace Context) gives the span its `trace_id`. The
//! [endpoint](crate::gateway::Endpoint) that the path names is found here, once, for all layers below.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::Entry;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use pin_project_lite::pin_project;
use tower::{Layer, Service};
use tracing::Span;

use crate::gateway::Endpoint;
use crate::gateway::MethodName;
use crate::gateway::forward::Rules;
use crate::gateway::known::Known;
use crate::gateway::trace_id::TraceId;
use crate::headers::only;

/// The header that carries the id, both ways.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Makes sure that the headers contain exactly one acceptable id, and returns it.
pub(super) fn set_id(headers: &mut HeaderMap) -> HeaderValue {
    // One look-up where there is none, as usual.
    match headers.entry(X_REQUEST_ID) {
        Entry::Vacant(none) => none.insert(fresh_id()).clone(),
        Entry::Occupied(mut ids) => {
            if ids.iter().count() > 1 || !is_acceptable(ids.get()) {
                ids.insert(fresh_id());
            }
            ids.get().clone()
        }
    }
}

pub(super) fn from_headers(headers: &HeaderMap) -> Option<&HeaderValue> {
    only(headers, X_REQUEST_ID).filter(|value| is_acceptable(value))
}

/// An id that is unique among the processes that share a log: 64 random bits of this process, then a
/// counter. It needs no system call, and no secrecy.
fn fresh_id() -> HeaderValue {
    static PROCESS: LazyLock<[u8; 16]> = LazyLock::new(|| {
        digits(getrandom::u64().unwrap_or_else(|_| u64::from(std::process::id())))
    });
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut text = [0; 32];
    text[..16].copy_from_slice(&*PROCESS);
    text[16..].copy_from_slice(&digits(NEXT.fetch_add(1, Ordering::Relaxed)));
    // Shared from the start: the first clone of other bytes allocates.
    let text = HeaderValue::from_maybe_shared(Bytes::from_owner(text));
    text.expect("hexadecimal digits are visible ASCII")
}

/// The number in hexadecimal. This is done for each request: `format!` would take ten times as long.
fn digits(number: u64) -> [u8; 16] {
    let digit = |four: u8| b"0123456789abcdef"[usize::from(four)];
    let mut digits = [0; 16];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(number.to_be_bytes()) {
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    digits
}

fn is_acceptable(value: &HeaderValue) -> bool {
    // Without an early exit, here and below, so that many bytes are checked at a time.
    let graphic = |all, byte: &u8| all & byte.is_ascii_graphic();
    (1..=128).contains(&value.len()) && value.as_bytes().iter().fold(true, graphic)
}

/// Whether no character of `text` needs to be escaped in a log line.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() | matches!(byte, b'-' | b'_' | b'.');
    text.bytes().fold(true, |all, byte| all & is_plain(byte))
}

/// Makes [`SetRequestId`] services.
#[derive(Clone, Debug, Default)]
pub struct RequestIdLayer {
    /// What is forwarded, whose paths are the groupware server's.
    pub(crate) forward: Option<Arc<Rules>>,
}

// === impl RequestIdLayer ===

impl<S> Layer<S> for RequestIdLayer {
    type Service = SetRequestId<S>;

    fn layer(&self, inner: S) -> Self::Service {
        SetRequestId { inner, forward: self.forward.clone() }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct SetRequestId<S> {
    inner: S,
    forward: Option<Arc<Rules>>,
}

// === impl SetRequestId ===

impl<S: Service<Request<B>, Response = Response<R>>, B, R> Service<Request<B>> for SetRequestId<S> {
    type Response = Response<R>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let id = set_id(request.headers_mut());
        let is_other = |_: &&Arc<Rules>| Endpoint::from_request(&request) == Endpoint::Other;
        let forward = self.forward.as_ref().filter(is_other);
        let family = forward.and_then(|rules| rules.family_at(request.uri().path()));
        let known = Known::find(&mut request);
        if let Some(family) = family {
            known.endpoint = Endpoint::of_family(family);
        }
        known.request_id = Some(id.clone());
        let (endpoint, trace_id) = (known.endpoint, known.trace_id);
        let id_text = str::from_utf8(id.as_bytes()).unwrap_or_default();
        // At the highest level, so that every line has the id at any log level. The same span in two forms,
        // which have to be written out.
        macro_rules! span {
            ($($id:tt)+) => {
                tracing::error_span!(
                    "request",
                    $($id)+,
                    method = %MethodName::from(request.method()).as_str(),
                    route = %endpoint.as_str(),
                    trace_id = trace_id.as_ref().map(TraceId::as_str),
                )
            };
        }
        // This is written for each request, and escaping is costly.
        let span = if is_plain(id_text) { span!(id = %id_text) } else { span!(id = id_text) };
        let inner = span.in_scope(|| self.inner.call(request));
        ResponseFuture { inner: Some(inner), span, id: Some(id) }
    }
}

pin_project! {
    /// The future of [`SetRequestId`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        // `None` once it is complete. It is dropped in the span, for what its drop begins: when it completes, so that the
        // span is not entered again for that.
        #[pin]
        inner: Option<F>,
        span: Span,
        id: Option<HeaderValue>,
    }

    impl<F> PinnedDrop for ResponseFuture<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            if this.inner.is_some() {
                this.span.in_scope(|| this.inner.set(None));
            }
        }
    }
}

// === impl ResponseFuture ===

impl<F: Future<Output = Result<Response<R>, E>>, R, E> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let _in_span = this.span.enter();
        let inner = this.inner.as_mut().as_pin_mut();
        let mut result = ready!(inner.expect("polled after completion").poll(cx));
        this.inner.set(None);
        if let (Ok(response), Some(id)) = (&mut result, this.id.take()) {
            response.headers_mut().insert(X_REQUEST_ID, id);
        }
        Poll::Ready(result)
    }
}
