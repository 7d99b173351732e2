//! Calls of the groupware server as one of its users.

use std::net::IpAddr;

use super::call::{Answer, Call};
use super::{Account, Groupware, GroupwareError, Reply, WriteError};

/// A server, the account to act as, and the client address to forward: everything that a call needs.
///
/// Each method makes one request that the server processes (docs/API.md, section 8);
/// [`app_ids`](Self::app_ids) makes a second one if the answer names no account. The [`Reply`] contains what
/// the answer shows about the login; an answer for a different account is [`GroupwareError::OtherAccount`].
///
/// ```no_run
/// use portreeve::groupware::{Account, Groupware};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Groupware::new("https://cloud.example.org".parse()?, Default::default())?;
/// let account = Account::new("alice", "alice", "7xK2m-Qp4sd-9fGhj-2LmNb-5tRvc")?;
/// let access = server.access(account);
/// for app in access.app_ids().await.result?.to_vec() {
///     println!("{app}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Access {
    /// The server.
    pub groupware: Groupware,
    /// The account that the calls are made as.
    pub account: Account,
    /// Sent as `X-Forwarded-For`, if it is known.
    pub client_address: Option<IpAddr>,
}

// === impl Groupware ===

impl Groupware {
    /// Calls the server as `account`, without a client address.
    pub fn access(&self, account: Account) -> Access {
        Access { groupware: self.clone(), account, client_address: None }
    }
}

// === impl Access ===

impl Access {
    pub(super) fn call<T>(
        &self,
        mut call: Call,
        read: impl FnOnce(&Answer) -> Result<T, GroupwareError>,
    ) -> impl Future<Output = Reply<T>> {
        self.authorize(&mut call);
        async move {
            let reply = |answer: Answer| answer.reply(&self.account, read);
            self.groupware.call(&call, reply).await
        }
    }

    /// The same of a call that may change something, if it can be made.
    pub(super) async fn write<T>(
        &self,
        call: Result<Call, GroupwareError>,
        read: impl FnOnce(&Answer) -> Result<T, GroupwareError>,
    ) -> Reply<T, WriteError> {
        match call {
            Ok(call) => self.call(call, read).await.and_then(Ok),
            Err(error) => Reply::failed(error),
        }
    }

    // Apart from the futures: an `async fn` keeps room for its arguments twice.
    pub(super) fn authorize(&self, call: &mut Call) {
        call.authorization = Some(self.account.authorization());
        call.forwarded = self.client_address;
    }
}
