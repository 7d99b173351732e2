//! Serves any [`tower::Service`] over HTTP/1.1 and HTTP/2, with bounds and a graceful shutdown.
//!
//! It is independent of the management API. A service must answer every request (its error is
//! [`Infallible`](std::convert::Infallible)), be cloneable for each connection, and not borrow. The
//! peer's [`SocketAddr`](std::net::SocketAddr) is in the extensions of each request that came over
//! TCP; requests over a unix socket have none. A request that names no host, or two, is answered 400 without it.
//!
//! It listens on TCP and unix sockets ([`Listeners`]), with or without [`Tls`]. `examples/own_stack.rs` serves with it.

mod activity;
mod addresses;
mod bounds;
mod connection;
mod connection_limit;
mod connections;
mod host;
mod http;
mod listeners;
mod replaceable;

mod serve;
mod stream;
mod timeouts;
mod tls;
mod tracked;

pub use bounds::Bounds;
pub use connections::{ConnectionCounts, Connections};
pub use listeners::Listeners;
pub use replaceable::{Replaceable, replaceable};
pub use serve::{Drained, serve};
pub use tls::{Tls, TlsConfig, TlsError};
