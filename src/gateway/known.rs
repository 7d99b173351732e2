//! What is found out about a request once, for all layers.

use http::{HeaderValue, Request};

use super::Endpoint;
use super::trace_id::TraceId;

/// It is among the request's extensions, where the first layer that needs it puts it.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(super) endpoint: Endpoint,
    pub(super) trace_id: Option<TraceId>,
    /// Below the [request id layer](super::layer::request_id), the id that it adopted or made.
    pub(super) request_id: Option<HeaderValue>,
}

impl Known {
    pub(super) fn from_request<B>(request: &Request<B>) -> Self {
        request.extensions().get().cloned().unwrap_or_else(|| Self {
            endpoint: Endpoint::of(request.method(), request.uri().path()),
            trace_id: TraceId::from_headers(request.headers()),
            request_id: None,
        })
    }

    /// The same, stored for the layers below.
    pub(super) fn find<B>(request: &mut Request<B>) -> &mut Self {
        if request.extensions().get::<Self>().is_none() {
            let known = Self::from_request(request);
            request.extensions_mut().insert(known);
        }
        let stored = request.extensions_mut().get_mut();
        stored.expect("it is stored above, if not before")
    }
}
