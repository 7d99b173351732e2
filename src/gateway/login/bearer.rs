//! Whether the server takes app passwords as bearer tokens and throttles HTTP Basic (docs/ARCHITECTURE.md, "Logins").

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::outbound::HttpUrl;
use crate::tally::FailureTally;
use crate::until::Until;
use crate::vault::Vault;

/// How long no login by HTTP Basic is tried after one was throttled.
const THROTTLED_FOR: Duration = Duration::from_secs(60);

/// How long no bearer token is sent to a server that took none.
const WITHOUT_FOR: Duration = Duration::from_secs(60 * 60);

/// Whether app passwords are sent as bearer tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BearerLogins {
    /// When no permit for HTTP Basic is free, or the password may be wrong, unless the server takes no bearer tokens.
    #[default]
    Auto,
    /// Never: for a server that passes bearer tokens on to others, or refuses them.
    Off,
}

/// The state of a server's logins, as far as it is known.
#[derive(Debug)]
pub(super) struct Bearer {
    is_off: bool,
    works: AtomicBool,
    takes_none: Until,
    is_throttled: Until,
    /// Each call would write a line while the store cannot be read.
    unanswered: FailureTally,
}

impl Bearer {
    pub(super) fn new(logins: BearerLogins) -> Self {
        Self {
            is_off: logins == BearerLogins::Off,
            works: AtomicBool::new(false),
            takes_none: Until::new(),
            is_throttled: Until::new(),
            unanswered: FailureTally::new(|count, error| {
                tracing::warn!(
                    parent: None, count, error,
                    "the store could not be asked whether the server takes bearer tokens"
                );
            }),
        }
    }

    pub(super) fn may_be_tried(&self) -> bool {
        !self.is_off && !self.takes_none.holds()
    }

    /// Whether the server is known to take bearer tokens, so that a refused one proves that the password is invalid.
    pub(super) fn works(&self) -> bool {
        self.works.load(Ordering::Relaxed)
    }

    /// Like [`works`](Self::works), but also looks it up in the store.
    pub(super) async fn is_known_to_work(&self, vault: &Vault, server: &HttpUrl) -> bool {
        if self.works() {
            return true;
        }
        let is_known = match vault.is_bearer_server(&server.to_string()).await {
            Ok(is_known) => is_known,
            Err(error) => {
                self.unanswered.count(&error);
                false
            }
        };
        if is_known {
            self.works.store(true, Ordering::Relaxed);
        }
        is_known
    }

    pub(super) async fn worked(&self, vault: &Vault, server: &HttpUrl) {
        self.works.store(true, Ordering::Relaxed);
        let server = server.to_string();
        let noted = match vault.is_bearer_server(&server).await {
            Ok(true) => Ok(()),
            Ok(false) => vault.put_bearer_server(&server).await,
            Err(error) => Err(error),
        };
        if let Err(error) = noted {
            tracing::warn!(%error, "it could not be stored that the server takes bearer tokens");
        }
    }

    /// The server refused a password by bearer token and accepted it by HTTP Basic.
    pub(super) fn did_not_work(&self) {
        self.takes_none.set(WITHOUT_FOR);
        tracing::warn!(
            "the groupware server takes app passwords only by HTTP Basic: few calls at a time, and none once \
             refusals have used up refused_login_budget (docs/OPERATIONS.md, \"Refused app passwords\")"
        );
    }

    pub(super) fn is_throttled(&self) -> bool {
        self.is_throttled.holds()
    }

    pub(super) fn throttled(&self) {
        self.is_throttled.set(THROTTLED_FOR);
    }
}
