//! The client of the groupware server, with its connection pool.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{StatusCode, Uri};
use hyper_rustls::HttpsConnectorBuilder;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use tracing::debug;

use super::call::{Answer, Call};
use super::error::BoxError;
use super::known_apps::KnownApps;
use super::known_limit::KnownLimit;
use super::{CallObserver, CallOutcome, Effect, EndedCall, GroupwareError, Reply, Route, notes};
use crate::causes::causes;
use crate::outbound::{self, CallError, HttpUrl, HttpUrlError, Pool, ReadError, Repeat};
use crate::tls;

/// The path of the registrations, with the query that each call has.
pub(super) const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks?format=json";

/// How long idle connections are kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// A client of the groupware server.
///
/// Cheap to clone: all clones share one connection pool, with HTTP/2 where TLS negotiates it.
#[derive(Clone, Debug)]
pub struct Groupware(Arc<Inner>);

/// How a server is called.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientSettings {
    /// How long a call may take, including connecting, headers and body: 30 seconds by default
    /// (docs/API.md, section 8).
    pub timeout: Duration,
    /// Certificates that are trusted in addition to the system's roots; [`certificates`](outbound::certificates)
    /// reads them.
    pub extra_ca: Vec<CertificateDer<'static>>,
    /// Maximum size of an answer's body, in bytes: 8 MiB by default.
    pub max_body: usize,
    /// Notified of each call.
    pub observer: Option<Arc<dyn CallObserver>>,
}

// === impl ClientSettings ===

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(30),
            extra_ca: Vec::new(),
            max_body: 8 * 1024 * 1024,
            observer: None,
        }
    }
}

#[derive(Debug)]
struct Inner {
    pool: Pool,
    url: HttpUrl,
    routes: Routes,
    settings: ClientSettings,
    known_apps: KnownApps,
    known_limit: KnownLimit,
}

// === impl Groupware ===

impl Groupware {
    /// A client of the server at `url` ([`HttpUrl::base`]). It does not connect before its first call.
    ///
    /// # Errors
    /// An invalid extra certificate, or a URL that is too long.
    pub fn new(url: HttpUrl, settings: ClientSettings) -> Result<Self, BuildError> {
        let tcp = outbound::tcp_connector(settings.timeout);
        let connector = if url.is_https() {
            let tls = tls::config(tls::trusted_roots(), settings.extra_ca.clone())?;
            HttpsConnectorBuilder::new()
                .with_tls_config(tls)
                .https_only()
                .enable_all_versions()
                .wrap_connector(tcp)
        } else {
            // No roots, so that the system's certificates are not read.
            let tls = tls::config(RootCertStore::empty(), [])?;
            HttpsConnectorBuilder::new()
                .with_tls_config(tls)
                .https_or_http()
                .enable_http1()
                .wrap_connector(tcp)
        };
        let routes = Routes::below(&url)?;
        let pool = Pool::new(connector, &routes.user, Call::fields(), IDLE_TIMEOUT);
        let pool = pool.map_err(|_| HttpUrlError::Malformed)?;
        Ok(Self(Arc::new(Inner {
            pool,
            routes,
            url,
            settings,
            known_apps: KnownApps::new(),
            known_limit: KnownLimit::default(),
        })))
    }

    /// The address of the server.
    pub fn url(&self) -> &HttpUrl {
        &self.0.url
    }

    pub(super) fn known_apps(&self) -> &KnownApps {
        &self.0.known_apps
    }

    pub(super) fn known_limit(&self) -> &KnownLimit {
        &self.0.known_limit
    }

    pub(super) fn routes(&self) -> &Routes {
        &self.0.routes
    }

    /// Makes one request, and reads the answer with `read`.
    pub(super) async fn call<T>(
        &self,
        call: &Call,
        read: impl FnOnce(Answer) -> Reply<T>,
    ) -> Reply<T> {
        let began = Instant::now();
        let answer = self.exchange(call).await;
        let success = match &answer {
            // A login flow that is not granted.
            Ok(answer) if answer.status == StatusCode::NOT_FOUND => Effect::NotDone,
            _ => Effect::Done,
        };
        let reply = answer.map_or_else(Reply::failed, read);
        self.ended(call.route, began, reply.result.as_ref().err(), success);
        reply
    }

    /// Makes one request and reads the whole answer, within the timeout and the size limit.
    async fn exchange(&self, call: &Call) -> Result<Answer, GroupwareError> {
        let Inner { pool, settings, .. } = &*self.0;
        let (after, limit) = (settings.timeout, settings.max_body);
        let route = call.route;
        let exchange = async {
            let repeat = Repeat::for_method(&route.method());
            let complete = |begun| call.complete(begun);
            let answer = pool.call(&call.uri, complete, repeat, limit).await;
            let answer = answer.map_err(|error| failed(error, after, limit))?;
            let (head, body) = answer.into_parts();
            Ok(Answer {
                route,
                status: head.status,
                headers: head.headers,
                body,
            })
        };
        // Boxed, to keep the enclosing futures small: they are moved more than once.
        let result = match tokio::time::timeout(after, Box::pin(exchange)).await {
            Ok(result) => result,
            Err(_) => Err(GroupwareError::TimedOut { after }),
        };
        if let Ok(answer) = &result {
            debug!(
                route = route.as_str(),
                status = answer.status.as_u16(),
                bytes = answer.body.len(),
                "groupware server answered"
            );
        }
        result
    }

    /// Reports a call that has ended, with `error` if it failed, and the effect `success` if not.
    fn ended(&self, route: Route, began: Instant, error: Option<&GroupwareError>, success: Effect) {
        let effect = error.map_or(success, GroupwareError::effect);
        let ended = EndedCall {
            route,
            outcome: error.map_or(CallOutcome::Ok, CallOutcome::from_error),
            effect: Route::WRITES.contains(&route).then_some(effect),
            time: began.elapsed(),
        };
        notes::record_call(ended.time);
        if let Some(observer) = &self.0.settings.observer {
            observer.call_ended(&ended);
        }
        if let Some(error) = error {
            debug!(
                route = route.as_str(),
                error = error as &(dyn std::error::Error + 'static),
                "call of the groupware server failed"
            );
        }
    }
}

/// Why a client could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The address is not acceptable.
    #[error(transparent)]
    Url(#[from] HttpUrlError),
    /// An extra certificate cannot be a trust anchor.
    #[error("an extra certificate cannot be used")]
    Certificate(#[from] rustls::Error),
}

/// The addresses of the calls, built once.
#[derive(Debug)]
pub(super) struct Routes {
    pub(super) capabilities: Uri,
    pub(super) webhooks: Uri,
    pub(super) user: Uri,
    pub(super) app_password: Uri,
    pub(super) login_flow: Uri,
    pub(super) status: Uri,
}

// === impl Routes ===

impl Routes {
    fn below(url: &HttpUrl) -> Result<Self, HttpUrlError> {
        let route = |path| url.join(path).map_err(|_| HttpUrlError::Malformed);
        Ok(Self {
            capabilities: route("/ocs/v2.php/cloud/capabilities?format=json")?,
            webhooks: route(WEBHOOKS)?,
            user: route("/ocs/v2.php/cloud/user?format=json")?,
            app_password: route("/ocs/v2.php/core/apppassword?format=json")?,
            login_flow: route("/index.php/login/v2")?,
            status: route("/status.php")?,
        })
    }
}

/// The error of a request that got no complete answer.
fn failed(error: CallError, after: Duration, limit: usize) -> GroupwareError {
    let error = match error {
        CallError::Body(error) => return broken(error, limit),
        CallError::Failed(error) if error.is_parse() => {
            return GroupwareError::unreadable("it is not HTTP");
        }
        CallError::NoHead => {
            return GroupwareError::unreadable("it sent interim answers (1xx) without end");
        }
        error => BoxError::from(error),
    };
    let timed_out = causes(&*error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::TimedOut);
    if timed_out {
        GroupwareError::TimedOut { after }
    } else {
        GroupwareError::Unreachable(error)
    }
}

/// The error of an answer that could not be read to its end.
fn broken(error: ReadError, limit: usize) -> GroupwareError {
    match error {
        ReadError::TooLarge => GroupwareError::TooLarge { limit },
        ReadError::BrokenOff(error) => GroupwareError::Unreadable {
            reason: "it broke off",
            source: Some(error),
        },
    }
}
