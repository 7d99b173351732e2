//! Bindings in the vault.

use std::sync::Arc;
use std::time::SystemTime;

use futures_util::stream::{self, Stream};

use super::associated_data;
use super::cipher::OpenError;
use super::time::{from_millis, to_millis};
use super::{
    AppPassword, BindOutcome, Binding, BindingRecord, BoundBy, FlowGrant, FlowState, LoginFlow,
    Metadata, PersonId, Vault, VaultError,
};
use crate::names::check_user_id;

/// How many bindings a listing holds in memory at once.
const PAGE: usize = 256;

impl Vault {
    /// The binding of the person whom `issuer` calls `subject`; `None` if they are bound to no
    /// account.
    ///
    /// # Errors
    /// [`VaultError::UnopenedBinding`] if the binding does not open, and if the store failed or a
    /// changed key file cannot be read.
    pub async fn binding(
        &self,
        issuer: &str,
        subject: &str,
    ) -> Result<Option<Binding>, VaultError> {
        let person = PersonId::of(issuer, subject);
        let found = match self.store().cached_binding(person.as_str()) {
            Some(known) => known,
            None => self.store().binding(person.as_str()).await?,
        };
        match found {
            Some(record) => self.open_binding(&record).await.map(Some),
            None => Ok(None),
        }
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
        let record = self
            .seal_binding(issuer, subject, user_id, BoundBy::Operator)
            .await?;
        Ok(self.store().bind(record, None).await?)
    }

    /// Ends a binding; `false` if there was none. Once it has answered, no lookup returns it any
    /// more, in this process or another. Also ends one that does not open.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn unbind(&self, issuer: &str, subject: &str) -> Result<bool, VaultError> {
        let person = PersonId::of(issuer, subject);
        Ok(self.store().unbind(person.as_str()).await?)
    }

    /// As [`Self::unbind`], of the person that is bound to the account `user_id`.
    ///
    /// # Errors
    /// If the store failed.
    pub async fn unbind_user(&self, user_id: &str) -> Result<bool, VaultError> {
        let mut after: Option<Arc<str>> = None;
        loop {
            let page = self.store().binding_page(after.as_deref(), PAGE).await?;
            if let Some(bound) = page.iter().find(|bound| *bound.user_id == *user_id) {
                return Ok(self.store().unbind(&bound.person_id).await?);
            }
            if page.len() < PAGE {
                return Ok(false);
            }
            after = page.last().map(|bound| bound.person_id.clone());
        }
    }

    /// All bindings, in no particular order, in constant memory. One that does not open is an
    /// [`VaultError::UnopenedBinding`] item and the listing goes on; any other error ends it.
    pub fn bindings(&self) -> impl Stream<Item = Result<Binding, VaultError>> + Send {
        struct Cursor {
            vault: Vault,
            page: std::vec::IntoIter<BindingRecord>,
            after: Option<Arc<str>>,
            ended: bool,
        }
        let start = Cursor {
            vault: self.clone(),
            page: Vec::new().into_iter(),
            after: None,
            ended: false,
        };
        stream::unfold(start, |mut cursor| async move {
            if cursor.page.len() == 0 && !cursor.ended {
                let store = cursor.vault.store();
                match store.binding_page(cursor.after.as_deref(), PAGE).await {
                    Ok(page) => {
                        cursor.ended = page.len() < PAGE;
                        cursor.after = page.last().map(|record| record.person_id.clone());
                        cursor.page = page.into_iter();
                    }
                    Err(error) => {
                        cursor.ended = true;
                        return Some((Err(error.into()), cursor));
                    }
                }
            }
            let record = cursor.page.next()?;
            Some((cursor.vault.open_binding(&record).await, cursor))
        })
    }

    /// Stores a password for the account `user_id`, which granted `flow`, binds the person whom
    /// `issuer` calls `subject` to that account, and makes the flow [`FlowState::Granted`]: all at
    /// one instant, or nothing. With [`BindOutcome::Bound`] and [`BindOutcome::Already`] comes what
    /// was stored.
    ///
    /// # Errors
    /// As [`Self::put`] and [`Self::bind`].
    pub async fn grant_flow_and_bind(
        &self,
        flow: &LoginFlow,
        (issuer, subject): (&str, &str),
        user_id: &str,
        login_name: &str,
        password: &AppPassword,
    ) -> Result<(BindOutcome, Option<Metadata>), VaultError> {
        let binding = self
            .seal_binding(issuer, subject, user_id, BoundBy::LoginFlow)
            .await?;
        let (record, metadata) = self.seal(user_id, login_name, password, true).await?;
        let mut next = flow.with(FlowState::Granted);
        let mut current = flow.clone();
        loop {
            let grant = FlowGrant {
                record: record.clone(),
                swap: self.swap(&current, &mut next).await?,
            };
            let outcome = self.store().bind(binding.clone(), Some(grant)).await?;
            match outcome {
                BindOutcome::Bound | BindOutcome::Already => return Ok((outcome, Some(metadata))),
                BindOutcome::PersonTaken | BindOutcome::AccountTaken => return Ok((outcome, None)),
                BindOutcome::FlowChanged => match self.resealed(&current).await? {
                    Some(again) => current = again,
                    None => return Ok((outcome, None)),
                },
            }
        }
    }

    async fn seal_binding(
        &self,
        issuer: &str,
        subject: &str,
        user_id: &str,
        bound_by: BoundBy,
    ) -> Result<BindingRecord, VaultError> {
        check_user_id(user_id).map_err(|_| VaultError::UserId)?;
        let fits = |text: &str| (1..=Binding::MAX_LEN).contains(&text.len());
        if !fits(issuer) || !fits(subject) {
            return Err(VaultError::Person);
        }
        self.refresh_keys().await?;
        let binding = Binding {
            issuer: issuer.into(),
            subject: subject.into(),
            user_id: user_id.into(),
            bound_at: from_millis(to_millis(SystemTime::now())),
            bound_by,
        };
        let person_id: Arc<str> = PersonId::of(issuer, subject).as_str().into();
        let associated_data = associated_data::of_binding(&person_id, user_id);
        let keys = self.keyring().keys();
        Ok(BindingRecord {
            sealed: keys.first().seal(&associated_data, &binding.encode())?,
            person_id,
            user_id: binding.user_id,
        })
    }

    async fn open_binding(&self, record: &BindingRecord) -> Result<Binding, VaultError> {
        let associated_data = associated_data::of_binding(&record.person_id, &record.user_id);
        let unopened = |reason| VaultError::UnopenedBinding {
            person: record.person_id.as_ref().into(),
            user_id: record.user_id.as_ref().into(),
            reason,
        };
        let plain = match self
            .open_sealed(&record.user_id, &associated_data, &record.sealed)
            .await
        {
            Err(VaultError::Unopened { reason, .. }) => return Err(unopened(reason)),
            opened => opened?,
        };
        let binding = Binding::decode(&plain, record.user_id.clone());
        binding.ok_or_else(|| unopened(OpenError::Format))
    }
}
