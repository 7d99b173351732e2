use std::sync::Arc;

use crate::opaque::opaque_debug;

/// What passes over the connections of a [`Connector`](super::Connector).
#[derive(Clone, Copy, Debug)]
pub(in crate::game) enum Traffic<'m> {
    Connected,
    Sent(&'m [u8]),
    Received(&'m [u8]),
}

#[derive(Clone)]
pub(super) struct Observer(pub(super) Arc<dyn Fn(Traffic<'_>) + Send + Sync>);

opaque_debug!(Observer);
