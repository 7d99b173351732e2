//! Background sync: storing, using, revoking and granting app passwords, and refused logins.

use portreeve_test_support as support;

#[cfg(feature = "cli")]
mod audit;
mod audit_records;
mod bound;
mod login_flow;
#[cfg(feature = "postgres")]
mod lost_answers;
#[cfg(feature = "cli")]
mod orphaned_passwords;
#[cfg(feature = "sqlite")]
mod races;
mod read_only;
