//! Serves any [`tower::Service`] over HTTP/1.1 and HTTP/2, with bounds and a graceful shutdown.
//!
//! It is independent of the management API. A service must answer every request (its error is
//! [`Infallible`](std::convert::Infallible)), be cloneable for each connection, and not borrow. The
//! peer's [`SocketAddr`](std::net::SocketAddr) is in the extensions of each request that came over
//! TCP; requests over a unix socket have none. A request that names no host, or two, is answered 400 without it.
//!
//! It listens on any number of TCP and unix sockets ([`Listeners`]), with or without TLS ([`Tls`]).
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! use std::convert::Infallible;
//! use std::net::SocketAddr;
//! use std::time::Duration;
//!
//! use bytes::Bytes;
//! use http::{Request, Response};
//! use http_body_util::Full;
//! use hyper::body::Incoming;
//! use portreeve::server::{self, Bounds, Drained};
//! use tokio::net::TcpListener;
//! use tower::service_fn;
//!
//! let service = service_fn(|request: Request<Incoming>| async move {
//!     let peer = request.extensions().get::<SocketAddr>().expect("the server put it there");
//!     let greeting = format!("Hello, {}!", peer.ip());
//!     Ok::<_, Infallible>(Response::new(Full::new(Bytes::from(greeting))))
//! });
//!
//! let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
//! let address = listener.local_addr()?;
//! let mut bounds = Bounds::default();
//! bounds.connections = 100;
//! bounds.drain = Duration::from_secs(5);
//! let (shutdown, requested) = tokio::sync::oneshot::channel::<()>();
//! let server = tokio::spawn(server::serve(listener, service, bounds, async {
//!     requested.await.ok();
//! }));
//!
//! # use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
//! let mut client = tokio::net::TcpStream::connect(address).await?;
//! client.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer).await?;
//! assert!(answer.ends_with("Hello, 127.0.0.1!"));
//!
//! shutdown.send(()).expect("the server runs");
//! assert_eq!(server.await?, Drained::Completely);
//! # Ok(())
//! # }
//! ```

mod activity;
mod addresses;
mod bounds;
mod connection;
mod connections;
mod host;
mod http;
mod listeners;
mod replaceable;
mod room;
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
