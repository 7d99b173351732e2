//! Forwards other APIs of the groupware server for OAuth clients, no wider than the operator opened and the scopes of
//! their tokens allow (docs/FORWARDING.md; docs/API.md, section 13).
//!
//! [`Settings::forward`](super::Settings::forward) opens families of APIs. What is sent for a request, or why nothing, is
//! decided without I/O: read first `routes`, which is the policy; then `decide`, which applies it to a request; then
//! `path`, on whose canonical form both depend. A request has other paths, too: `uris` reads those in its fields,
//! `report` those in its body. `fields` says which fields pass in both directions. The layer then streams both
//! bodies, for as long as they make progress.
//!
//! ```
//! use portreeve::gateway::Settings;
//! use portreeve::gateway::forward::{Forward, Scopes};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut settings = Settings::default();
//! settings.forward = Some(Forward::new(Scopes::opened_by(["notes", "calendar.read"])?));
//! # Ok(())
//! # }
//! ```

mod decide;
mod explain;
mod family;
mod fields;
mod layer;
mod path;
mod progress;
mod report;
mod routes;
#[cfg(test)]
#[path = "../../../tests/unit/forward/mod.rs"]
mod tests;
mod uris;

use std::time::Duration;

pub(crate) use decide::{
    Body, Context, FINITE_DEPTH, Forwarded, Needs, Refused, decide, discovery,
};
pub use explain::OpenRoute;
pub use family::{Family, OpenedError, Right, Scope, Scopes};
pub(crate) use fields::to_caller;
pub(crate) use layer::Rules;
pub use layer::{ForwardLayer, Forwarding};
pub(crate) use report::{MAX_CHECKED, check_xml};
pub(crate) use uris::Server;

/// What is forwarded, and for how long.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Forward {
    /// What is opened.
    pub opened: Scopes,
    /// Time after which a forwarded call ends while a body does not move, in either direction, and after its caller has
    /// left. 30 seconds by default.
    pub stall_timeout: Duration,
}

impl Forward {
    /// Forwards what is opened.
    pub fn new(opened: Scopes) -> Self {
        Self { opened, stall_timeout: Duration::from_secs(30) }
    }
}
