use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::io::InspectReader;

/// The stream that a connection runs over: TCP, TLS, or anything similar.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// Counts the bytes received over a connection, which show that it is alive while a large message arrives.
#[derive(Clone, Debug, Default)]
pub(in crate::game) struct Activity(Arc<AtomicU64>);

pub(super) type Metered = InspectReader<Box<dyn Io>, Box<dyn FnMut(&[u8]) + Send>>;

impl Activity {
    pub(in crate::game) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn meter(&self, io: impl Io + 'static) -> Metered {
        let received = self.0.clone();
        InspectReader::new(
            Box::new(io),
            Box::new(move |bytes: &[u8]| {
                received.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            }),
        )
    }
}
