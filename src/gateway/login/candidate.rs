//! A password to be stored, and its source.

use crate::vault::{Login, LoginFlow};

/// A password that is to be stored.
#[derive(Debug)]
pub(in crate::gateway) struct Candidate {
    pub(in crate::gateway) login: Login,
    pub(in crate::gateway) source: Source,
}

/// Where a password comes from, which decides what limits its check and how it is stored.
#[derive(Clone, Debug)]
pub(in crate::gateway) enum Source {
    /// The user sent it. The number of refused passwords of a user within an hour is limited.
    User,
    /// Somebody sent it in the user's name, by HTTP Basic: only the password shows who. The same limit applies,
    /// counted separately.
    Basic,
    /// The server handed it out for this login flow, which is stored as granted with it.
    LoginFlow(LoginFlow),
}
