//! The receiver of the demo: the gateway delivers to it. It takes only what is signed with its secret, and each delivery
//! only at the second attempt. The first of all is shown in full.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use parking_lot::Mutex;
use portreeve::gateway::AnswerBody;
use portreeve::groupware::{CheckSignatureLayer, WebhookSecret};
use tower::{ServiceBuilder, service_fn};

use super::traffic::{Hop, Traffic, show_delivery};
use super::{Handler, shown};

pub(super) fn service(secret: WebhookSecret, traffic: Traffic) -> Handler {
    let attempted = Arc::new(Mutex::new(HashSet::new()));
    let accept = service_fn(move |attempt: Request<Full<Bytes>>| {
        let attempted = attempted.clone();
        async move {
            let (head, body) = attempt.into_parts();
            let body = body.collect().await?.to_bytes();
            let mut attempted = attempted.lock();
            if attempted.is_empty() {
                show_delivery(&head.headers, &body);
            }
            let mut answer = Response::default();
            if attempted.insert(head.headers.get("webhook-id").cloned()) {
                *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
            }
            Ok::<_, Infallible>(answer)
        }
    });
    let checked = ServiceBuilder::new()
        .map_response(|answer: Response<Bytes>| answer.map(AnswerBody::from))
        .layer(CheckSignatureLayer::new([secret]))
        .service(accept);
    shown(checked, traffic, |_| Some(Hop::DELIVERY))
}
