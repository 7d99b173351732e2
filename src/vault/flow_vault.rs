//! Login flows in the vault.

use std::mem::discriminant;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::TryStreamExt as _;

use super::time::to_millis;
use super::{
    BindOutcome, Change, FlowState, Login, LoginFlow, Metadata, PersonId, Row, Table, Vault,
    VaultError,
};
use crate::names::check_user_id;
use crate::random;

/// How many login flows a user can have at once; a new one drops the oldest.
const FLOWS_PER_USER: usize = 16;

impl Vault {
    /// Stores a new login flow of `user_id`, an account id or [`PersonId::as_owner`], that expires at `expires_at`. A
    /// user has 16 at most, not counting those that hold a password: a further one drops the oldest.
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
        let random: [_; 16] = random::bytes().map_err(VaultError::Random)?;
        let flow_id = URL_SAFE_NO_PAD.encode(random).into();
        let row = Row::new(flow_id, user_id.into(), to_millis(expires_at));
        let flow = self.seal_flow(row, state).await?;
        let action = "store a login flow";
        let stored = Change::put(Table::LoginFlow, Row::clone(&flow.row));
        self.commit_one(action, stored).await?;
        // Those of calls at the same time are counted, too: the last call to read finds all of them.
        loop {
            let owner = Some(user_id);
            let mut flows = self.store().page(Table::LoginFlow, owner, None, usize::MAX).await?;
            flows.retain(|row| row.count == 0);
            let surplus = flows.len().saturating_sub(FLOWS_PER_USER);
            if surplus == 0 {
                return Ok(flow);
            }
            // Each of these calls drops the same, perhaps its own: if each spared its own, they would drop too many.
            flows.sort_unstable_by(|a, b| (a.number, &a.key).cmp(&(b.number, &b.key)));
            let oldest = flows.into_iter().take(surplus);
            let drops = oldest.map(|row| Change::remove(Table::LoginFlow, row));
            // If another call has changed or dropped one of them since, none is dropped.
            let committed = self.store().commit(action, drops.collect()).await?;
            if committed.is_done() {
                return Ok(flow);
            }
        }
    }

    /// The login flow `flow_id` of `user_id`; `None` for one of another user, an unknown and an expired one.
    ///
    /// # Errors
    /// As [`Self::credential`].
    pub async fn flow(
        &self,
        user_id: &str,
        flow_id: &str,
    ) -> Result<Option<LoginFlow>, VaultError> {
        let row = self.store().get(Table::LoginFlow, flow_id).await?;
        let now = to_millis(SystemTime::now());
        match row.filter(|row| *row.owner == *user_id && row.number > now) {
            Some(row) => self.open_row(&row).await.map(Some),
            None => Ok(None),
        }
    }

    /// The login flows of all users that hold a password and have expired at `now`. One that does not open is skipped.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn expired_flows_with_password(
        &self,
        now: SystemTime,
    ) -> Result<Vec<LoginFlow>, VaultError> {
        let mut flows = Vec::new();
        let mut all = std::pin::pin!(self.rows(Table::LoginFlow));
        while let Some(row) = all.try_next().await? {
            if row.count > 0 && row.number <= to_millis(now) {
                flows.extend(self.open_row(&row).await.ok());
            }
        }
        Ok(flows)
    }

    /// Removes the login flow; `false`, and nothing changes, if another call changed it first.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove_flow(&self, flow: &LoginFlow) -> Result<bool, VaultError> {
        let change = Change::remove(Table::LoginFlow, flow.row.clone());
        self.commit_one("remove a login flow", change).await
    }

    /// The same flow in the new `state`; `None`, and nothing changes, if another call changed the flow first or it is gone.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn update_flow(
        &self,
        flow: &LoginFlow,
        state: FlowState,
    ) -> Result<Option<LoginFlow>, VaultError> {
        let action = "change a login flow";
        let (flow, outcome, _) = self.change_flow(flow, state, action, None, None).await?;
        Ok((outcome != BindOutcome::FlowChanged).then_some(flow))
    }

    /// Stores a password for the owner of `flow` and makes the flow [`FlowState::Granted`], both
    /// at one instant; `None`, and nothing changes, if another call changed the flow or it is gone.
    /// Thus a second, late pickup of a password cannot restore a credential that has been removed since.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub async fn grant_flow(
        &self,
        flow: &LoginFlow,
        login: &Login,
    ) -> Result<Option<Metadata>, VaultError> {
        let (granted, stored) = (FlowState::Granted, Some((flow.user_id(), login)));
        let granted = self.change_flow(flow, granted, "store a credential", stored, None);
        let (_, outcome, metadata) = granted.await?;
        Ok(metadata.filter(|_| outcome != BindOutcome::FlowChanged))
    }

    /// Drops the login flows that have expired and hold no password; returns how many there were.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove_expired_flows(&self) -> Result<u64, VaultError> {
        let now = to_millis(SystemTime::now());
        let is_over = |row: &Row| row.count == 0 && row.number <= now;
        self.remove_rows("remove expired login flows", Table::LoginFlow, is_over).await
    }

    /// Changes the state of `flow`, and at the same instant stores `login` for an account and `binding`, if there are any;
    /// [`BindOutcome::FlowChanged`] if the flow is not as it was read. A change that comes at the same time as a rotation, as
    /// a poll by another gateway, or as a change of the password that is replaced, is tried again: the password that it
    /// stores was handed out once and would be lost.
    pub(super) async fn change_flow(
        &self,
        flow: &LoginFlow,
        state: FlowState,
        action: &'static str,
        login: Option<(&str, &Login)>,
        binding: Option<&Arc<Row>>,
    ) -> Result<(LoginFlow, BindOutcome, Option<Metadata>), VaultError> {
        let mut current = flow.clone();
        loop {
            let next = self.seal_flow(Row::clone(&current.row), state.clone()).await?;
            let row = Row::clone(&next.row);
            let mut changes = vec![Change::replace(Table::LoginFlow, current.row.clone(), row)];
            let mut stored = None;
            if let Some((user_id, Login { name, password })) = login {
                let replacement = self.replace_credential(user_id, name, password, true);
                let (change, metadata) = replacement.await?;
                changes.push(change);
                stored = Some(metadata);
            }
            let outcome = match binding {
                Some(binding) => self.commit_binding(binding, &changes).await?,
                None if self.store().commit(action, changes).await?.is_done() => BindOutcome::Bound,
                None => BindOutcome::FlowChanged,
            };
            if outcome != BindOutcome::FlowChanged {
                return Ok((next, outcome, stored));
            }
            let found = self.flow(flow.user_id(), flow.flow_id()).await?;
            let is_same = |it: &LoginFlow| discriminant(&it.state) == discriminant(&current.state);
            match found.filter(is_same) {
                Some(found) => current = found,
                None => return Ok((next, outcome, stored)),
            }
        }
    }

    async fn seal_flow(&self, mut row: Row, state: FlowState) -> Result<LoginFlow, VaultError> {
        row.count = state.login().is_some().into();
        let plain = state.encode();
        let row = Arc::new(self.seal_row(Table::LoginFlow, row, &plain).await?);
        Ok(LoginFlow { state, row })
    }
}
