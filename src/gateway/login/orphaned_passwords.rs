//! Passwords that the groupware server handed out in a login flow: each is stored, or destroyed at the server. None
//! is dropped, since nobody else knows it.
//!
//! The server hands out a password once, and from then on it is in the vault: in its flow until it is stored, and in a
//! separate flow while it waits to be destroyed. Passwords that remain there, because of a crash, an unreachable
//! server or a client that stopped polling, are destroyed later.

use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use super::{Inner, Logins};
use crate::gateway::Error;
use crate::groupware::Groupware;
use crate::vault::{FlowState, Login, LoginFlow};

/// How often remaining passwords are looked for.
const INTERVAL: Duration = Duration::from_secs(60);

impl Logins {
    /// Destroys remaining passwords at `groupware`, now and every minute, until this is called again or the last
    /// clone of this is dropped. Without a runtime, only the start of a login flow does.
    pub(crate) fn spawn_cleanup(&self, groupware: Option<Groupware>) {
        let cleanup = groupware.zip(Handle::try_current().ok()).map(|(groupware, runtime)| {
            let inner = Arc::downgrade(&self.inner);
            AbortOnDropHandle::new(runtime.spawn(async move {
                let mut interval = tokio::time::interval(INTERVAL);
                interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
                loop {
                    interval.tick().await;
                    let Some(inner) = Weak::<Inner>::upgrade(&inner) else {
                        return;
                    };
                    Self { inner }.destroy_leftovers(&groupware).await;
                }
            }))
        });
        *self.inner.cleanup.lock() = cleanup;
    }

    /// Destroys the passwords that were handed out in flows that have expired.
    pub(crate) async fn destroy_leftovers(&self, groupware: &Groupware) {
        let vault = self.vault();
        let flows = match vault.expired_flows_with_password(SystemTime::now()).await {
            Ok(flows) => flows,
            Err(error) => {
                tracing::warn!(%error, "the expired login flows could not be read");
                return;
            }
        };
        for flow in flows {
            let (logins, groupware) = (self.clone(), groupware.clone());
            let user = flow.user_id().to_owned();
            let destroyed = self.run_to_end(async move {
                let _lock = logins.lock(flow.user_id()).await;
                // Another gateway may have destroyed it meanwhile: to destroy it again would be a refused login.
                let state = flow.state.clone();
                match logins.vault().update_flow(&flow, state).await? {
                    Some(flow) => logins.destroy_leftover(&groupware, &flow).await,
                    None => Ok(()),
                }
            });
            if let Err(error) = destroyed.await {
                tracing::warn!(
                    %error, user,
                    "a password that the groupware server handed out could not be destroyed yet, and still works: another try follows"
                );
            }
        }
    }

    /// Like [`Self::destroy_leftovers`], in the background.
    pub(crate) fn destroy_leftovers_soon(&self, groupware: &Groupware) {
        let (logins, groupware) = (self.clone(), groupware.clone());
        let destroy = async move { logins.destroy_leftovers(&groupware).await };
        self.inner.tasks.spawn(destroy);
    }

    /// Destroys a password that was handed out and will not be stored, at once if possible.
    pub(crate) async fn end(
        &self,
        groupware: &Groupware,
        user_id: &str,
        login: &Login,
    ) -> Result<(), Error> {
        let discarded = self.discard(user_id, login.clone()).await?;
        self.destroy_leftover(groupware, &discarded).await
    }

    /// Records that the password of `login` is to be destroyed, before it is replaced, so that it is found after a crash.
    /// [`Self::destroy_leftover`] destroys it.
    pub(super) async fn discard(&self, user_id: &str, login: Login) -> Result<LoginFlow, Error> {
        let (now, state) = (SystemTime::now(), FlowState::Discarded(login));
        Ok(self.vault().put_flow(user_id, now, state).await?)
    }

    /// Destroys the password in `flow`, unless it is the stored one, and removes the flow. The
    /// caller holds the right to change the user's password.
    pub(super) async fn destroy_leftover(
        &self,
        groupware: &Groupware,
        flow: &LoginFlow,
    ) -> Result<(), Error> {
        if let Some(login) = flow.state.login() {
            let user_id = flow.user_id();
            let stored = self.vault().credential(user_id).await?;
            let is_stored = stored.is_some_and(|stored| stored.password == login.password);
            if !is_stored {
                self.destroy(groupware, user_id, login, None).await?;
            }
        }
        self.vault().remove_flow(flow).await?;
        Ok(())
    }
}
