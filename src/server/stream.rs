//! The byte stream of a connection, over any transport.

use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::server::TlsStream;

/// A connection over TCP, TLS or a unix socket.
///
/// One type, so that the HTTP code is compiled once.
pub(super) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
    /// Boxed: it is a kilobyte larger than the others.
    Tls(Box<TlsStream<Stream>>),
}

macro_rules! each {
    ($stream:expr, $inner:ident => $call:expr) => {
        match $stream.get_mut() {
            Self::Tcp($inner) => $call,
            Self::Unix($inner) => $call,
            Self::Tls($inner) => $call,
        }
    };
}

impl Stream {
    /// Ends the connection once its peer has not acknowledged what was sent for `most`: one that has gone without a word
    /// would be missed after a quarter of an hour otherwise. Does nothing where the system cannot.
    pub(super) fn limit_silence(&self, most: Duration) {
        #[cfg(target_os = "linux")]
        if let Self::Tcp(stream) = self {
            let millis = u32::try_from(most.as_millis()).unwrap_or(u32::MAX);
            // The kernel reads a signed number.
            let millis = millis.min(i32::MAX.cast_unsigned());
            if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, millis) {
                tracing::debug!(%error, "TCP_USER_TIMEOUT was not set");
            }
        }
        #[cfg(not(target_os = "linux"))]
        let _ = most;
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_read(cx, buf))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        each!(self, stream => Pin::new(stream).poll_write(cx, buf))
    }

    /// Fails once the peer has reset the connection or closed both directions.
    ///
    /// hyper flushes at each poll, but reads nothing while a request without TLS is in flight, so that a client
    /// may close its write side: here is noticed that it has gone altogether.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        /// Without a change of the read side there is nothing to see; a change wakes the task.
        macro_rules! fail_if_gone {
            ($stream:expr) => {{
                if $stream.poll_read_ready(cx)?.is_ready() {
                    let both = Interest::READABLE | Interest::WRITABLE;
                    if let Poll::Ready(ready) = pin!($stream.ready(both)).poll(cx) {
                        if ready?.is_write_closed() {
                            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
                        }
                    }
                }
                Poll::Ready(Ok(()))
            }};
        }
        match self.get_mut() {
            Self::Tcp(stream) => fail_if_gone!(stream),
            Self::Unix(stream) => fail_if_gone!(stream),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        each!(self, stream => Pin::new(stream).poll_shutdown(cx))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        each!(self, stream => Pin::new(stream).poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        // Each of them does.
        true
    }
}

#[cfg(all(test, target_os = "linux"))]
#[path = "../../tests/unit/stream.rs"]
mod tests;
