//! The ground floor of outbound HTTP: what the clients of the groupware server and of identity
//! providers share.
//!
//! Two clients that answered a question of safety each in its own way would leave a gap between
//! them. So there is one answer to *is this the same server?* and *is this machine meant?*
//! ([`Origin`]), to *which certificate authorities are trusted?* and *what is in a PEM file?*
//! ([`certificates`]), and to *how much of an answer is read?*

mod body;
mod connect;
mod host;
mod origin;
mod pem;
mod pool;
mod resolver;

pub use origin::{Origin, OriginError};
pub use pem::{PemError, certificates};

pub(crate) use body::{ReadError, read_body};
pub(crate) use connect::{TcpConnector, tcp_connector, tls_config, trusted_roots};
pub(crate) use pool::{CallError, Pool};

use http::HeaderValue;

/// The `User-Agent` of every call.
pub(crate) const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("portreeve/", env!("CARGO_PKG_VERSION")));
