//! `GET /healthz` and `GET /readyz`, for the supervisor of the process, and `GET /`: one sentence on what this
//! server is, for anyone who opens its address (docs/API.md, section 9).
//!
//! They need neither token nor shared key, and do not count against the in-flight limit. The probes say
//! nothing but yes or no. However many ask, the store is asked once at a time and once a second. Their lines in the log are at `DEBUG`. [`Gateway::into_service`](crate::gateway::Gateway::into_service) does
//! not include them, since an embedding server has probes of its own; a server of its own puts
//! this layer around it:
//!
//! ```
//! use portreeve::gateway::Gateway;
//! use portreeve::gateway::layer::probes::ProbeLayer;
//! # use portreeve::{gateway::IncompleteError, identity::TokenVerifier, vault::Vault};
//! use tower::ServiceBuilder;
//!
//! # fn example(verifier: impl TokenVerifier, vault: Vault) -> Result<(), IncompleteError> {
//! let mut probes = ProbeLayer::new(vault.clone());
//! probes.root = true;
//! let service = ServiceBuilder::new()
//!     .layer(probes)
//!     .service(Gateway::new(verifier, vault).into_service()?);
//! # fn is_service(_: impl tower::Service<http::Request<http_body_util::Empty<bytes::Bytes>>>) {}
//! # is_service(service);
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, HeaderMap, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tower::Layer;

use super::fixed::{Answer, Answers, Fixed, now};
use super::record::Recording;
use super::request_id::{X_REQUEST_ID, set_id};
use crate::gateway::endpoint::answer::of_kind;
use crate::gateway::known::Known;
use crate::gateway::receiving::Receiving;
use crate::gateway::{Endpoint, RequestObserver, Shared};
use crate::vault::Vault;

/// How long an answer of the store counts.
const REMEMBERED_FOR: Duration = Duration::from_secs(1);

const JSON: &str = r#"{"message":"This is Portreeve, a gateway to a Nextcloud for programs that bring a bearer token; its API begins at /api/v1."}"#;
const PAGE: &str = "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Portreeve</title>\n\
    <p>This is Portreeve, a gateway to a Nextcloud for programs that bring a bearer token; \
    its API begins at <code>/api/v1</code>.</p>\n\
    <p><a href=\"readyz\">Is it ready?</a> <a href=\"api/v1/status\">What it offers</a></p>\n";

/// Answers the probes.
#[derive(Clone, Debug)]
pub struct ProbeLayer {
    /// Whether `/` is answered, too, in JSON or, to browsers, with a page; not by default.
    pub root: bool,
    /// With that of the gateway, it is also said when and why the last delivery was refused, if it was; the answer is
    /// still 200.
    pub shared: Option<Shared>,
    /// Each probe is reported to it.
    pub observer: Option<Arc<dyn RequestObserver>>,
    readiness: Readiness,
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
            root: false,
            shared: None,
            observer: None,
            readiness: Readiness { vault, last: Arc::default() },
        }
    }
}

impl<S> Layer<S> for ProbeLayer {
    type Service = Fixed<S, Self>;

    fn layer(&self, inner: S) -> Self::Service {
        let answers = self.clone();
        Fixed { inner, answers }
    }
}

impl Answers for ProbeLayer {
    fn answer<B>(&self, request: &mut Request<B>) -> Option<Answer> {
        let endpoint = Known::find(request).endpoint;
        if !(endpoint.is_probe() || self.root && request.uri().path() == "/") {
            return None;
        }
        let id = set_id(request.headers_mut());
        let with_id = |mut answer: Response<Bytes>| {
            answer.headers_mut().insert(X_REQUEST_ID, id);
            answer
        };
        let known = match *request.method() {
            Method::GET | Method::HEAD if endpoint.is_probe() => None,
            Method::GET | Method::HEAD => Some(root(request.headers())),
            _ => Some(Endpoint::Healthz.method_not_allowed().to_response()),
        };
        let mut recording = Recording::new(request, self.observer.iter().cloned().collect());
        if let Some(answer) = known {
            recording.answered(answer.status().as_u16());
            return now(with_id(answer));
        }
        let readiness = (endpoint == Endpoint::Readyz).then(|| self.readiness.clone());
        let receiving = self.shared.as_ref().map(|shared| shared.receiving.clone());
        Some(Box::pin(async move {
            let answer = with_id(probe(readiness, receiving).await);
            recording.answered(answer.status().as_u16());
            answer
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
async fn probe(readiness: Option<Readiness>, receiving: Option<Receiving>) -> Response<Bytes> {
    let Some(readiness) = readiness else {
        return of_kind("text/plain", "ok\n");
    };
    if !readiness.ask().await {
        let mut answer = of_kind("text/plain", "not ready\n");
        *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return answer;
    }
    match receiving.and_then(|receiving| receiving.refused()) {
        Some((at, reason)) => {
            let at = humantime::format_rfc3339_seconds(at);
            let text = format!("ready, but the last delivery was refused at {at}: {reason}\n");
            of_kind("text/plain", text)
        }
        None => of_kind("text/plain", "ready\n"),
    }
}

fn root(headers: &HeaderMap) -> Response<Bytes> {
    let has_html = |kinds: &HeaderValue| kinds.to_str().is_ok_and(|it| it.contains("text/html"));
    let is_page = headers.get_all(ACCEPT).iter().any(has_html);
    if is_page { of_kind("text/html", PAGE) } else { of_kind("application/json", JSON) }
}
