//! Finds the endpoint of an authenticated request and parses its input, once.
//!
//! Everything that is wrong with the request itself (404, 405, 413, 400) is found here, before any credential is looked
//! up (docs/API.md, section 2.6). A body is read only if the endpoint takes one.

use std::net::IpAddr;
use std::sync::Arc;

use http::{HeaderValue, Request};
use http_body::Body;
use http_body_util::BodyExt as _;

use super::account::Authenticated;
use super::admit::{Admit, Decision};
use super::request_id::X_REQUEST_ID;
use crate::gateway::input::{DeliveryInput, Input};
use crate::gateway::known::Known;
use crate::gateway::route::Matched;
use crate::gateway::{ClientAddress, Endpoint, Error, Principal};
use crate::groupware::EventClasses;

/// A parsed request, and its context.
///
/// Only this layer makes one.
#[derive(Debug)]
pub struct Decoded {
    context: RequestContext,
    input: Input,
}

/// Who makes a request.
#[derive(Clone, Debug)]
pub struct RequestContext {
    pub(crate) principal: Principal,
    /// The address to forward to the groupware server, if that is enabled.
    pub(crate) client_address: Option<IpAddr>,
    request_id: Option<HeaderValue>,
}

/// Admits a request as its parsed input.
#[derive(Clone, Debug)]
pub struct DecodeLayer {
    pub(crate) client_address: ClientAddress,
    pub(crate) event_classes: EventClasses,
    /// Whether the paths of deliveries are known (docs/API.md, section 12).
    pub(crate) has_deliveries: bool,
    /// Whether operations need scopes (docs/API.md, section 13.5), and what may stand before them.
    pub(crate) operation_scopes: Option<Arc<str>>,
}

// === impl Decoded ===

impl Decoded {
    /// The context and the input.
    pub fn into_parts(self) -> (RequestContext, Input) {
        (self.context, self.input)
    }
}

// === impl RequestContext ===

impl RequestContext {
    /// The id of the request (docs/API.md, section 1.3).
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_ref().and_then(|id| id.to_str().ok())
    }
}

// === impl DecodeLayer ===

impl<B> Admit<Authenticated<Request<B>>> for DecodeLayer
where
    B: Body<Data: Send, Error: Into<Error>> + Send + 'static,
{
    type Admitted = Decoded;

    fn admit(&self, request: Authenticated<Request<B>>) -> Decision<Decoded> {
        let (principal, request) = request.into_parts();
        let uri = request.uri();
        let known = Known::from_request(&request);
        let mut matched = match known.endpoint.area() == "deliveries" && !self.has_deliveries {
            true => Err(Error::UnknownPath),
            false => Matched::find(known.endpoint, request.method(), uri, request.headers()),
        };
        let is_receiver = || Endpoint::at(uri.path()).receives() && self.has_deliveries;
        if matches!(matched, Err(Error::MethodNotAllowed(_))) && is_receiver() {
            matched = Err(Endpoint::ReceiveCallback.method_not_allowed());
        }
        if matched.is_ok()
            && let prefix = self.operation_scopes.as_deref()
            && let Err(lacking) = known.endpoint.check_scope(request.method(), &principal, prefix)
        {
            matched = Err(lacking);
        }
        let in_field = || request.headers().get(X_REQUEST_ID).cloned();
        let context = RequestContext {
            principal,
            client_address: self.client_address.resolve(&request),
            request_id: known.request_id.or_else(in_field),
        };
        // Its answer may go on for long.
        if let Ok(Matched::Complete(Input::Delivery(DeliveryInput::Events(events)))) = &mut matched
        {
            events.presented = request.extensions().get().cloned();
        }
        match matched {
            Ok(Matched::Complete(input)) => Decision::Now(Ok(Decoded { context, input })),
            Ok(Matched::Body(read, id)) => {
                let classes = self.event_classes.clone();
                Decision::Later(Box::pin(async move {
                    let body = request.into_body().collect().await.map_err(Into::into)?;
                    let input = read(id, body.to_bytes(), &classes)?;
                    Ok(Decoded { context, input })
                }))
            }
            Err(error) => Decision::Now(Err(error)),
        }
    }
}
