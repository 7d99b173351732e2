//! Serves any [`tower::Service`] over HTTP/1.1 and HTTP/2, with bounds and a graceful end.
//!
//! It knows nothing of the management API. The peer's [`SocketAddr`](std::net::SocketAddr) stands
//! in the extensions of each request.

mod listener;
mod timeouts;

pub use listener::{Bounds, Drained, serve};
