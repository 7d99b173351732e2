//! `GET /`: one sentence on what this server is, for anyone who opens its address
//! (docs/API.md, section 9).
//!
//! The answer is JSON, or a page for browsers. Like [`probes`](super::probes), it is a layer that a server
//! puts around [`Gateway::into_service`](crate::gateway::Gateway::into_service):
//!
//! ```
//! use portreeve::gateway::layer::root::RootLayer;
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//! # use bytes::Bytes;
//! # use http::{Request, Response};
//! # use http_body_util::Full;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), std::convert::Infallible> {
//! let service = ServiceBuilder::new()
//!     .layer(RootLayer)
//!     .service(service_fn(async |_: Request<()>| {
//!         Ok::<_, std::convert::Infallible>(Response::new(Full::<Bytes>::default()))
//!     }));
//! let answer = service.oneshot(Request::new(())).await?;
//! assert_eq!(answer.headers()["content-type"], "application/json");
//! # Ok(())
//! # }
//! ```

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::Either;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response};
use tower::{Layer, Service};

const JSON: &[u8] = br#"{"message":"This is Portreeve, a gateway to a Nextcloud for programs that bring a bearer token; its API begins at /api/v1."}"#;
const PAGE: &[u8] = b"<!doctype html>\n<meta charset=\"utf-8\">\n<title>Portreeve</title>\n\
    <p>This is Portreeve, a gateway to a Nextcloud for programs that bring a bearer token; \
    its API begins at <code>/api/v1</code>.</p>\n\
    <p><a href=\"readyz\">Is it ready?</a> <a href=\"api/v1/status\">What it offers</a></p>\n";

/// Makes [`Root`] services.
#[derive(Clone, Copy, Debug, Default)]
pub struct RootLayer;

/// See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct Root<S> {
    inner: S,
}

// === impl RootLayer ===

impl<S> Layer<S> for RootLayer {
    type Service = Root<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Root { inner }
    }
}

// === impl Root ===

impl<S, B, R> Service<Request<B>> for Root<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    R: From<Bytes>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        match request.uri().path() {
            "/" if reads => Either::Right(ready(Ok(answer(&request)))),
            _ => Either::Left(self.inner.call(request)),
        }
    }
}

fn answer<B, R: From<Bytes>>(request: &Request<B>) -> Response<R> {
    let mut accepted = request.headers().get_all(ACCEPT).iter();
    let is_browser = accepted.any(|it| it.to_str().is_ok_and(|it| it.contains("text/html")));
    let (kind, body) = if is_browser {
        ("text/html", PAGE)
    } else {
        ("application/json", JSON)
    };
    let mut response = Response::new(R::from(Bytes::from_static(body)));
    for (name, value) in [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")] {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}
