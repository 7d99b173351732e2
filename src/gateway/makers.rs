//! Whether administrators who made targets for others still are administrators (docs/API.md, section 12.2, rule 7).
//!
//! While deliveries go on, nobody makes a request: so members of the group are asked about in the background, with their
//! own passwords. A scope is seen in requests alone.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use futures_util::{StreamExt as _, stream};
use tokio::runtime::Handle;
use tokio::time::MissedTickBehavior;

use super::{Error, Logins, User};
use crate::deliveries::{Deliveries, Maker, QueueError};
use crate::groupware::{Access, AccountInfo, Groupware};
use crate::opaque::opaque_debug;

/// How often it is looked whether there is something to do.
const INTERVAL: Duration = Duration::from_secs(60);
/// How often the server is asked about a member, and how long the last answer counts if there is no other.
const ASK_EVERY: Duration = Duration::from_secs(3600);
const ASK_EARLIER: Duration = Duration::from_secs(3600 - 60);
const MEMBER_FOR: Duration = Duration::from_secs(24 * 3600);
/// How long a scope counts that was not seen again, and how often it is noted that it was.
const SCOPE_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
const ASKED_AT_ONCE: usize = 4;

/// The makers of targets, as far as the gateway has to look after them.
pub(crate) struct Makers {
    deliveries: Deliveries,
    logins: Logins,
    groupware: Option<Groupware>,
    /// The scope that administrators have; without it, they are members of a group.
    scope: Option<Box<str>>,
    /// With a scope, the accounts and persons who have targets for others, and whether it was noted that they still have it.
    awaited: ArcSwap<Awaited>,
}

type Awaited = HashMap<(Box<str>, Box<str>), bool>;

impl Makers {
    /// Looks after them until the last clone is dropped.
    pub(super) fn start(
        deliveries: Deliveries,
        logins: Logins,
        groupware: Option<Groupware>,
        scope: Option<Box<str>>,
        mut are_bound: bool,
    ) -> Arc<Self> {
        let makers =
            Arc::new(Self { deliveries, logins, groupware, scope, awaited: ArcSwap::default() });
        let weak = Arc::downgrade(&makers);
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                let mut interval = tokio::time::interval(INTERVAL);
                interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
                loop {
                    interval.tick().await;
                    let Some(makers) = weak.upgrade() else { return };
                    // What was made before accounts were bound goes with the binding, too.
                    if are_bound {
                        are_bound = makers.deliveries.queue().bind_makers().await.is_err();
                    }
                    if let Err(error) = makers.look().await {
                        tracing::debug!(%error, "the makers of targets could not be looked after");
                    }
                }
            });
        }
        makers
    }

    /// They made a target.
    pub(super) fn made(&self, maker: &Maker) {
        if self.scope.is_some() && maker.as_administrator {
            self.set_awaited(maker, Some(false));
        }
    }

    /// A request of `user`: without the scope of administrators, what they made as one is suspended.
    pub(super) fn saw(self: &Arc<Self>, user: &User) {
        let Some(scope) = &self.scope else { return };
        let awaited = self.awaited.load();
        if awaited.is_empty() {
            return;
        }
        let maker = user.as_maker(true);
        let has_scope = user.has_scope(scope);
        match awaited.get(&key(&maker)) {
            Some(is_noted) if !(has_scope && *is_noted) => {}
            _ => return,
        }
        self.set_awaited(&maker, has_scope.then_some(true));
        let makers = self.clone();
        tokio::spawn(async move {
            let queue = makers.deliveries.queue();
            match queue.maker_seen(&maker, has_scope).await {
                Ok(suspended) => makers.deliveries.record_suspended(&suspended),
                Err(_) => makers.set_awaited(&maker, Some(false)),
            }
        });
    }

    /// Whether a request of theirs was noted; `None` if they have no such targets any more.
    fn set_awaited(&self, maker: &Maker, is_noted: Option<bool>) {
        self.awaited.rcu(|awaited| {
            let mut awaited = HashMap::clone(awaited);
            match is_noted {
                Some(is_noted) => _ = awaited.insert(key(maker), is_noted),
                None => _ = awaited.remove(&key(maker)),
            }
            awaited
        });
    }

    async fn look(&self) -> Result<(), QueueError> {
        let queue = self.deliveries.queue();
        // First, since a target is sent to at once when the account is its maker's again.
        self.look_after_administrators().await?;
        let mut after = None;
        loop {
            let bound = queue.bound_targets(after).await?;
            let Some(last) = bound.last() else { return Ok(()) };
            after = Some(last.id);
            for target in &bound {
                // One whose binding does not open stays as it is.
                _ = self.deliveries.check_binding(target).await;
            }
        }
    }

    async fn look_after_administrators(&self) -> Result<(), QueueError> {
        let queue = self.deliveries.queue();
        if !queue.has_administrators().await? {
            self.awaited.store(Arc::default());
            return Ok(());
        }
        let within = if self.scope.is_some() { SCOPE_FOR } else { MEMBER_FOR };
        if self.scope.is_some() {
            let awaited = queue.administrators().await?.into_iter();
            let awaited = awaited.map(|maker| (maker, false));
            self.awaited.store(Arc::new(awaited.collect()));
        } else {
            let (makers, asked) = queue.makers_to_ask(ASK_EVERY).await?;
            let asking = stream::iter(makers).for_each_concurrent(ASKED_AT_ONCE, async |maker| {
                match self.is_member(&maker).await {
                    Some(Ok(is_administrator)) => {
                        let confirming = queue.confirm_maker(&maker, is_administrator, asked).await;
                        self.deliveries.record_suspended(&confirming.unwrap_or_default());
                    }
                    // Nobody could be asked.
                    None | Some(Err(Error::NotProvisioned | Error::Suspended)) => {}
                    // If that fails, too, it is asked when it is due.
                    Some(Err(_)) => _ = queue.ask_earlier(&maker, asked, ASK_EARLIER).await,
                }
            });
            asking.await;
        }
        let suspended = queue.suspend_unconfirmed(within).await?;
        self.deliveries.record_suspended(&suspended);
        Ok(())
    }

    /// `None` without a groupware server.
    async fn is_member(&self, account: &str) -> Option<Result<bool, Error>> {
        let groupware = self.groupware.as_ref()?;
        Some(is_member(&self.logins, groupware, account, None).await)
    }
}

/// An account, and the person who has it: one account may have several.
fn key(maker: &Maker) -> (Box<str>, Box<str>) {
    let person = maker.person.as_ref().map_or("", |it| it.as_str());
    (maker.account.clone(), person.into())
}

/// Whether an account is a member of the administrators. Asks the groupware server, with the account's own credential.
pub(crate) async fn is_member(
    logins: &Logins,
    groupware: &Groupware,
    account: &str,
    client_address: Option<IpAddr>,
) -> Result<bool, Error> {
    let mut call = |access: Access| async move {
        let reply = access.user().await;
        Ok(reply.and_then(|user: AccountInfo| Ok(user.is_administrator())))
    };
    logins.use_stored(account, groupware, client_address, |_| Ok(()), &mut call).await
}

opaque_debug!(Makers);
