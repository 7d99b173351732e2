//! Turns every error of the layers below into an answer (docs/API.md, section 6).
//!
//! Only here an error becomes an answer, and is logged: requests that are [rejected](RejectionReason) at most once a
//! second and kind, with their count. Above this layer the error type is [`Infallible`]. The format of the answer
//! depends on the path: one path, the front end's, has its own (docs/API.md, section 10.4).
//!
//! An error of your own is answered like the [`Error`] that it is, or that is among its
//! [`source`](std::error::Error::source)s; any other one is answered 500.
//!
//! An answer over HTTP/1 that leaves the request's body unread says `Connection: close`.
//!
//! It works with any service whose body can be made from bytes, such as an axum router:
//!
//! ```
//! use axum::{Router, body::Body, routing::get};
//! use http::Request;
//! use portreeve::gateway::layer::error_mapper::ErrorMapperLayer;
//! use tower::{ServiceBuilder, ServiceExt as _};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let router: Router = Router::new().route("/about", get(async || "mine"));
//! let service = ServiceBuilder::new()
//!     .layer(ErrorMapperLayer::default())
//!     .load_shed()
//!     .concurrency_limit(100)
//!     .service(router);
//! let response = service.oneshot(Request::get("/about").body(Body::empty()).unwrap()).await;
//! assert_eq!(response.unwrap().status(), 200);
//! # }
//! ```

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, Entry, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use http::{Request, Response, StatusCode, Version};
use parking_lot::Mutex;
use pin_project_lite::pin_project;
use tower::load_shed::error::Overloaded;
use tower::timeout::error::Elapsed;
use tower::{BoxError, Layer, Service};

use super::body_limit::REST_BYTES;
use super::resource_metadata::Document;
use crate::causes::{causes, with_causes};
use crate::gateway::error::ErrorFormat;
use crate::gateway::{Endpoint, Error, Refusal, RejectionReason};
use crate::groupware::notes;
use crate::identity::VerifyError;
use crate::opaque::opaque_debug;
use crate::tally::{Allowance, Tally};

/// Makes [`ErrorMapper`] services.
#[derive(Clone, Debug, Default)]
pub struct ErrorMapperLayer {
    /// `resource_metadata="…"` (RFC 9728, section 5.1).
    metadata: Option<Box<str>>,
}

// === impl ErrorMapperLayer ===

impl ErrorMapperLayer {
    /// Also names the address of `document` in each challenge for a bearer token (docs/API.md, section 11).
    pub(crate) fn naming(document: Option<&Document>) -> Self {
        let parameter = |it: &Document| format!("resource_metadata=\"{}\"", it.url).into();
        Self { metadata: document.map(parameter) }
    }
}

impl<S> Layer<S> for ErrorMapperLayer {
    type Service = ErrorMapper<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ErrorMapper { inner, not_ready: None, log: Arc::new(Log::new(self.metadata.clone())) }
    }
}

/// See the [module documentation](self).
#[derive(Debug)]
pub struct ErrorMapper<S> {
    inner: S,
    /// An error of `poll_ready`, which the next call is answered with.
    not_ready: Option<BoxError>,
    log: Arc<Log>,
}

// === impl ErrorMapper ===

impl<S: Clone> Clone for ErrorMapper<S> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), not_ready: None, log: self.log.clone() }
    }
}

impl<S, ReqBody, B> Service<Request<ReqBody>> for ErrorMapper<S>
where
    S: Service<Request<ReqBody>, Response = Response<B>>,
    S::Error: Into<BoxError>,
    B: From<Bytes>,
{
    type Response = S::Response;
    type Error = Infallible;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        if let Err(error) = ready!(self.inner.poll_ready(cx)) {
            self.not_ready = Some(error.into());
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<ReqBody>) -> Self::Future {
        let endpoint = Endpoint::from_request(&request);
        let format = ErrorFormat::for_endpoint(endpoint);
        let is_write = !request.method().is_safe();
        let announced = (request.version() < Version::HTTP_2).then(|| announced(&request));
        let is_forwarded = endpoint.is_forwarded();
        let failed = self.not_ready.take();
        ResponseFuture {
            announced,
            is_forwarded,
            inner: failed.is_none().then(|| self.inner.call(request)),
            failed,
            format,
            is_write,
            log: self.log.clone(),
        }
    }
}

pin_project! {
    /// The future of [`ErrorMapper`].
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        // `None` if the service was not ready, and so `failed`.
        #[pin]
        inner: Option<F>,
        failed: Option<BoxError>,
        // Over HTTP/1, the length of the body.
        announced: Option<u64>,
        // Then an answer that is no error follows a body that was read, and may have been large.
        is_forwarded: bool,
        format: ErrorFormat,
        is_write: bool,
        log: Arc<Log>,
    }
}

// === impl ResponseFuture ===

impl<F, B, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    E: Into<BoxError>,
    B: From<Bytes>,
{
    type Output = Result<Response<B>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = match this.inner.as_pin_mut() {
            Some(inner) => ready!(inner.poll(cx)).map_err(Into::into),
            None => Err(this.failed.take().expect("polled after completion")),
        };
        let mut response = match result {
            Ok(response) => {
                this.announced.take_if(|_| *this.is_forwarded);
                response
            }
            Err(error) => answer(error, *this.is_write, *this.format, this.log),
        };
        if let Some(metadata) = &this.log.metadata {
            name_metadata(metadata, response.headers_mut());
        }
        if this.announced.is_some_and(|length| is_left_unread(length, response.status())) {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Poll::Ready(Ok(response))
    }
}

/// Adds the address of the metadata to each challenge for a bearer token.
fn name_metadata(parameter: &str, headers: &mut HeaderMap) {
    let Entry::Occupied(mut challenges) = headers.entry(WWW_AUTHENTICATE) else {
        return;
    };
    for challenge in challenges.iter_mut() {
        let text = challenge.to_str().unwrap_or_default();
        let (scheme, parameters) = text.split_once(' ').unwrap_or((text, ""));
        let separator = if parameters.is_empty() { " " } else { ", " };
        let named = format!("{}{separator}{parameter}", text.trim_end());
        if scheme.eq_ignore_ascii_case("bearer")
            && let Ok(named) = HeaderValue::try_from(named)
        {
            *challenge = named;
        }
    }
}

fn announced<B>(request: &Request<B>) -> u64 {
    let length = request.headers().get(CONTENT_LENGTH);
    length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(0)
}

/// Whether the rest of the body may not be read, and so the connection not be used again, although it is not known
/// here how much of it has been: more than [`REST_BYTES`] are drained of no body.
fn is_left_unread(announced: u64, status: StatusCode) -> bool {
    status == StatusCode::PAYLOAD_TOO_LARGE || announced > REST_BYTES as u64
}

/// Tower's layers box their errors, and other error types may wrap ours: the first known one among the error and its
/// causes counts.
fn answer<B: From<Bytes>>(
    error: BoxError,
    is_write: bool,
    format: ErrorFormat,
    log: &Log,
) -> Response<B> {
    for error in causes(&*error) {
        if let Some(error) = error.downcast_ref::<Error>() {
            return log.answer(error, format);
        }
        if let Some(refusal) = error.downcast_ref::<Refusal>() {
            return log.answer(&refusal.clone().into(), format);
        }
        if error.is::<Overloaded>() {
            return log.answer(&Error::Overloaded, format);
        }
        if error.is::<Elapsed>() {
            let timeout = [Error::Timeout, Error::WriteTimeout];
            let is_unknown = is_write && notes::may_have_changed();
            return log.answer(&timeout[usize::from(is_unknown)], format);
        }
    }
    log.answer(&Error::Other(error), format)
}

/// Logs why requests failed.
struct Log {
    /// One for each kind of request that is rejected.
    rejections: Box<[Arc<Tally>]>,
    /// Why the last token could not be checked.
    cause: Arc<Mutex<String>>,
    /// Limits the lines about requests without a known caller, which anybody can send.
    unknown: Allowance,
    /// Which challenges for bearer tokens have besides.
    metadata: Option<Box<str>>,
}

// === impl Log ===

impl Log {
    fn new(metadata: Option<Box<str>>) -> Self {
        let cause = Arc::<Mutex<String>>::default();
        Self {
            rejections: (RejectionReason::ALL.iter())
                .map(|reason| {
                    let cause = cause.clone();
                    Tally::new(move |count| report(*reason, count, &cause))
                })
                .collect(),
            cause,
            unknown: Allowance::new(|count| {
                tracing::error!(
                    parent: None, count,
                    "more requests without a known caller failed than are listed"
                );
            }),
            metadata,
        }
    }

    /// Answers `error` in `format`, and logs it.
    ///
    /// The answer to a request that was rejected has the reason in its extensions, for the layers above.
    fn answer<B: From<Bytes>>(&self, error: &Error, format: ErrorFormat) -> Response<B> {
        let row = error.row();
        let rejection = row.rejection;
        let mut response: Response<B> = row.answer(format);
        let status = response.status();
        let notes = notes::current();
        if let Some(attempt) = notes.as_ref().and_then(|notes| notes.attempt()) {
            error.end(attempt);
        }
        // Of an unknown caller, although the layers below would have noted who it is.
        let is_unknown = notes.is_some_and(|notes| notes.caller().is_none());
        let is_failure = status.is_server_error() && rejection.is_none();
        let is_listed = is_failure && (!is_unknown || self.unknown.admits());
        log(error, status, rejection, is_listed);
        if let Some(reason) = rejection {
            if reason == RejectionReason::TokenCheckFailed {
                *self.cause.lock() = with_causes(error).to_string();
            }
            self.rejections[reason as usize].count();
            response.extensions_mut().insert(reason);
        }
        if let Error::RefusedToken(VerifyError::Refused(refusal)) = error {
            response.extensions_mut().insert(refusal.reason);
        }
        response
    }
}

opaque_debug!(Log);

/// Problems that an operator has to act on are errors or warnings; mistakes of callers are not. What is not listed is counted.
fn log(error: &Error, status: StatusCode, rejection: Option<RejectionReason>, is_listed: bool) {
    let code = status.as_u16();
    match status {
        _ if rejection.is_some() => {
            tracing::debug!(status = code, %error, "request rejected");
        }
        _ if !is_listed => {
            tracing::debug!(status = code, error = %with_causes(error), "request refused");
        }
        StatusCode::INTERNAL_SERVER_ERROR | StatusCode::BAD_GATEWAY => {
            tracing::error!(status = code, error = %with_causes(error), "request failed");
        }
        _ => tracing::warn!(status = code, %error, "request not served"),
    }
}

/// Logs how many requests were rejected for a reason since the last such line. `cause` is why the last token could
/// not be checked.
fn report(reason: RejectionReason, count: u64, cause: &Mutex<String>) {
    let (kind, status) = (reason.as_str(), reason.status().as_u16());
    // One line in four levels, which have to be written out.
    macro_rules! write_line {
        ($level:ident $(, $error:ident)?) => {
            tracing::$level!(
                target: "portreeve::rejected",
                parent: None,
                kind, status, count, $($error,)? "requests were rejected"
            )
        };
    }
    match status {
        // For the operator, or for whoever runs the identity provider.
        _ if reason == RejectionReason::TokenCheckFailed => {
            let error = cause.lock().clone();
            write_line!(error, error);
        }
        // Said once, when it begins.
        _ if reason == RejectionReason::QueueFull => write_line!(debug),
        // Faults of callers.
        401 | 500 => write_line!(info),
        _ => write_line!(warn),
    }
}
