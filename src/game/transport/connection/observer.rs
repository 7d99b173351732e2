use std::fmt;
use std::sync::Arc;

/// What passes over the connections of a [`Connector`](super::Connector).
#[derive(Clone, Copy, Debug)]
pub(in crate::game) enum Traffic<'m> {
    /// A connection was made.
    Connected,
    /// A message is being sent to the server.
    Sent(&'m [u8]),
    /// A message was received from the server.
    Received(&'m [u8]),
}

/// Notified of all [`Traffic`], in order.
#[derive(Clone)]
pub(super) struct Observer(Arc<dyn Fn(Traffic<'_>) + Send + Sync>);

impl Observer {
    pub(super) fn new(notify: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(notify))
    }

    pub(super) fn notify(&self, traffic: Traffic<'_>) {
        (self.0)(traffic);
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}
