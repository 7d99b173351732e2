//! The client of the groupware server, with its connection pool.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{StatusCode, Uri};
use quick_cache::sync::Cache;
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use tracing::debug;

use super::call::{Answer, Call};
use super::error::BoxError;
use super::known_apps::{ACCOUNTS, KnownApps};
use super::known_limit::KnownLimit;
use super::known_list::KnownList;
use super::{CallObserver, CallOutcome, Effect, EndedCall, GroupwareError, Reply, Route, notes};
use crate::causes::causes;
use crate::outbound::{self, CallError, HttpUrl, HttpUrlError, Pool, ReadError};
use crate::tls;
use crate::until::Until;

const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// How long the server's word that it counts no refused logins of this address is believed.
const ALLOW_LISTED_FOR: Duration = Duration::from_secs(600);

/// A client of the groupware server.
///
/// Cheap to clone: all clones share one connection pool, with HTTP/2 where TLS negotiates it.
#[derive(Clone, Debug)]
pub struct Groupware(pub(super) Arc<Inner>);

/// How a server is called.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientSettings {
    /// How long a call may take, including connecting, headers and body: 30 seconds by default (docs/API.md, section 8).
    pub timeout: Duration,
    /// Certificates that are trusted besides the system's roots; [`certificates`](outbound::certificates) reads them.
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
pub(super) struct Inner {
    pool: Pool,
    /// For what is forwarded.
    pub(super) streaming: Pool,
    url: HttpUrl,
    /// By [`Route`].
    uris: Vec<Uri>,
    pub(super) settings: ClientSettings,
    pub(super) known_apps: KnownApps,
    /// The logins that were found to be those of their accounts.
    pub(super) confirmed: Cache<[u8; 32], ()>,
    pub(super) known_limit: KnownLimit,
    pub(super) known_list: KnownList,
    is_allow_listed: Until,
}

// === impl Groupware ===

impl Groupware {
    /// A client of the server at `url` ([`HttpUrl::base`]). It does not connect before its first call.
    ///
    /// # Errors
    /// An invalid extra certificate, or a URL that is too long.
    pub fn new(url: HttpUrl, settings: ClientSettings) -> Result<Self, BuildError> {
        let tls = if url.is_https() {
            tls::config(tls::trusted_roots(), settings.extra_ca.clone())?
        } else {
            // No roots, so that the system's certificates are not read.
            tls::config(RootCertStore::empty(), [])?
        };
        let malformed = |_: http::Error| HttpUrlError::Malformed;
        let streaming = outbound::connector(tls.clone(), settings.timeout, false);
        let streaming = Pool::new(streaming, url.uri(), [], IDLE_TIMEOUT).map_err(malformed)?;
        let uris = Route::ALL.iter().map(|route| url.join(route.path()));
        let uris: Vec<_> = uris.collect::<Result<_, _>>().map_err(malformed)?;
        let pool = outbound::connector(tls, settings.timeout, true);
        let pool = Pool::new(pool, &uris[0], Call::fields(), IDLE_TIMEOUT).map_err(malformed)?;
        Ok(Self(Arc::new(Inner {
            pool,
            streaming,
            uris,
            url,
            settings,
            known_apps: KnownApps::new(),
            confirmed: Cache::new(ACCOUNTS),
            known_limit: KnownLimit::default(),
            known_list: KnownList::default(),
            is_allow_listed: Until::new(),
        })))
    }

    /// The address of the server.
    pub fn url(&self) -> &HttpUrl {
        &self.0.url
    }

    /// Whether the capabilities said lately that refused logins are not counted, and none has been throttled since.
    pub(crate) fn is_allow_listed(&self) -> bool {
        self.0.is_allow_listed.holds()
    }

    /// Takes in what capabilities say of the address that asked for them, which must be the gateway's own.
    pub(super) fn learn_allow_listed(&self, is_allow_listed: bool) {
        let time = is_allow_listed.then_some(ALLOW_LISTED_FOR);
        self.0.is_allow_listed.set(time.unwrap_or_default());
    }

    pub(super) fn call_of(&self, route: Route) -> Call {
        Call::new(route, self.0.uris[route as usize].clone())
    }

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
        // Boxed, to keep the enclosing futures small: they are moved more than once.
        let exchange = Box::pin(async {
            let may_repeat = route.method().is_safe();
            let complete = |begun| call.complete(begun);
            let is_conditional = call.if_none_match.is_some();
            let answer = pool.call(&call.uri, is_conditional, complete, may_repeat, limit);
            let answer = answer.await.map_err(|error| failed(error, after, limit))?;
            let (head, body) = answer.into_parts();
            Ok(Answer { route, status: head.status, headers: head.headers, body })
        });
        let remaining = after.saturating_sub(call.spent);
        let result = tokio::time::timeout(remaining, exchange).await;
        let result = result.unwrap_or(Err(GroupwareError::TimedOut(after, "groupware_timeout")));
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
            if matches!(error, GroupwareError::Throttled) {
                self.learn_allow_listed(false);
            }
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

/// Why an answer cannot be read as HTTP, if that is what failed.
pub(super) fn not_http(error: &CallError) -> Option<GroupwareError> {
    let reason = match error {
        CallError::Failed(error) if error.is_parse_too_large() => {
            "its head is too large, or has more than 100 fields"
        }
        CallError::Failed(error) if error.is_parse() => "it is not HTTP",
        CallError::NoHead => "it sent interim answers (1xx) without end",
        _ => return None,
    };
    Some(GroupwareError::unreadable(reason))
}

fn failed(error: CallError, after: Duration, limit: usize) -> GroupwareError {
    if let Some(error) = not_http(&error) {
        return error;
    }
    let error = match error {
        CallError::Body(ReadError::TooLarge) => return GroupwareError::TooLarge(limit),
        CallError::Body(ReadError::BrokenOff(error)) => {
            return GroupwareError::unreadable_by("it broke off", error);
        }
        error => BoxError::from(error),
    };
    let timed_out = causes(&*error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::TimedOut);
    let late = GroupwareError::TimedOut(after, "groupware_timeout");
    if timed_out { late } else { GroupwareError::Unreachable(error) }
}
