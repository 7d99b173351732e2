//! Background sync: storing, using, revoking and granting app passwords, and refused logins.

use portreeve_test_support as support;

mod app_password;
#[cfg(feature = "cli")]
mod audit;
mod bound;
#[cfg(feature = "cli")]
mod handed_out;
#[cfg(feature = "cli")]
mod login_flow;
mod nameless;
mod permits;
#[cfg(feature = "sqlite")]
mod races;
mod refused;
mod routes;
mod strangers;
mod users;
