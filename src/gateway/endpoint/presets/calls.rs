//! The calls of the groupware server for a preset. Each is made with the caller's stored password, as for
//! a request by the caller.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::PresetRequest;
use super::registration::Registration;
use crate::gateway::{Error, PresetWebhook};
use crate::groupware::{Access, GroupwareError, NewWebhook, Reply};

// === impl PresetRequest ===

impl PresetRequest {
    /// The registrations of the preset, sorted by id: all of them, or at least those for `uri`.
    pub(super) async fn registrations(
        &self,
        uri: Option<&str>,
    ) -> Result<Vec<Registration>, Error> {
        let uri = uri.map(Arc::<str>::from);
        let list = move |access: Access| {
            let uri = uri.clone();
            async move {
                match uri {
                    Some(uri) => access.webhooks_at(&uri).await,
                    None => access.webhooks().await,
                }
            }
        };
        let json = self.call(list).await?;
        let listed: Vec<&RawValue> = serde_json::from_slice(json.as_bytes()).map_err(|error| {
            Error::Groupware(GroupwareError::Unreadable {
                reason: "registrations that cannot be read",
                source: Some(error.into()),
            })
        })?;
        let registrations = listed.into_iter().filter_map(Registration::parse);
        let registrations = registrations.filter(|it| self.target.includes(it));
        let mut registrations: Vec<_> = registrations.collect();
        registrations.sort_unstable_by_key(|registration| registration.id);
        Ok(registrations)
    }

    /// Registers `webhook` at `uri`.
    pub(super) async fn register(&self, webhook: &PresetWebhook, uri: &str) -> Result<(), Error> {
        let delivery = self.services.delivery.as_ref();
        let wanted = Arc::new(NewWebhook {
            event: webhook.event.to_string(),
            uri: uri.to_owned(),
            filter: webhook.event_filter.clone(),
            authorization: delivery.map(|delivery| delivery.authorization_for(uri)),
        });
        let register = move |access: Access| {
            let wanted = wanted.clone();
            async move { access.create_webhook(&wanted).await }
        };
        self.call(register).await.map(drop)
    }

    /// Deletes a registration, if it is still there.
    pub(super) async fn delete(&self, id: i64) -> Result<(), Error> {
        let delete = move |access: Access| async move { access.delete_webhook(id).await };
        self.call(delete).await.map(drop)
    }

    async fn call<T, F, E>(&self, mut call: impl FnMut(Access) -> F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Reply<T, E>> + Send + 'static,
        Error: From<E>,
    {
        let groupware = self.services.groupware()?;
        let mut call = move |access| {
            let reply = call(access);
            async move { Ok::<_, Error>(reply.await.and_then(Ok)) }
        };
        let user_id = self.context.principal().require_user()?.user_id();
        let client_address = self.context.client_address();
        let logins = &self.services.logins;
        let called = logins.use_stored(user_id, &groupware, client_address, &mut call);
        called.await
    }
}
