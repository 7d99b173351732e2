//! The receiver's half of an authenticated delivery (docs/API.md, section 4.5).

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use futures_util::future::Either;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderValue, Request, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tower::{Layer, Service};

use super::delivery::{DeliveryCredential, derive};
use crate::headers::only;
use crate::opaque::opaque_debug;

/// Passes on only deliveries with the expected `Authorization` field; others are answered 401.
///
/// The comparison takes constant time. The layer keeps a digest of the expected value, not the secret.
///
/// ```
/// use http::{Request, Response, StatusCode};
/// use portreeve::groupware::CheckDeliveryLayer;
/// use tower::{ServiceBuilder, ServiceExt as _, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// // The secret of the gateway, and the `uri` of the registration, byte for byte.
/// let check = CheckDeliveryLayer::derived(&"key".into(), "https://hooks.example.org/files");
/// let receiver = ServiceBuilder::new()
///     .layer(check)
///     .service(service_fn(async |_delivery: Request<String>| {
///         Ok::<_, std::convert::Infallible>(Response::new(String::new()))
///     }));
///
/// let forged = Request::post("/files").header("authorization", "Bearer guess");
/// let answer = receiver.oneshot(forged.body(String::new()).unwrap()).await.unwrap();
/// assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
/// # }
/// ```
#[derive(Clone)]
pub struct CheckDeliveryLayer {
    expected: [u8; 32],
}

// === impl CheckDeliveryLayer ===

impl CheckDeliveryLayer {
    /// Expects the value derived from `secret` for `uri`, the address exactly as registered.
    pub fn derived(secret: &SecretString, uri: &str) -> Self {
        Self::credential(&derive(secret, uri))
    }

    /// Expects the secret itself, as a receiver at one of the shared origins does.
    pub fn shared(secret: &SecretString) -> Self {
        Self::credential(&DeliveryCredential::bearer(secret.expose_secret()))
    }

    /// Expects `credential`, for a receiver that does not know the secret.
    pub fn credential(credential: &DeliveryCredential) -> Self {
        Self { expected: Sha256::digest(credential.expose()).into() }
    }
}

opaque_debug!(CheckDeliveryLayer);

impl<S> Layer<S> for CheckDeliveryLayer {
    type Service = CheckDelivery<S>;

    fn layer(&self, inner: S) -> CheckDelivery<S> {
        CheckDelivery { inner, check: self.clone() }
    }
}

/// The service of [`CheckDeliveryLayer`].
#[derive(Clone, Debug)]
pub struct CheckDelivery<S> {
    inner: S,
    check: CheckDeliveryLayer,
}

// === impl CheckDelivery ===

impl<S, ReqBody, ResBody> Service<Request<ReqBody>> for CheckDelivery<S>
where
    S: Service<Request<ReqBody>, Response = Response<ResBody>>,
    ResBody: Default,
{
    type Response = Response<ResBody>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<ResBody>, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<ReqBody>) -> Self::Future {
        let accepted = only(request.headers(), AUTHORIZATION).is_some_and(|field| {
            let digest: [u8; 32] = Sha256::digest(field).into();
            bool::from(digest.ct_eq(&self.check.expected))
        });
        if accepted {
            return Either::Left(self.inner.call(request));
        }
        let mut refusal = Response::new(ResBody::default());
        *refusal.status_mut() = StatusCode::UNAUTHORIZED;
        let scheme = HeaderValue::from_static("Bearer");
        refusal.headers_mut().insert(WWW_AUTHENTICATE, scheme);
        Either::Right(ready(Ok(refusal)))
    }
}
