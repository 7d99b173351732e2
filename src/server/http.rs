//! The HTTP of connections: hyper, with the bounds of this server.

use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto;

use super::Bounds;

const LEAST_HEAD: usize = 8192;
/// Longer times between pings are as good as none, and instants end.
const LONGEST: Duration = Duration::from_secs(86_400);

pub(super) struct Http {
    plain: auto::Builder<TokioExecutor>,
    tls: auto::Builder<TokioExecutor>,
}

impl Http {
    pub(super) fn new(bounds: &Bounds) -> Self {
        let mut tls = auto::Builder::new(TokioExecutor::new());
        tls.http1()
            .timer(TokioTimer::new())
            // It would also apply to the wait between two requests.
            .header_read_timeout(None)
            .max_buf_size(bounds.max_head.max(LEAST_HEAD));
        tls.http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(Some(bounds.stall_timeout.min(LONGEST)))
            .max_concurrent_streams(bounds.max_concurrent_streams)
            .max_header_list_size(u32::try_from(bounds.max_head).unwrap_or(u32::MAX));
        let mut plain = tls.clone();
        // The end of what a client sends over HTTP/1 does not mean that it has gone (RFC 9112).
        plain.http1().half_close(true);
        Self { plain, tls }
    }

    /// The configuration for a connection with or without TLS, whose peers end it by closing one side.
    pub(super) fn builder(&self, is_tls: bool) -> &auto::Builder<TokioExecutor> {
        if is_tls { &self.tls } else { &self.plain }
    }
}
