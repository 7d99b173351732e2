//! Forwards requests, and leaves all others to the service below.
//!
//! What is forwarded, and what of it is sent, is decided by the [rules](super::decide) before anything else: nothing is
//! read of a body, and no password is opened, for a request that they refuse.

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either, ErrInto, FutureExt as _, TryFutureExt as _};
use http::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, USER_AGENT,
};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, Uri};
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::time::{sleep, timeout};
use tower::{BoxError, Layer, Service};

use super::path::Path;
use super::progress::{Presence, Progress, Received, Sent, at_once};
use super::{
    Body as BodyRule, Context as Circumstances, FINITE_DEPTH, Family, Forward, Forwarded,
    MAX_CHECKED, Needs, Refused, Server, check_xml, decide, discovery, routes, to_caller,
};
use crate::gateway::known::Known;
use crate::gateway::layer::account::Authenticated;
use crate::gateway::layer::fairness::PerCallerLimitLayer;
use crate::gateway::layer::request_id::X_REQUEST_ID;
use crate::gateway::{AnswerBody, ClientAddress, Endpoint, Error, Logins, Settings, Shared};
use crate::groupware::{Access, Groupware, GroupwareError, LoginEvidence, Reply};
use crate::opaque::opaque_debug;
use crate::outbound::{AnswerMemory, HttpUrl, ReadError, ReceivedBody, SentBody, read_body};
use crate::vault::Credential;

/// Up to this size, in bytes, a body is read before the call and kept, so that the call can be made again with the other
/// scheme of login. A larger one goes through once.
const KEPT: u64 = 64 * 1024;

/// Longer times are as good as none, and instants end.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// How much longer than others a call may take that waits for something to happen.
const LONG_POLL: Duration = Duration::from_secs(60);

/// Makes [`Forwarding`] services.
#[derive(Clone, Debug)]
pub struct ForwardLayer {
    /// `None` if nothing is forwarded.
    pub(crate) rules: Option<Arc<Rules>>,
}

/// A service that forwards what is opened.
#[derive(Clone, Debug)]
pub struct Forwarding<S> {
    inner: S,
    rules: Option<Arc<Rules>>,
}

/// What is forwarded, where to, as whom, and for how long.
pub(crate) struct Rules {
    pub(crate) forward: Forward,
    pub(crate) server: Server,
    pub(crate) scope_prefix: Box<str>,
    pub(crate) groupware: Groupware,
    pub(crate) logins: Logins,
    pub(crate) places: PerCallerLimitLayer,
    pub(crate) client_address: ClientAddress,
    /// From the end of a request's body to the head of its answer.
    pub(crate) patience: Duration,
    /// For bodies that are read.
    pub(crate) memory: AnswerMemory,
}

/// The body of a request, for each call that is made.
enum Outgoing<B> {
    Kept(Bytes),
    Once(Option<B>),
}

// === impl ForwardLayer ===

impl ForwardLayer {
    /// Forwards what [`Settings::forward`] opens to `groupware`, with the stored passwords and the state of logins of
    /// `shared`, and leaves all other requests to the service below.
    pub fn new(settings: &Settings, groupware: &Groupware, shared: &Shared) -> Self {
        Self { rules: Rules::new(settings, groupware, shared).map(Arc::new) }
    }
}

impl<S> Layer<S> for ForwardLayer {
    type Service = Forwarding<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Forwarding { inner, rules: self.rules.clone() }
    }
}

// === impl Forwarding ===

impl<S, B> Service<Authenticated<Request<B>>> for Forwarding<S>
where
    S: Service<Authenticated<Request<B>>, Response = Response<AnswerBody>, Error: From<Error>>,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response<AnswerBody>;
    type Error = S::Error;
    type Future =
        Either<S::Future, ErrInto<BoxFuture<'static, Result<Self::Response, Error>>, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Authenticated<Request<B>>) -> Self::Future {
        let is_concerned = |rules: &Arc<Rules>| {
            let endpoint = Endpoint::from_request(request.request());
            endpoint.is_forwarded()
                || endpoint == Endpoint::Other && rules.concern(request.request().uri().path())
        };
        match &self.rules {
            Some(rules) if is_concerned(rules) => {
                Either::Right(rules.clone().forward(request).boxed().err_into())
            }
            _ => Either::Left(self.inner.call(request)),
        }
    }
}

// === impl Rules ===

impl Rules {
    /// `None` if nothing is to be forwarded.
    pub(crate) fn new(settings: &Settings, groupware: &Groupware, shared: &Shared) -> Option<Self> {
        let mut forward = settings.forward.clone()?;
        forward.stall_timeout = forward.stall_timeout.min(FOREVER);
        let report =
            |fault| tracing::error!(fault, "nothing is forwarded: groupware_url has no plain path");
        Some(Self {
            forward,
            server: server(groupware.url(), settings).map_err(report).ok()?,
            scope_prefix: settings.scope_prefix.clone().unwrap_or_default(),
            groupware: groupware.clone(),
            logins: shared.logins.clone(),
            places: shared.forwarded.clone(),
            client_address: settings.client_address.clone(),
            patience: settings.request_timeout.min(FOREVER),
            memory: AnswerMemory::new(),
        })
    }

    /// The family whose path it is, if anything of that is opened: what can be known before the account is.
    pub(crate) fn family_at(&self, path: &str) -> Option<Family> {
        let path = Path::parse(path).ok()?;
        let route = routes::at(self.server.below(&path)?, None)?;
        let is_open = |family: &Family| self.forward.opened.has_some_of(*family);
        let finds =
            || [Family::Files, Family::Calendar, Family::Contacts].into_iter().find(is_open);
        route.family.or_else(finds).filter(is_open)
    }

    /// Whether a path that is no endpoint's has to be answered here, if only with what is wrong with it.
    fn concern(&self, path: &str) -> bool {
        let is_discovery = || discovery(path, self.forward.opened, &self.server).is_some();
        Path::parse(path).is_err() || is_discovery() || self.family_at(path).is_some()
    }

    async fn forward<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static>(
        self: Arc<Self>,
        request: Authenticated<Request<B>>,
    ) -> Result<Response<AnswerBody>, Error> {
        let (principal, request) = request.into_parts();
        let user_id = principal.require_user()?.user_id();
        let client_address = self.client_address.resolve(&request);
        let (head, body) = request.into_parts();
        // What has been dropped by the end of this block takes no room while the call is made.
        let (progress, needs, is_write, long_poll, mut body, request) = {
            let (server, opened) = (&self.server, self.forward.opened);
            let circumstances = Circumstances { server, opened, user_id, caller_host: host(&head) };
            let scopes = principal.scopes_without(&self.scope_prefix);
            let forwarded = match judge(&head, &circumstances, scopes, &self.scope_prefix) {
                Ok(forwarded) => forwarded,
                Err(Error::NotForwarded(refused)) => return refusal(refused),
                Err(error) => return Err(error),
            };
            let progress = Progress::new(self.places.enter(user_id).ok_or(Error::TooManyOfCaller)?);
            let body = self.take(body, &forwarded, &circumstances, &progress).await?;
            let Forwarded { needs, path_and_query, headers, is_write, long_poll, .. } = forwarded;
            let mut request = request_for(path_and_query.into(), head.method, headers);
            let headers = request.headers_mut();
            for name in [HOST, USER_AGENT, AUTHORIZATION] {
                // What each call sets: the clone that it is made of has no room for more.
                headers.insert(name, HeaderValue::from_static(""));
            }
            let known = head.extensions.get::<Known>();
            if let Some(id) = known.and_then(|known| known.request_id.clone()) {
                headers.insert(X_REQUEST_ID, id);
            }
            // The client would not say it of an empty body, and a server may ask for it.
            if let Outgoing::Kept(bytes) = &body
                && head.headers.contains_key(CONTENT_LENGTH)
                && forwarded.body != BodyRule::None
            {
                headers.insert(CONTENT_LENGTH, bytes.len().into());
            }
            (progress, needs, is_write, long_poll, body, Arc::new(request))
        };
        let patience = self.patience + if long_poll { LONG_POLL } else { Duration::ZERO };
        let stall = self.forward.stall_timeout;
        let _is_here = Presence(progress.clone());
        let in_use = self.logins.inner.users.acquire(user_id);
        let mut call = |access: Access| {
            let (request, sent) = (request.clone(), body.take(&progress));
            let (progress, in_use) = (progress.clone(), in_use.clone());
            // Boxed, since it is moved more than once.
            Box::pin(async move {
                let body = sent.ok_or(Error::BodyIsGone)?;
                let too_late = progress.too_late(stall, patience, in_use.is_awaited());
                let reply = access.forward(&request, body, !is_write, stall, too_late).await;
                progress.end();
                let login = reply.login;
                let error = |fault| match login {
                    LoginEvidence::Refused => Error::Suspended,
                    _ if progress.has_failed() => Error::UnreadableBody("it broke off".into()),
                    _ => unanswered(fault, is_write),
                };
                Ok(Reply { result: reply.result.map_err(error), login })
            })
        };
        // As the user limited the very password that the call is made with.
        let may_use = |credential: &Credential| match credential.scopes() {
            None => Ok(()),
            Some(limit) => {
                let scopes = principal.scopes_without(&self.scope_prefix);
                let both = scopes.filter(|scope| limit.contains(scope));
                check(&needs, both, &self.scope_prefix).map_err(Error::LimitedByUser)
            }
        };
        let (logins, groupware) = (&self.logins, &self.groupware);
        let answered = logins.use_stored(user_id, groupware, client_address, may_use, &mut call);
        let mut answered = pin!(answered);
        let mut waited = None;
        let answered = poll_fn(|cx| match answered.as_mut().poll(cx) {
            // The login waits for others: before the call, or before the same with the other scheme.
            Poll::Pending if !progress.is_called() => {
                let waited = waited.get_or_insert_with(|| Box::pin(sleep(patience)));
                waited.as_mut().poll(cx).map(|()| Err(Error::Timeout))
            }
            answered => {
                waited = None;
                answered
            }
        });
        self.answer(answered.await?, is_write, progress.clone()).await
    }

    /// Reads and checks what has to be known of a body before anything is sent.
    async fn take<B: Body<Data: Send, Error: Into<BoxError>>>(
        &self,
        body: B,
        forwarded: &Forwarded,
        circumstances: &Circumstances<'_>,
        progress: &Progress,
    ) -> Result<Outgoing<B>, Error> {
        match forwarded.body {
            BodyRule::None => Ok(Outgoing::Kept(Bytes::new())),
            BodyRule::Check(family) => {
                let read = timeout(self.patience, self.read(body, MAX_CHECKED, progress));
                let body = read.await.map_err(|_| Error::Timeout)??;
                if !body.is_empty() {
                    check_xml(&body, family, circumstances)?;
                }
                Ok(Outgoing::Kept(body))
            }
            BodyRule::Stream if body.size_hint().exact().is_some_and(|it| it <= KEPT) => {
                Ok(Outgoing::Kept(self.read(body, KEPT as usize, progress).await?))
            }
            BodyRule::Stream => Ok(Outgoing::Once(Some(body))),
        }
    }

    async fn read(
        &self,
        body: impl Body<Data: Send, Error: Into<BoxError>>,
        limit: usize,
        progress: &Progress,
    ) -> Result<Bytes, Error> {
        let body = Sent::new(body, progress.clone());
        let late = progress.too_late(self.forward.stall_timeout, self.patience, pending());
        let read = tokio::select! {
            read = read_body(body, limit, &self.memory) => read,
            late = late => return Err(Error::ForwardedRead(late)),
        };
        match read {
            Err(ReadError::TooLarge) => Err(Error::PayloadTooLarge(limit)),
            Err(ReadError::BrokenOff(error)) => Err(Error::UnreadableBody(error)),
            Ok(bytes) => Ok(bytes),
        }
    }

    async fn answer(
        &self,
        response: Response<ReceivedBody>,
        is_write: bool,
        progress: Progress,
    ) -> Result<Response<AnswerBody>, Error> {
        let (head, mut body) = response.into_parts();
        let elsewhere = || unanswered(GroupwareError::Redirected(head.status), is_write);
        let headers = to_caller(&head, &self.server).ok_or_else(elsewhere)?;
        let stall = self.forward.stall_timeout;
        let body = match at_once(&mut body).await {
            Ok(whole) => whole.into(),
            Err(ahead) => AnswerBody::streamed(Received::new(body, ahead, stall, progress)),
        };
        let mut answer = Response::new(body);
        *answer.status_mut() = head.status;
        *answer.headers_mut() = headers;
        Ok(answer)
    }
}

fn unanswered(fault: GroupwareError, is_write: bool) -> Error {
    if is_write { Error::ForwardedWrite(fault.into()) } else { Error::ForwardedRead(fault) }
}

/// The server at `url`, as callers may name it and the gateway.
pub(super) fn server(url: &HttpUrl, settings: &Settings) -> Result<Server, &'static str> {
    let names = [&settings.public_url, &settings.groupware_public_url].into_iter().flatten();
    Ok(Server::new(&url.origin(), url.path())?.behind(names.map(HttpUrl::origin)))
}

/// How the caller addresses the gateway.
pub(super) fn host(head: &Parts) -> Option<&str> {
    let field = || head.headers.get(HOST)?.to_str().ok();
    head.uri.authority().map(|it| it.as_str()).or_else(field)
}

/// What is sent for a request, if what is opened and the `scopes` of its token, without their `prefix`, allow it.
pub(super) fn judge<'a>(
    request: &Parts,
    circumstances: &Circumstances<'_>,
    scopes: impl Iterator<Item = &'a str>,
    prefix: &str,
) -> Result<Forwarded, Error> {
    let forwarded = decide(request, circumstances).map_err(|refused| match refused {
        // As for any other path.
        Refused::NotOpened => Error::UnknownPath,
        Refused::Method(allowed) => Error::MethodNotAllowed(allowed.into()),
        refused => refused.into(),
    })?;
    check(&forwarded.needs, scopes, prefix).map_err(Error::InsufficientScope)?;
    Ok(forwarded)
}

/// Checks that `scopes` have what a request `needs`; the error is what they lack, as the identity provider names it.
fn check<'a>(
    needs: &Needs,
    scopes: impl Iterator<Item = &'a str>,
    prefix: &str,
) -> Result<(), String> {
    let missing = needs.missing(scopes);
    let names = || missing.iter().map(|scope| format!("{prefix}{scope}")).collect::<Vec<_>>();
    if missing.is_empty() { Ok(()) } else { Err(names().join(" ")) }
}

/// The request for `uri`, without what the gateway adds.
pub(super) fn request_for(uri: Uri, method: Method, fields: HeaderMap) -> Request<()> {
    let mut request = Request::new(());
    *request.uri_mut() = uri;
    *request.method_mut() = method;
    *request.headers_mut() = fields;
    request
}

/// An error like all others, but where clients understand a precondition.
fn refusal(refused: Refused) -> Result<Response<AnswerBody>, Error> {
    if refused != Refused::Depth {
        return Err(refused.into());
    }
    let answer = Response::builder().status(StatusCode::FORBIDDEN);
    let answer = answer.header(CONTENT_TYPE, "application/xml; charset=utf-8");
    let body = AnswerBody::from(Bytes::from_static(FINITE_DEPTH.as_bytes()));
    answer.body(body).map_err(|error| Error::Other(error.into()))
}

opaque_debug!(Rules);

// === impl Outgoing ===

impl<B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static> Outgoing<B> {
    /// The body for one more call, which begins; `None` if it cannot be had again.
    fn take(&mut self, progress: &Progress) -> Option<SentBody> {
        let body = match self {
            Self::Kept(bytes) => SentBody::Left(bytes.clone().into()),
            Self::Once(body) => {
                SentBody::Right(Sent::new(body.take()?, progress.clone()).boxed_unsync())
            }
        };
        progress.begin(matches!(self, Self::Kept(_)));
        Some(body)
    }
}
