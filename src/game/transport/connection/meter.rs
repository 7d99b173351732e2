use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The stream that a connection runs over: TCP, TLS, or anything similar.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// Counts the bytes received over a connection, which show that it is alive while a large message arrives.
#[derive(Clone, Debug, Default)]
pub(in crate::game) struct Activity(Arc<AtomicU64>);

/// Counts the bytes that are read.
pub(super) struct Meter {
    io: Box<dyn Io>,
    activity: Activity,
}

// === impl Activity ===

impl Activity {
    /// The number of bytes received.
    pub(in crate::game) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

// === impl Meter ===

impl Meter {
    pub(super) fn new(io: Box<dyn Io>) -> Self {
        Self {
            io,
            activity: Activity::default(),
        }
    }

    pub(super) fn activity(&self) -> Activity {
        self.activity.clone()
    }
}

impl AsyncRead for Meter {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.io).poll_read(cx, buffer);
        let bytes = (buffer.filled().len() - before) as u64;
        self.activity.0.fetch_add(bytes, Ordering::Relaxed);
        read
    }
}

impl AsyncWrite for Meter {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
