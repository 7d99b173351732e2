//! Asks for the key that a front end shares with this gateway (specification, section 5 rule 5).
//!
//! It stands before the bearer layer: whoever does not know the key learns nothing about tokens.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use http::{HeaderMap, HeaderName, Request};
use secrecy::{ExposeSecret, SecretString};
use std::future::{Ready, ready};
use subtle::ConstantTimeEq;
use tower::{Layer, Service};

use crate::gateway::Error;

/// The header that carries the key.
pub const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Makes [`CheckSharedKey`] services.
#[derive(Clone, Debug)]
pub struct SharedKeyLayer {
    key: Option<Arc<SecretString>>,
}

impl SharedKeyLayer {
    /// Every request must carry `key` in `X-API-Key`; with `None` all pass.
    pub fn new(key: Option<SecretString>) -> Self {
        Self {
            key: key.map(Arc::new),
        }
    }
}

impl<S> Layer<S> for SharedKeyLayer {
    type Service = CheckSharedKey<S>;

    fn layer(&self, inner: S) -> Self::Service {
        CheckSharedKey {
            inner,
            key: self.key.clone(),
        }
    }
}

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct CheckSharedKey<S> {
    inner: S,
    key: Option<Arc<SecretString>>,
}

impl<S, B> Service<Request<B>> for CheckSharedKey<S>
where
    S: Service<Request<B>, Error = Error>,
{
    type Response = S::Response;
    type Error = Error;
    type Future = Either<S::Future, Ready<Result<S::Response, Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        match &self.key {
            Some(key) if !carries(request.headers(), key) => {
                Either::Right(ready(Err(Error::SharedKey)))
            }
            _ => Either::Left(self.inner.call(request)),
        }
    }
}

/// Whether the one `X-API-Key` field is `key`. Two fields are none: whichever of them a proxy
/// before this gateway looked at, it may be the other one.
fn carries(headers: &HeaderMap, key: &SecretString) -> bool {
    let mut fields = headers.get_all(X_API_KEY).iter();
    match (fields.next(), fields.next()) {
        (Some(field), None) => field
            .as_bytes()
            .ct_eq(key.expose_secret().as_bytes())
            .into(),
        _ => false,
    }
}
