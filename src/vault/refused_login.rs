//! Logins that the groupware server refused, as a store keeps them.

use std::sync::Arc;
use std::time::SystemTime;

/// A login that the groupware server refused and counts against the address of the gateway
/// (docs/API.md, section 5.6). It holds nothing of a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedLogin {
    /// A random number of 63 bits, unique in the store.
    pub id: u64,
    /// The account id of the caller on whose behalf it was tried.
    pub user_id: Arc<str>,
    /// When it was refused; whole milliseconds.
    pub refused_at: SystemTime,
    /// Why it was tried.
    pub purpose: LoginPurpose,
    /// Whether the groupware server forgets it at the next success of the user: it does if the
    /// login name was the account id.
    pub forgivable: bool,
}

/// Why a login that may be refused is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoginPurpose {
    /// A user sends a new password, or destroys one that was refused before.
    New,
    /// The first use of a stored password within the last hour.
    FirstUse,
    /// A suspended password is tried again.
    Retry,
    /// A stored password that worked within the last hour.
    Recent,
    /// The server handed the password out, in a login flow.
    Granted,
    /// Somebody brings a password by HTTP Basic, in the name of a user: nothing else says who it
    /// is (docs/API.md, section 10.4).
    Basic,
}

// === impl LoginPurpose ===

impl LoginPurpose {
    /// The number that stands for it in a store.
    pub fn code(self) -> u8 {
        match self {
            Self::New => 0,
            Self::FirstUse => 1,
            Self::Retry => 2,
            Self::Recent => 3,
            Self::Granted => 4,
            Self::Basic => 5,
        }
    }

    /// The purpose of a [code](Self::code). An unknown one, of a later version, counts as
    /// [`Recent`](Self::Recent), which is bounded by the whole alone.
    pub fn from_code(code: u8) -> Self {
        match code {
            0 => Self::New,
            1 => Self::FirstUse,
            2 => Self::Retry,
            4 => Self::Granted,
            5 => Self::Basic,
            _ => Self::Recent,
        }
    }
}
