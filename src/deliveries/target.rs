//! Where deliveries go.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{IdError, Maker, Suspension};
use crate::labels::labels;
use crate::opaque::opaque_debug;
use crate::random;

/// Names a target: 63 random bits, displayed as 16 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetId(pub(crate) i64);

labels! {
    /// Whether a target is delivered to.
    pub enum TargetState {
        /// It is.
        Active = "active",
        /// Not at present: what arrives meanwhile is delivered once it is active again.
        Paused = "paused",
        /// It answered 410, or has failed for too long: what arrives meanwhile is not for it.
        Disabled = "disabled",
    }
}

/// What only the keys of the vault open: the address may hold a secret too.
#[derive(Clone, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TargetSettings {
    /// The address.
    pub uri: String,
    /// The classes of the events that it gets; all of them, if there are none.
    pub events: Vec<String>,
    /// The filter of the events that it gets, as JSON.
    pub filter: Option<String>,
    /// The secret that signs, as `whsec_…`.
    pub secret: Zeroizing<String>,
    /// The secrets before it, the last one first.
    pub previous: Vec<PreviousSecret>,
    /// What the identity provider calls whoever made the target: issuer and subject.
    #[serde(default)]
    pub person: Option<(String, String)>,
    /// What each attempt has besides its own header fields.
    #[serde(default)]
    pub headers: Vec<TargetHeader>,
}

/// A header field of a target, whose value is a secret.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetHeader {
    /// The name, in small letters.
    pub name: String,
    /// The value.
    pub value: Zeroizing<String>,
}

/// A secret that was replaced, and signs too for a while.
#[derive(Clone, Serialize, Deserialize)]
pub struct PreviousSecret {
    /// The secret, as `whsec_…`.
    pub secret: Zeroizing<String>,
    /// Until when it signs, in seconds since the Unix epoch.
    pub until: u64,
}

/// Where deliveries go, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Target {
    /// Its id.
    pub id: TargetId,
    /// The account whose events it gets; `None` for those of all accounts.
    pub account: Option<Box<str>>,
    /// Whether it is delivered to.
    pub state: TargetState,
    /// Changes with each change of the settings, and when it is disabled. After a failover it may be one that was before.
    pub revision: i64,
    /// When it was made, by the clock of the database.
    pub created_at: SystemTime,
    /// When its attempts began to fail, if none has succeeded since.
    pub failing_since: Option<SystemTime>,
    /// The deliveries that wait.
    pub waiting: u64,
    /// The sealed settings.
    pub sealed: Box<[u8]>,
    /// On whose authority it gets events.
    pub maker: Maker,
    /// Why it is not sent to, whatever its state is.
    pub suspended: Option<Suspension>,
    /// The events that it wanted since it was disabled: none is kept for it.
    pub missed: u64,
}

// === impl TargetSettings ===

impl TargetSettings {
    /// Those of a target that gets all events at `uri`, signed with `secret`.
    pub fn new(uri: impl Into<String>, secret: Zeroizing<String>) -> Self {
        Self { uri: uri.into(), secret, ..Self::default() }
    }
}

// === impl TargetId ===

impl TargetId {
    /// A new one.
    ///
    /// # Errors
    /// If the operating system gives no random bytes.
    pub fn random() -> io::Result<Self> {
        // SQL integers are signed.
        Ok(Self(i64::from_ne_bytes(random::bytes()?) & i64::MAX))
    }
}

impl fmt::Display for TargetId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for TargetId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        let id = super::hex_digits(text, 16)?;
        i64::try_from(id).map(Self).map_err(|_| IdError)
    }
}

// === impl Target ===

impl Target {
    /// An active one.
    #[doc(hidden)]
    pub fn new(id: TargetId, account: Option<&str>, sealed: Box<[u8]>, maker: Maker) -> Self {
        Self {
            id,
            account: account.map(Into::into),
            state: TargetState::Active,
            revision: 1,
            created_at: SystemTime::UNIX_EPOCH,
            failing_since: None,
            waiting: 0,
            sealed,
            maker,
            suspended: None,
            missed: 0,
        }
    }

    /// The account for which its deliveries count: its own, or its maker's if it is one of all accounts.
    pub(super) fn payer(&self) -> &str {
        self.account.as_deref().unwrap_or(&self.maker.account)
    }

    /// The name of its state, as it is shown.
    pub fn shown_state(&self) -> &'static str {
        match self.suspended {
            Some(_) if self.state != TargetState::Disabled => "suspended",
            _ => self.state.as_str(),
        }
    }

    /// What `its` delivery waits for, after "it is sent again": empty if that is nothing.
    pub fn wait_of(&self, its: &str) -> String {
        match self.shown_state() {
            "active" => String::new(),
            state => format!(" once {its} target is active (it is {state})"),
        }
    }
}

opaque_debug!(TargetSettings);

opaque_debug!(PreviousSecret);

opaque_debug!(TargetHeader);
