//! Outbound HTTP: the parts shared by the clients of the groupware server and of identity providers.
//!
//! If each client decided questions of safety on its own, their answers could differ. So they are decided here, once:
//! which URLs may be called, and whether two of them are the same server or this machine ([`HttpUrl`]), which
//! certificate authorities are trusted, how PEM files are read ([`certificates`]), and how much of an answer is read.

mod body;
mod connect;
mod host;
mod pool;
mod resolver;
pub(crate) mod shares;
mod single_flight;
mod url;

pub use crate::tls::{PemError, certificates};
pub use url::{HttpUrl, HttpUrlError, PlainHttp};

pub(crate) use body::{AnswerMemory, ReadError, SMALL, read_body};
pub(crate) use connect::{TcpConnector, connector};
pub(crate) use pool::{CallError, Pool, ReceivedBody, SentBody};
pub(crate) use resolver::Resolver;
pub(crate) use single_flight::{Flight, SingleFlight};
pub(crate) use url::has_only_uri_characters;

use http::HeaderValue;

pub(crate) const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("portreeve/", env!("CARGO_PKG_VERSION")));
