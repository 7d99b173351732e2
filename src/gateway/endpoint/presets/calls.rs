//! The calls of the groupware server for a preset, with the caller's stored password, as for any request.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::PresetRequest;
use super::registration::Registration;
use crate::gateway::{Error, PresetWebhook};
use crate::groupware::{Access, GroupwareError, NewWebhook, Reply};
use crate::vault::Registered;

impl PresetRequest {
    /// The registrations that may be of presets, sorted by id: all of them, or at least those for `uri`. Those of a former
    /// address of the gateway count as its own.
    pub(super) async fn registrations(
        &self,
        uri: Option<&str>,
    ) -> Result<Vec<Registration>, Error> {
        let own = self.services.own_address.as_deref();
        let known = match own.filter(|own| uri.is_none_or(|uri| uri == *own)) {
            Some(_) => self.services.logins.vault().registered().await?,
            None => BTreeMap::new(),
        };
        let is_former = |it: &Registered| !it.credential.is_empty() && Some(&*it.address) != own;
        let uri = uri.filter(|_| !known.values().any(is_former)).map(Arc::<str>::from);
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
        let ours = listed.into_iter().filter_map(Registration::parse);
        let mut registrations: Vec<_> = ours.collect();
        let authenticated = own.zip(self.services.delivery.as_ref());
        let digest = authenticated.map(|(own, delivery)| delivery.authorization_for(own).digest());
        for it in &mut registrations {
            let noted = known.get(&*it.id.to_string());
            let known = noted.filter(|noted| *noted.address == *it.uri);
            if Some(&*it.uri) == own {
                it.is_outdated =
                    known.map(|known| &*known.credential) != digest.as_ref().map(|it| &it[..]);
            } else if let (Some(own), Some(_)) = (own, known) {
                (it.uri, it.is_outdated) = (own.to_owned(), true);
            }
        }
        registrations.sort_unstable_by_key(|registration| registration.id);
        Ok(registrations)
    }

    /// Registers `webhook` at `uri`, or makes the registration `id` that of it.
    pub(super) async fn register(
        &self,
        webhook: &PresetWebhook,
        uri: &str,
        id: Option<i64>,
    ) -> Result<(), Error> {
        let delivery = self.services.delivery.as_ref();
        let wanted = Arc::new(NewWebhook {
            event: webhook.event.to_string(),
            uri: uri.to_owned(),
            filter: webhook.event_filter.clone(),
            authorization: delivery.map(|delivery| delivery.authorization_for(uri)),
        });
        let register = move |access: Access| {
            let wanted = wanted.clone();
            async move {
                match id {
                    Some(id) => access.update_webhook(id, &wanted).await,
                    None => access.create_webhook(&wanted).await,
                }
            }
        };
        #[derive(Deserialize)]
        struct Made {
            id: i64,
        }
        let made = self.call(register).await?;
        if self.is_own(uri)
            && let Some(delivery) = delivery
            && let Ok(made) = serde_json::from_slice::<Made>(made.as_bytes())
        {
            let (id, credential) = (id.unwrap_or(made.id), delivery.authorization_for(uri));
            let vault = self.services.logins.vault();
            vault.note_registered(&id.to_string(), uri, &credential.digest()).await?;
        }
        Ok(())
    }

    pub(super) fn is_own(&self, uri: &str) -> bool {
        self.services.own_address.as_deref() == Some(uri)
    }

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
            async move { Ok(reply.await.and_then(Ok)) }
        };
        let user_id = self.context.principal.require_user()?.user_id();
        let client_address = self.context.client_address;
        let logins = &self.services.logins;
        logins.use_stored(user_id, &groupware, client_address, |_| Ok(()), &mut call).await
    }
}
