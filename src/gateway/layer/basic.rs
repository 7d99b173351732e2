//! Sends the requests at the paths that take HTTP Basic to a service of their own (docs/API.md, section 10.4).
//!
//! There a user, or the front end, brings an app password in the `Authorization` field: it is what the request is
//! about, and what authenticates it. This layer reads it into an [`Unverified`] request, which says what
//! it is: nobody has checked the password yet. The field is removed. All other requests go on down the stack, where the
//! bearer layer refuses HTTP Basic.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::{BoxFuture, Either};
use http::header::AUTHORIZATION;
use http::{HeaderMap, Request};
use tokio::sync::Semaphore;
use tower::Service;
use zeroize::Zeroizing;

use super::fairness::HasCaller;
use crate::gateway::path::decode_form;
use crate::gateway::{Endpoint, Error};
use crate::headers::only;
use crate::names::check_user_id;
use crate::vault::AppPassword;

/// A request with a user id and an app password. Whether the password is this user's is not checked yet.
///
/// Only [`ReadBasic`] makes one.
#[derive(Debug)]
pub(crate) struct Unverified<R> {
    user_id: Box<str>,
    password: AppPassword,
    request: R,
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub(crate) struct ReadBasic<S, C> {
    pub(crate) inner: S,
    /// Gets the requests with HTTP Basic, as many at once as there are permits: they are not authenticated yet, and must
    /// not use up the limit of all requests.
    pub(crate) unverified: C,
    pub(crate) in_flight: Arc<Semaphore>,
}

// === impl Unverified ===

impl<R> Unverified<R> {
    /// The user id, the password and the request, without its `Authorization` field.
    pub(crate) fn into_parts(self) -> (Box<str>, AppPassword, R) {
        (self.user_id, self.password, self.request)
    }
}

impl<R> HasCaller for Unverified<R> {
    fn caller_key(&self) -> &str {
        &self.user_id
    }
}

impl<B> Unverified<Request<B>> {
    fn read(mut request: Request<B>) -> Result<Self, Error> {
        let credentials = basic_credentials(request.headers())?;
        request.headers_mut().remove(AUTHORIZATION);
        let endpoint = Endpoint::from_request(&request);
        let user_id = decode_form(endpoint.parameter(request.uri().path()))?;
        check_user_id(&user_id).map_err(|_| Error::InvalidUserId)?;
        let password = password(&credentials, &user_id)?;
        Ok(Self { user_id, password, request })
    }
}

// === impl ReadBasic ===

impl<S, C, B> Service<Request<B>> for ReadBasic<S, C>
where
    S: Service<Request<B>, Error: From<Error> + 'static>,
    C: Service<Unverified<Request<B>>, Response = S::Response, Error = Error>,
    C::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    /// The future at these paths is boxed: compared with the endpoint's calls, an allocation is cheap.
    type Future = Either<S::Future, BoxFuture<'static, Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        ready!(self.unverified.poll_ready(cx))?;
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if !Endpoint::from_request(&request).takes_basic() {
            return Either::Left(self.inner.call(request));
        }
        let permit = self.in_flight.clone().try_acquire_owned();
        let permit = permit.map_err(|_| Error::Overloaded);
        let called = permit.and_then(|permit| {
            let unverified = Unverified::read(request)?;
            Ok((self.unverified.call(unverified), permit))
        });
        Either::Right(Box::pin(async {
            // The permit is held until the future is dropped.
            let (future, _permit) = called?;
            Ok(future.await?)
        }))
    }
}

/// The user-pass of the one `Authorization` field: scheme without regard to case, one or more
/// spaces, base64 (RFC 7617, section 2).
fn basic_credentials(headers: &HeaderMap) -> Result<Zeroizing<String>, Error> {
    let field = only(headers, AUTHORIZATION).ok_or(Error::MissingBasic)?;
    let field = str::from_utf8(field.as_bytes()).map_err(|_| Error::MalformedBasic)?;
    let (scheme, encoded) = field.split_once(' ').ok_or(Error::MissingBasic)?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return Err(Error::MissingBasic);
    }
    // Allocated once: a growing buffer would leave copies behind.
    let mut decoded = Zeroizing::new(Vec::with_capacity(encoded.len()));
    STANDARD.decode_vec(encoded.trim_ascii(), &mut decoded).map_err(|_| Error::MalformedBasic)?;
    let text = std::str::from_utf8(&decoded).map_err(|_| Error::MalformedBasic)?;
    Ok(Zeroizing::new(text.to_owned()))
}

/// The password in `credentials`, if they name `user_id`. An account id may contain a colon, so the name
/// is compared, and not split off at the first one.
fn password(credentials: &str, user_id: &str) -> Result<AppPassword, Error> {
    if !credentials.contains(':') {
        return Err(Error::MalformedBasic);
    }
    let rest = credentials.strip_prefix(user_id).ok_or(Error::OtherUser)?;
    let password = rest.strip_prefix(':').ok_or(Error::OtherUser)?;
    AppPassword::new(password).map_err(Error::InvalidBasicPassword)
}
