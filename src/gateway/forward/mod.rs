//! What is forwarded of a server's APIs to OAuth clients: no more than the operator opened, and than the scopes of their
//! tokens allow.
//!
//! Everything here is decided without I/O. Read first [`routes`], which is the policy; then [`decide`], which applies it
//! to a request; then [`path`], on whose canonical form both depend. A request has other paths, too: [`uris`] reads
//! those in its fields, [`report`] those in its body. [`fields`] says which fields pass in both directions.

mod decide;
mod family;
mod fields;
mod path;
mod report;
mod routes;
mod uris;

pub(crate) use decide::{Body, Context, Forwarded, Needs, Refused, decide, discovery};
pub use family::{Family, OpenedError, Right, Scope, Scopes};
pub(crate) use fields::to_caller;
pub(crate) use report::{MAX_REPORT, check_report};
pub(crate) use uris::Server;
