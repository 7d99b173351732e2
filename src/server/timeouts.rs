//! Timeouts for the two waits on a connection that hyper does not bound.
//!
//! - hyper-util detects the HTTP version from the first bytes and waits for them without a timeout: a
//!   client that connects and sends nothing, or part of the HTTP/2 preface, would keep its connection
//!   open forever. Once the version is known, [`Activity`] takes over.
//! - A client that does not read its answer would keep its connection open forever.
//!
//! It also bounds what is read of a connection before other tasks get their turn. tokio counts the reads, but one read
//! may bring some hundred frames of HTTP/2, each of which takes its time.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Version;
use pin_project_lite::pin_project;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::coop;
use tokio::time::Sleep;

use super::Bounds;
use super::activity::Activity;
use super::connections::Count;

/// The connection preface of an HTTP/2 client (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// How many bytes use up one of the 128 units of work that tokio lets a task do at a time.
const BYTES_PER_UNIT: usize = 128;

pin_project! {
    pub(super) struct Timeouts<T> {
        #[pin]
        io: T,
        stall_timeout: Duration,
        activity: Arc<Activity>,
        // Until the HTTP version is known.
        undecided: Option<Undecided>,
        // The deadline of a write that is blocked until the client reads.
        stalled: Option<Pin<Box<Sleep>>>,
    }
}

struct Undecided {
    deadline: Pin<Box<Sleep>>,
    matched: usize,
}

// === impl Timeouts ===

impl<T> Timeouts<T> {
    pub(super) fn new(io: T, bounds: &Bounds, activity: Arc<Activity>) -> Self {
        let deadline = Box::pin(tokio::time::sleep(bounds.head_timeout));
        Self {
            io,
            stall_timeout: bounds.stall_timeout,
            activity,
            undecided: Some(Undecided { deadline, matched: 0 }),
            stalled: None,
        }
    }
}

impl<T: AsyncRead> AsyncRead for Timeouts<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.project();
        let before = buf.filled().len();
        let read = this.io.poll_read(cx, buf);
        for _ in 0..(buf.filled().len() - before) / BYTES_PER_UNIT {
            // Once there are none, each further call would only have the task woken again.
            let Poll::Ready(unit) = coop::poll_proceed(cx) else { break };
            unit.made_progress();
        }
        let Some(undecided) = this.undecided else {
            if read.is_ready() && buf.filled().len() > before {
                this.activity.read();
            }
            return read;
        };
        if read.is_pending() {
            let elapsed = undecided.deadline.as_mut().poll(cx);
            return elapsed.map(|()| Err(io::ErrorKind::TimedOut.into()));
        }
        match undecided.version_after(&buf.filled()[before..]) {
            None => return read,
            Some(Version::HTTP_2) => this.activity.speaks(Count::Http2),
            Some(_) => {
                this.activity.speaks(Count::Http1);
                this.activity.read();
            }
        }
        *this.undecided = None;
        read
    }
}

impl<T: AsyncWrite> AsyncWrite for Timeouts<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.project();
        let written = this.io.poll_write(cx, buf);
        bounded(written, this.stalled, *this.stall_timeout, cx)
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
        let this = self.project();
        let written = this.io.poll_write_vectored(cx, bufs);
        bounded(written, this.stalled, *this.stall_timeout, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}

// === impl Undecided ===

impl Undecided {
    /// The version after `bytes`; `None` while only part of the preface has arrived.
    fn version_after(&mut self, bytes: &[u8]) -> Option<Version> {
        let rest = &PREFACE[self.matched..];
        self.matched += bytes.len();
        if bytes.starts_with(rest) {
            Some(Version::HTTP_2)
        } else {
            (!rest.starts_with(bytes)).then_some(Version::HTTP_11)
        }
    }
}

/// `written`, or an error once the connection has accepted no byte for `timeout`.
///
/// The timeout starts at the first write that finds the connection's buffer full, and ends as soon as
/// one succeeds: a slow client is served, one that reads nothing is not.
fn bounded(
    written: Poll<io::Result<usize>>,
    stalled: &mut Option<Pin<Box<Sleep>>>,
    timeout: Duration,
    cx: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    if written.is_ready() {
        *stalled = None;
        return written;
    }
    let deadline = stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
    deadline.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
}

#[cfg(test)]
#[path = "../../tests/unit/timeouts.rs"]
mod tests;
