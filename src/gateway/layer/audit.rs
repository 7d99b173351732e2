//! The record of each read of somebody's credential by an administrator (docs/API.md, section 5.4).
//!
//! It begins in the account layer, above everything that may refuse such a request, so that each is one line of the audit
//! log, whatever becomes of it. The attempt is among the notes on the request: the endpoint adds whose credential it has
//! found, the error mapper ends it with an error, the record layer otherwise. Other attempts begin at their endpoints.

use std::sync::Arc;

use http::{Method, Request, StatusCode};

use super::request_id;
use crate::audit::{Action, Actor, AuditObserver, Auditor};
use crate::gateway::path::decode;
use crate::gateway::route::values;
use crate::gateway::{Endpoint, User};
use crate::groupware::notes::{self, Notes};

/// Begins the record if `request`, of `user`, is such a read; it is also passed to `observer`.
pub(super) fn begin<B>(
    user: &User,
    request: &Request<B>,
    observer: Option<&Arc<dyn AuditObserver>>,
) {
    let endpoint = Endpoint::from_request(request);
    if endpoint != Endpoint::CredentialOfUser || request.method() != Method::GET {
        return;
    }
    let mut values = values(request.uri().query().unwrap_or_default(), "reveal");
    let reveals = values.any(|value| value.is_ok_and(|value| *value == *"true"));
    let action = if reveals { Action::RevealCredential } else { Action::ReadCredential };
    let request_id =
        request_id::from_headers(request.headers()).and_then(|id| Some(id.to_str().ok()?.into()));
    let caller = user.user_id().into();
    let auditor = Auditor::new(Actor::Token { caller });
    let attempt = Auditor { request_id, observer: observer.cloned(), ..auditor }.attempt(action);
    if let Ok(user_id) = decode(endpoint.parameter(request.uri().path())) {
        attempt.found_user(&user_id);
    }
    notes::record_attempt(attempt);
}

/// Ends the attempt among `notes`, if there is one that has not ended: its request is answered with `status`.
pub(super) fn end(notes: &Notes, status: StatusCode) {
    let Some(attempt) = notes.attempt() else {
        return;
    };
    if status.is_success() {
        attempt.done();
    } else if status.is_server_error() {
        attempt.failed(status);
    } else {
        attempt.refused(status);
    }
}
