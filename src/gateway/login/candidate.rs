//! A password that is brought, and by whom.

use crate::vault::{AppPassword, LoginFlow};

/// A password that is to be stored.
#[derive(Debug)]
pub(in crate::gateway) struct Candidate {
    pub(in crate::gateway) login_name: Box<str>,
    pub(in crate::gateway) password: AppPassword,
    pub(in crate::gateway) source: Source,
}

/// Where a password comes from, which decides what limits its check and how it is stored.
#[derive(Clone, Debug)]
pub(in crate::gateway) enum Source {
    /// The user sent it. A user may have only so many refused within an hour.
    User,
    /// Somebody sent it in the user's name, and nothing but the password says who. The same holds,
    /// counted apart from what the user sent.
    Basic,
    /// The server handed it out for this login flow, which is stored as granted with it.
    LoginFlow(LoginFlow),
}
