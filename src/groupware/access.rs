//! Calls of the groupware server as one of its users.

use std::net::IpAddr;

use futures_util::future::BoxFuture;

use super::call::{Answer, Call};
use super::ocs::names_only;
use super::{Account, Groupware, GroupwareError, LoginEvidence, Reply, WriteError, notes};

/// A server, the account to act as, and the client address to forward: everything that a call needs.
///
/// Each method makes one request that the server processes (docs/API.md, section 8), and a second one for the
/// [`user`](Self::user) if the answer names no account: [`app_ids`](Self::app_ids) each time, others once per login.
/// The [`Reply`] has what the answer shows of the login; one for another account is [`GroupwareError::OtherAccount`].
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
    pub(super) fn call<T: Send>(
        &self,
        mut call: Call,
        read: impl FnOnce(&Answer) -> Result<T, GroupwareError>,
    ) -> impl Future<Output = Reply<T>> {
        self.authorize(&mut call);
        async move {
            let mut named = None;
            let reply = |answer: Answer| {
                named = names_only(&answer.headers, self.account.user_id());
                answer.reply(named, read)
            };
            match self.groupware.call(&call, reply).await {
                Reply { result: Ok(answered), login }
                    if named.is_none() && call.route.is_of_webhooks() && !self.is_confirmed() =>
                {
                    self.confirm(answered, login).await
                }
                reply => reply,
            }
        }
    }

    /// Whether the login was found to be that of the account.
    pub(super) fn is_confirmed(&self) -> bool {
        self.groupware.0.confirmed.get(&self.account.digest()).is_some()
    }

    /// `answered`, which names nobody, after checking whose login it was given to. If that cannot be found out, it
    /// counts, except one that anybody gets, for a bearer token, which may be unknown to the server.
    // Boxed, as it is seldom needed, and makes a call of its own.
    pub(super) fn confirm<'a, T: Send + 'a>(
        &'a self,
        answered: T,
        shown: LoginEvidence,
    ) -> BoxFuture<'a, Reply<T>> {
        Box::pin(async move {
            let Reply { result, login } = self.user().await;
            // What the answer has shown stays true: a write must not be repeated.
            let is_undecided = shown == LoginEvidence::Accepted
                || login == LoginEvidence::None && !self.account.is_bearer();
            match result {
                Ok(_) => self.groupware.0.confirmed.insert(self.account.digest(), ()),
                Err(error @ GroupwareError::OtherAccount) => return Reply::failed(error),
                Err(_) if is_undecided => return Reply { result: Ok(answered), login: shown },
                Err(error) => return Reply { result: Err(error), login },
            }
            Reply { result: Ok(answered), login }
        })
    }

    /// The same of a call that may change something, if it can be made.
    pub(super) async fn write<T: Send>(
        &self,
        call: Result<Call, GroupwareError>,
        read: impl FnOnce(&Answer) -> Result<T, GroupwareError>,
    ) -> Reply<T, WriteError> {
        notes::record_change(true);
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
