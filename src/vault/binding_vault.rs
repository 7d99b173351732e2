//! Bindings in the vault.

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::stream::Stream;

use super::time::{from_millis, to_millis};
use super::{
    BindOutcome, Binding, BoundBy, Change, Committed, Expected, FlowState, Login, LoginFlow,
    PersonId, Row, Table, Vault, VaultError,
};
use crate::names::check_user_id;

impl Vault {
    /// The binding of the person whom `issuer` calls `subject`; `None` if they are not bound to an account.
    ///
    /// # Errors
    /// [`VaultError::Unopened`] if the binding does not open, and if the store failed or a
    /// changed key file cannot be read.
    pub async fn binding(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<Binding>, VaultError> {
        let person = PersonId::new(issuer, subject);
        self.record(person.as_str()).await
    }

    pub(crate) async fn bound_account(
        &self,
        person: &PersonId,
    ) -> Result<Option<Arc<str>>, VaultError> {
        let found: Option<Binding> = self.record(person.as_str()).await?;
        Ok(found.map(|binding| binding.user_id))
    }

    /// Binds a person to the account `user_id`, as the operator. A person has one account and an
    /// account one person: neither is taken from another.
    ///
    /// # Errors
    /// [`VaultError::Person`] and [`VaultError::UserId`] for what cannot be stored, and if the keys
    /// or the store failed.
    pub async fn bind(
        &self,
        issuer: &str,
        subject: &str,
        user_id: &str,
    ) -> Result<BindOutcome, VaultError> {
        let row = self.seal_binding(issuer, subject, user_id, BoundBy::Operator);
        self.commit_binding(&Arc::new(row.await?), &[]).await
    }

    /// Ends a binding; `false` if there was none. Once it has answered, no lookup returns it any
    /// more, in this process or another. Also ends one that does not open.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn unbind(&self, issuer: &str, subject: &str) -> Result<bool, VaultError> {
        let person = PersonId::new(issuer, subject);
        self.remove_row("unbind an account", Table::Binding, person.as_str()).await
    }

    /// As [`Self::unbind`], of the person that is bound to the account `user_id`.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn unbind_user(&self, user_id: &str) -> Result<bool, VaultError> {
        // Repeated if the person is bound to another account meanwhile.
        while let Some(row) = self.binding_of(user_id).await? {
            let change = Change::remove(Table::Binding, row);
            if self.commit_one("unbind an account", change).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes the binding to the account `user_id`, and the login flows of both. Returns how many flows there were, and whether
    /// there was a binding.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn remove_person(&self, user_id: &str) -> Result<(u64, bool), VaultError> {
        let person = self.binding_of(user_id).await?.and_then(|row| PersonId::kept(&row.key));
        let was_bound = self.unbind_user(user_id).await?;
        let is_own = |owner: &str| {
            owner == user_id || person.as_ref().is_some_and(|it| it.as_owner() == owner)
        };
        // One that holds a password is destroyed with it when it expires, within minutes.
        let flows = self.remove_rows("remove login flows", Table::LoginFlow, |row| {
            row.count == 0 && is_own(&row.owner)
        });
        Ok((flows.await?, was_bound))
    }

    /// All bindings, in no particular order, in constant memory. One that does not open is an
    /// [`VaultError::Unopened`] item and the listing goes on; any other error ends it.
    pub fn bindings(&self) -> impl Stream<Item = Result<Binding, VaultError>> + Send + use<> {
        self.records()
    }

    /// Stores a password for the account `user_id`, which granted `flow`, binds `person` (issuer and subject)
    /// to that account, and makes the flow [`FlowState::Granted`]: all at one instant, or nothing.
    ///
    /// # Errors
    /// As [`Self::put`] and [`Self::bind`].
    pub async fn grant_flow_and_bind(
        &self,
        flow: &LoginFlow,
        person: (&str, &str),
        user_id: &str,
        login: &Login,
    ) -> Result<BindOutcome, VaultError> {
        let sealing = self.seal_binding(person.0, person.1, user_id, BoundBy::LoginFlow);
        let binding = Arc::new(sealing.await?);
        let (granted, stored) = (FlowState::Granted, Some((user_id, login)));
        let granted =
            self.change_flow(flow, granted, "bind an account", stored, Some(&binding)).await?;
        Ok(granted.1)
    }

    /// Stores `row`, with the changes `with` at the same instant. If the person is bound to this very
    /// account, the binding stays as it is and those changes are made.
    pub(super) async fn commit_binding(
        &self,
        row: &Arc<Row>,
        with: &[Change],
    ) -> Result<BindOutcome, VaultError> {
        let mut held: Option<Arc<Row>> = None;
        loop {
            let binding = Change::Put {
                table: Table::Binding,
                row: held.as_ref().unwrap_or(row).clone(),
                expected: held.clone().map_or(Expected::Nothing, Expected::Row),
            };
            let changes = [&[binding][..], with].concat();
            match self.store().commit("bind an account", changes).await? {
                Committed::Done if held.is_none() => return Ok(BindOutcome::Bound),
                Committed::Done => return Ok(BindOutcome::AlreadyBound),
                Committed::Conflict { at: 0 } => {}
                Committed::Conflict { .. } => return Ok(BindOutcome::FlowChanged),
            }
            // Either the person or the account is bound already.
            held = self.store().get(Table::Binding, &row.key).await?;
            match &held {
                Some(held) if held.owner != row.owner => return Ok(BindOutcome::PersonTaken),
                Some(_) if with.is_empty() => return Ok(BindOutcome::AlreadyBound),
                Some(_) => {}
                None if self.binding_of(&row.owner).await?.is_some() => {
                    return Ok(BindOutcome::AccountTaken);
                }
                // The binding has been removed since.
                None => {}
            }
        }
    }

    async fn binding_of(&self, user_id: &str) -> Result<Option<Arc<Row>>, VaultError> {
        Ok(self.store().page(Table::Binding, Some(user_id), None, 1).await?.pop())
    }

    async fn seal_binding(
        &self,
        issuer: &str,
        subject: &str,
        user_id: &str,
        bound_by: BoundBy,
    ) -> Result<Row, VaultError> {
        check_user_id(user_id).map_err(|_| VaultError::UserId)?;
        let fits = |text: &str| (1..=Binding::MAX_LEN).contains(&text.len());
        if !fits(issuer) || !fits(subject) {
            return Err(VaultError::Person);
        }
        let binding = Binding {
            issuer: issuer.into(),
            subject: subject.into(),
            user_id: user_id.into(),
            bound_at: from_millis(to_millis(SystemTime::now())),
            bound_by,
        };
        let person_id = PersonId::new(issuer, subject).as_str().into();
        let row = Row::new(person_id, binding.user_id.clone(), 0);
        self.seal_row(Table::Binding, row, &binding.encode()).await
    }
}
