//! `GET /healthz` and `GET /readyz`, for the supervisor of the process (docs/API.md,
//! section 9).
//!
//! They need neither token nor shared key, do not count against the in-flight limit, and say
//! nothing but yes or no. However many ask, the store is asked once at a time and once a second. Their lines in the log are at `DEBUG`. [`Gateway::into_service`](crate::gateway::Gateway::into_service) does
//! not include them, since an embedding server has probes of its own; a server of its own puts
//! this layer around it:
//!
//! ```
//! use portreeve::gateway::Gateway;
//! use portreeve::gateway::layer::probes::ProbeLayer;
//! # use portreeve::{identity::TokenVerifier, vault::Vault};
//! use tower::ServiceBuilder;
//!
//! # fn example(verifier: impl TokenVerifier, vault: Vault) {
//! let service = ServiceBuilder::new()
//!     .layer(ProbeLayer::new(vault.clone()))
//!     .service(Gateway::new(verifier, vault).into_service());
//! # fn is_service(_: impl tower::Service<http::Request<http_body_util::Empty<bytes::Bytes>>>) {}
//! # is_service(service);
//! # }
//! ```

use std::borrow::Cow;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tower::{Layer, Service};

use super::record::{Observers, Recording};
use crate::gateway::receiving::Receiving;
use crate::gateway::{Endpoint, RequestObserver, Shared, TraceParent};
use crate::vault::Vault;

/// How long an answer of the store counts.
const REMEMBERED_FOR: Duration = Duration::from_secs(1);

/// Makes [`Probes`] services.
#[derive(Clone, Debug)]
pub struct ProbeLayer {
    readiness: Readiness,
    receiving: Option<Receiving>,
    observers: Observers,
}

/// Whether the vault can be read: the last answer, and when it came.
#[derive(Clone, Debug)]
struct Readiness {
    vault: Vault,
    /// Locked while the store is asked.
    last: Arc<Mutex<Option<(Instant, bool)>>>,
}

// === impl ProbeLayer ===

impl ProbeLayer {
    /// Ready while `vault` can be read.
    pub fn new(vault: Vault) -> Self {
        Self {
            readiness: Readiness {
                vault,
                last: Arc::default(),
            },
            receiving: None,
            observers: Observers::default(),
        }
    }

    /// Also says why deliveries are not received, if they are not; the answer is still 200. `shared` is that of the
    /// gateway.
    #[must_use]
    pub fn deliveries(mut self, shared: &Shared) -> Self {
        self.receiving = Some(shared.receiving.clone());
        self
    }

    /// Also reports each probe to `observer`.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn RequestObserver>) -> Self {
        self.observers = [observer].into();
        self
    }
}

impl<S> Layer<S> for ProbeLayer {
    type Service = Probes<S>;

    fn layer(&self, inner: S) -> Self::Service {
        let layer = self.clone();
        Probes { inner, layer }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Probes<S> {
    inner: S,
    layer: ProbeLayer,
}

// === impl Probes ===

impl<S, B, R> Service<Request<B>> for Probes<S>
where
    S: Service<Request<B>, Response = Response<R>, Error: 'static>,
    R: From<Bytes> + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, BoxFuture<'static, Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let endpoint = Endpoint::find(&mut request);
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        if !(reads && endpoint.is_probe()) {
            return Either::Left(self.inner.call(request));
        }
        let trace = TraceParent::of(request.headers());
        let recording = Recording::of(&request, trace, self.layer.observers.clone());
        let readiness = (endpoint == Endpoint::Readyz).then(|| self.layer.readiness.clone());
        let receiving = self.layer.receiving.clone();
        Either::Right(Box::pin(async move {
            Ok(answer(readiness, receiving, recording).await)
        }))
    }
}

// === impl Readiness ===

impl Readiness {
    /// The answer of the last second; otherwise the store is asked, for all who wait.
    async fn ask(self) -> bool {
        let mut last = self.last.lock_owned().await;
        if let Some((answered, is_ready)) = *last
            && answered.elapsed() < REMEMBERED_FOR
        {
            return is_ready;
        }
        let vault = self.vault;
        // A task, which keeps the lock: if its caller leaves, the store may still be busy with the question.
        let asking = tokio::spawn(async move {
            let ready = vault.ready().await;
            if let Err(error) = &ready {
                // The target that operators know, wherever this file lies.
                tracing::error!(target: "portreeve::gateway::probes", %error, "not ready");
            }
            *last = Some((Instant::now(), ready.is_ok()));
            ready.is_ok()
        });
        asking.await.unwrap_or(false)
    }
}

/// Whether the vault can be read or, without a question about it, that the process lives.
async fn answer<R: From<Bytes>>(
    readiness: Option<Readiness>,
    receiving: Option<Receiving>,
    mut recording: Recording,
) -> Response<R> {
    let is_ready = match readiness {
        None => None,
        Some(readiness) => Some(readiness.ask().await),
    };
    let (status, text) = match is_ready {
        None => (StatusCode::OK, "ok\n".into()),
        Some(true) => match receiving.and_then(|receiving| receiving.problem()) {
            Some(problem) => (
                StatusCode::OK,
                format!("ready, but no deliveries: {problem}\n").into(),
            ),
            None => (StatusCode::OK, "ready\n".into()),
        },
        Some(false) => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n".into()),
    };
    recording.answered(status.as_u16(), None);
    let text: Cow<'_, str> = text;
    let mut response = Response::new(R::from(Bytes::from(text.into_owned())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
