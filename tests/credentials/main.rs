//! Background sync: storing, using, revoking and granting app passwords, and refused logins.

use portreeve_test_support as support;

#[cfg(feature = "cli")]
mod audit;
mod audit_records;
mod bound;
#[cfg(feature = "cli")]
mod login_flow;
mod misnamed;
mod nameless;
#[cfg(feature = "cli")]
mod orphaned_passwords;
mod permits;
#[cfg(feature = "sqlite")]
mod races;
mod read_only;
mod refused;
mod strangers;
mod users;
