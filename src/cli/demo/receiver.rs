//! The receiver of the demo: the gateway delivers to it. It takes only what is signed with its secret, and each delivery
//! only at the second attempt.

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use parking_lot::Mutex;
use portreeve::groupware::{CheckSignatureLayer, WebhookSecret};
use tower::{Layer as _, service_fn};

use super::traffic::{Hop, Traffic};
use super::{Handler, shown};

pub(super) fn service(secret: WebhookSecret, traffic: Traffic) -> Handler<String> {
    let attempted = Arc::new(Mutex::new(HashSet::new()));
    let accept = service_fn(move |attempt: Request<Full<Bytes>>| {
        let id = attempt.headers().get("webhook-id").cloned();
        let mut attempted = attempted.lock();
        let mut answer = Response::default();
        if attempted.insert(id) {
            *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        }
        ready(Ok::<_, Infallible>(answer))
    });
    let checked = CheckSignatureLayer::new([secret]).layer(accept);
    shown(checked, traffic, |_| Some(Hop::DELIVERY))
}
