//! Bounds the time in which a connection says which HTTP it speaks.
//!
//! hyper-util tells HTTP/1 from HTTP/2 by the first bytes and waits for them without a timeout: a
//! client that connects and sends nothing, or sends a part of the HTTP/2 preface, would hold its
//! connection for ever. Once the version is known, hyper's own timeouts take over, and this
//! wrapper only passes on.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// RFC 9113, section 3.4.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pin_project! {
    pub(super) struct PrefaceTimeout<T> {
        #[pin]
        io: T,
        undecided: Option<Undecided>,
    }
}

struct Undecided {
    deadline: Pin<Box<Sleep>>,
    /// How many bytes of the preface have come.
    matched: usize,
}

impl<T> PrefaceTimeout<T> {
    pub(super) fn new(io: T, timeout: Duration) -> Self {
        let deadline = Box::pin(tokio::time::sleep(timeout));
        Self {
            io,
            undecided: Some(Undecided {
                deadline,
                matched: 0,
            }),
        }
    }
}

impl Undecided {
    /// Whether the version is still open after `bytes`.
    fn stays_with(&mut self, bytes: &[u8]) -> bool {
        let rest = &PREFACE[self.matched..];
        self.matched += bytes.len();
        bytes.len() < rest.len() && rest.starts_with(bytes)
    }
}

impl<T: AsyncRead> AsyncRead for PrefaceTimeout<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.project();
        let before = buf.filled().len();
        let read = this.io.poll_read(cx, buf);
        let Some(undecided) = this.undecided else {
            return read;
        };
        match read {
            Poll::Pending => match undecided.deadline.as_mut().poll(cx) {
                Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
                Poll::Pending => Poll::Pending,
            },
            Poll::Ready(_) => {
                if !undecided.stays_with(&buf.filled()[before..]) {
                    *this.undecided = None;
                }
                read
            }
        }
    }
}

impl<T: AsyncWrite> AsyncWrite for PrefaceTimeout<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.project().io.poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.project().io.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// Sends `first`, then nothing; reads until the connection says something new.
    async fn read_after(first: &[u8]) -> io::Result<usize> {
        let (mut client, server) = tokio::io::duplex(64);
        let mut server = PrefaceTimeout::new(server, Duration::from_secs(1));
        client.write_all(first).await.unwrap();
        let mut taken = vec![0; first.len()];
        server.read_exact(&mut taken).await?;
        assert_eq!(taken, first);
        tokio::time::timeout(Duration::from_secs(60), server.read(&mut [0; 8]))
            .await
            .unwrap_or(Ok(usize::MAX))
    }

    #[tokio::test(start_paused = true)]
    async fn an_undecided_connection_is_given_up() {
        for first in [&b""[..], b"P", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r"] {
            let error = read_after(first).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{first:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_decided_connection_is_left_alone() {
        for first in [
            &b"G"[..],
            b"PO",
            PREFACE,
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0",
        ] {
            assert_eq!(read_after(first).await.unwrap(), usize::MAX, "{first:?}");
        }
    }
}
