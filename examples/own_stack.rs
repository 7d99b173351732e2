//! A service of your own behind the gateway's layers, with an error type of your own.
//!
//! ```sh
//! cargo run --example own_stack
//! curl -i http://127.0.0.1:8080/
//! curl -i -H 'Authorization: Bearer let-alice-in' http://127.0.0.1:8080/
//! curl -i -H 'Authorization: Bearer let-alice-in' -d 'a long body' http://127.0.0.1:8080/
//! ```
//!
//! The answers are 401, 200 and 413. Every layer of `portreeve::gateway::layer` works over any
//! error type that is made from `gateway::Error`.
//!
//! In a package of your own:
//!
//! ```toml
//! portreeve = { path = "../portreeve", default-features = false, features = ["gateway"] }
//! bytes = "1"
//! http = "1"
//! http-body-util = "0.1"
//! hyper = "1"
//! subtle = "2"
//! tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }
//! tower = { version = "0.5", features = ["util"] }
//! ```

use std::convert::Infallible;
use std::error::Error as StdError;
use std::future::pending;

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use portreeve::gateway;
use portreeve::gateway::layer::account::{AccountLayer, Authenticated};
use portreeve::gateway::layer::bearer::BearerLayer;
use portreeve::gateway::layer::body_limit::{BodyLimitLayer, LimitedBody};
use portreeve::gateway::layer::fairness::PerCallerLimitLayer;
use portreeve::gateway::layer::request_id::RequestIdLayer;
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::server::{self, Bounds};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tower::{ServiceBuilder, ServiceExt as _, service_fn};

/// What can go wrong in this service.
#[derive(Debug)]
enum Error {
    /// A layer refused the request.
    Refused(gateway::Error),
    /// The service itself failed.
    OutOfTea,
}

impl From<gateway::Error> for Error {
    fn from(error: gateway::Error) -> Self {
        Self::Refused(error)
    }
}

impl Error {
    fn into_response(self) -> Response<Full<Bytes>> {
        match self {
            // The JSON that the gateway answers with; an answer of your own works as well.
            Self::Refused(error) => error.to_response(),
            Self::OutOfTea => {
                let mut response = Response::new(Full::from("out of tea\n"));
                *response.status_mut() = StatusCode::IM_A_TEAPOT;
                response
            }
        }
    }
}

/// Knows one token.
struct OneToken;

impl TokenVerifier for OneToken {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let known = token.expose().as_bytes().ct_eq(b"let-alice-in");
        match known.into() {
            true => Ok(Caller::new("alice")),
            false => Err(RefusalReason::Unknown.into()),
        }
    }
}

async fn greet(
    request: Authenticated<Request<LimitedBody<Incoming>>>,
) -> Result<Response<Full<Bytes>>, Error> {
    let (caller, request) = request.into_parts();
    if request.uri().path() == "/tea" {
        return Err(Error::OutOfTea);
    }
    let body = request.into_body().collect().await?.to_bytes();
    let text = format!("hello {}, {} bytes\n", caller.key(), body.len());
    Ok(Response::new(Full::from(text)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn StdError>> {
    let service = ServiceBuilder::new()
        .layer(BodyLimitLayer::new(8))
        .layer(BearerLayer::new(OneToken))
        .layer(AccountLayer::default())
        .layer(PerCallerLimitLayer::new(2))
        .service(service_fn(greet));
    // The one place where an error becomes an answer.
    let service = ServiceBuilder::new().layer(RequestIdLayer::default()).service(service_fn(
        move |request| {
            let answer = service.clone().oneshot(request);
            async { Ok::<_, Infallible>(answer.await.unwrap_or_else(Error::into_response)) }
        },
    ));

    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    server::serve(listener, service, Bounds::default(), pending()).await;
    Ok(())
}
