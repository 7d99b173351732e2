//! The receiver's half of a signed delivery (docs/API.md, section 12.3).

use std::error::Error;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use tower::{Layer, Service};

use super::WebhookSecret;

/// The most bytes of a delivery, as [`CheckSignatureLayer`] takes them.
const MAX_DELIVERY: usize = 1 << 20;

/// Passes on only deliveries that are signed with one of some secrets by the rules of Standard Webhooks, as
/// those to the targets of a gateway are; all others are answered 401 and never reach the inner service.
///
/// It reads the body, up to 1 MiB (a longer one is answered 413), and passes it on in one piece. While the secret
/// of a target is being replaced, deliveries have a signature of each: give it any of the secrets in force.
///
/// ```
/// use bytes::Bytes;
/// use http::{Request, Response, StatusCode};
/// use http_body_util::Full;
/// use portreeve::groupware::{CheckSignatureLayer, WebhookSecret};
/// use tower::{ServiceBuilder, ServiceExt as _, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let secret: WebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
/// let receiver = ServiceBuilder::new()
///     .layer(CheckSignatureLayer::new([secret]))
///     .service(service_fn(async |_delivery: Request<Full<Bytes>>| {
///         Ok::<_, std::convert::Infallible>(Response::new(String::new()))
///     }));
///
/// let forged = Request::post("/files").header("webhook-id", "guess");
/// let forged = forged.body(Full::<Bytes>::default()).unwrap();
/// let answer = receiver.oneshot(forged).await.unwrap();
/// assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CheckSignatureLayer(Arc<[WebhookSecret]>);

// === impl CheckSignatureLayer ===

impl CheckSignatureLayer {
    /// Expects a signature with one of `secrets`.
    pub fn new(secrets: impl IntoIterator<Item = WebhookSecret>) -> Self {
        Self(secrets.into_iter().collect())
    }
}

impl<S> Layer<S> for CheckSignatureLayer {
    type Service = CheckSignature<S>;

    fn layer(&self, inner: S) -> CheckSignature<S> {
        CheckSignature { inner, secrets: self.0.clone() }
    }
}

/// The service of [`CheckSignatureLayer`].
#[derive(Clone, Debug)]
pub struct CheckSignature<S> {
    inner: S,
    secrets: Arc<[WebhookSecret]>,
}

// === impl CheckSignature ===

impl<S, ReqBody, ResBody> Service<Request<ReqBody>> for CheckSignature<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<ResBody>> + Clone + Send + 'static,
    S::Future: Send,
    ReqBody: Body<Data = Bytes, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
    ResBody: Default,
{
    type Response = Response<ResBody>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<ResBody>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<ReqBody>) -> Self::Future {
        // The one that was polled ready.
        let clone = self.inner.clone();
        let mut inner = mem::replace(&mut self.inner, clone);
        let secrets = self.secrets.clone();
        Box::pin(async move {
            let (head, body) = request.into_parts();
            let status = match Limited::new(body, MAX_DELIVERY).collect().await {
                Ok(body) => {
                    let (body, now) = (body.to_bytes(), SystemTime::now());
                    if WebhookSecret::verify(&secrets, &head.headers, &body, now).is_ok() {
                        let request = Request::from_parts(head, Full::new(body));
                        return inner.call(request).await;
                    }
                    StatusCode::UNAUTHORIZED
                }
                Err(error) if error.is::<LengthLimitError>() => StatusCode::PAYLOAD_TOO_LARGE,
                Err(_) => StatusCode::BAD_REQUEST,
            };
            let mut refusal = Response::new(ResBody::default());
            *refusal.status_mut() = status;
            Ok(refusal)
        })
    }
}
