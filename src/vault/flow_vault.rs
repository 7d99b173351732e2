//! Login flows in the vault.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::associated_data;
use super::cipher::OpenError;
use super::handle::unopened;
use super::time::{from_millis, to_millis};
use super::{
    AppPassword, FlowRecord, FlowState, FlowSwap, LoginFlow, Metadata, PersonId, Vault, VaultError,
};
use crate::names::check_user_id;

/// How many login flows a user can have at once; a new one drops the oldest.
const FLOWS_PER_USER: usize = 16;

/// How many flows a search holds in memory at once.
const PAGE: usize = 256;

impl Vault {
    /// Stores a new login flow of `user_id`, an account id or [`PersonId::as_owner`], that expires at
    /// `expires_at`. A user has 16 at most, not
    /// counting those that hold a password: a further one drops the oldest.
    ///
    /// # Errors
    /// If the user id cannot be stored, or the store failed.
    pub async fn put_flow(
        &self,
        user_id: &str,
        expires_at: SystemTime,
        state: FlowState,
    ) -> Result<LoginFlow, VaultError> {
        if !PersonId::is_owner(user_id) {
            check_user_id(user_id).map_err(|_| VaultError::UserId)?;
        }
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let mut flow = LoginFlow {
            flow_id: URL_SAFE_NO_PAD.encode(random).into(),
            user_id: user_id.into(),
            expires_at: from_millis(to_millis(expires_at)),
            state,
            sealed: Box::default(),
        };
        flow.sealed = self.seal_flow(&flow).await?;
        let record = FlowRecord {
            flow_id: flow.flow_id.clone(),
            user_id: flow.user_id.clone(),
            expires_at: flow.expires_at,
            sealed: flow.sealed.clone(),
            holds_password: flow.state.holds_password(),
        };
        self.store().put_flow(record, FLOWS_PER_USER).await?;
        Ok(flow)
    }

    /// The login flow `flow_id` of `user_id`; `None` for one of another user, an unknown and an
    /// expired one.
    ///
    /// # Errors
    /// As [`Self::credential`].
    pub async fn flow(
        &self,
        user_id: &str,
        flow_id: &str,
    ) -> Result<Option<LoginFlow>, VaultError> {
        let Some(record) = self.store().flow(flow_id).await? else {
            return Ok(None);
        };
        if *record.user_id != *user_id || record.expires_at <= SystemTime::now() {
            return Ok(None);
        }
        self.open_flow(record).await.map(Some)
    }

    /// The login flows of all users that hold a password and have expired at `now`. One that does
    /// not open is passed over.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn expired_flows_with_password(
        &self,
        now: SystemTime,
    ) -> Result<Vec<LoginFlow>, VaultError> {
        let (mut flows, mut after) = (Vec::new(), None);
        loop {
            let page = self.store().flow_page(after.as_deref(), PAGE).await?;
            after = page.last().map(|flow| flow.flow_id.clone());
            let ended = page.len() < PAGE;
            for record in page {
                if record.holds_password && record.expires_at <= now {
                    flows.extend(self.open_flow(record).await.ok());
                }
            }
            if ended {
                return Ok(flows);
            }
        }
    }

    /// Removes the login flow; `false`, and nothing changes, if another call changed it first.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove_flow(&self, flow: &LoginFlow) -> Result<bool, VaultError> {
        let store = self.store();
        Ok(store.remove_flow(&flow.flow_id, &flow.sealed).await?)
    }

    async fn open_flow(&self, record: FlowRecord) -> Result<LoginFlow, VaultError> {
        let associated_data =
            associated_data::of_flow(&record.flow_id, &record.user_id, record.expires_at);
        let plain = self
            .open_sealed(&record.user_id, &associated_data, &record.sealed)
            .await?;
        let unread = || unopened(&record.user_id, OpenError::Format);
        let state = FlowState::decode(&plain).ok_or_else(unread)?;
        Ok(LoginFlow {
            flow_id: record.flow_id,
            user_id: record.user_id,
            expires_at: record.expires_at,
            state,
            sealed: record.sealed,
        })
    }

    /// The same flow in the new `state`; `None`, and nothing changes, if another call changed the
    /// flow first or it is gone.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn update_flow(
        &self,
        flow: &LoginFlow,
        state: FlowState,
    ) -> Result<Option<LoginFlow>, VaultError> {
        let mut next = flow.with(state);
        let mut current = flow.clone();
        loop {
            let swap = self.swap(&current, &mut next).await?;
            if self.store().swap_flow(swap).await? {
                return Ok(Some(next));
            }
            match self.resealed(&current).await? {
                Some(again) => current = again,
                None => return Ok(None),
            }
        }
    }

    /// Stores a password for the owner of `flow` and makes the flow [`FlowState::Granted`], both
    /// at one instant; `None`, and nothing changes, if another call changed the flow or it is gone.
    /// So a second, late pickup of one password cannot bring back what was removed since.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub async fn grant_flow(
        &self,
        flow: &LoginFlow,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<Option<Metadata>, VaultError> {
        let (record, metadata) = self.seal(&flow.user_id, login_name, password, true).await?;
        let mut next = flow.with(FlowState::Granted);
        let mut current = flow.clone();
        loop {
            let swap = self.swap(&current, &mut next).await?;
            if self.store().put(record.clone(), Some(swap)).await? {
                return Ok(Some(metadata));
            }
            match self.resealed(&current).await? {
                Some(again) => current = again,
                None => return Ok(None),
            }
        }
    }

    /// Drops the login flows that have expired and hold no password; returns how many there were.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove_expired_flows(&self) -> Result<u64, VaultError> {
        Ok(self.store().remove_expired_flows(SystemTime::now()).await?)
    }

    async fn seal_flow(&self, flow: &LoginFlow) -> Result<Box<[u8]>, VaultError> {
        self.refresh_keys().await?;
        let associated_data =
            associated_data::of_flow(&flow.flow_id, &flow.user_id, flow.expires_at);
        let keys = self.keyring().keys();
        Ok(keys.first().seal(&associated_data, &flow.state.encode())?)
    }

    /// Seals `next`, which is to take the place of `current`.
    pub(super) async fn swap(
        &self,
        current: &LoginFlow,
        next: &mut LoginFlow,
    ) -> Result<FlowSwap, VaultError> {
        next.sealed = self.seal_flow(next).await?;
        Ok(FlowSwap {
            flow_id: current.flow_id.clone(),
            from: current.sealed.clone(),
            to: next.sealed.clone(),
            holds_password: next.state.holds_password(),
        })
    }

    /// `flow` as it is stored now, if a rotation of the keys is all that changed it. A change that
    /// comes at the same time as a rotation is tried again with the answer: the password that it
    /// stores was handed out once and would be lost.
    pub(super) async fn resealed(&self, flow: &LoginFlow) -> Result<Option<LoginFlow>, VaultError> {
        let stored = self.flow(&flow.user_id, &flow.flow_id).await?;
        Ok(
            stored
                .filter(|it| it.sealed != flow.sealed && it.state.encode() == flow.state.encode()),
        )
    }
}
