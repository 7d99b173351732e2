//! The stand-in for the groupware server, which both servers ask: it answers recorded bodies.
use std::convert::Infallible;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;

/// The route of the capabilities.
pub(crate) const CAPABILITIES: &str = "/ocs/v2.php/cloud/capabilities";
/// The route of the webhook registrations.
pub(crate) const WEBHOOKS: &str = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";

/// Answers the capabilities at their route, and 10 webhook registrations anywhere else.
pub(crate) async fn answer(
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let body: &'static [u8] = match request.uri().path() {
        CAPABILITIES => include_bytes!("capabilities.json"),
        _ => include_bytes!("webhooks.json"),
    };
    let mut answer = Response::new(Full::from(body));
    let headers = answer.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    // By which the real server says that the login was good.
    headers.insert("x-user-id", HeaderValue::from_static("admin"));
    Ok(answer)
}
