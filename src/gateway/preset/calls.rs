//! The calls of the groupware server for a preset. Each is made with the caller's stored password, as for
//! a request by the caller.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::{PresetWebhook, Registration};
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, Logins};
use crate::groupware::{
    Access, DeliveryAuth, Groupware, GroupwareError, NewWebhook, RawJson, Reply,
};

/// The calls of one caller.
pub(in crate::gateway) struct Calls {
    pub(in crate::gateway) groupware: Option<Groupware>,
    pub(in crate::gateway) logins: Logins,
    pub(in crate::gateway) delivery: Option<Arc<DeliveryAuth>>,
    pub(in crate::gateway) context: RequestContext,
}

/// The server's list of registrations.
pub(super) struct Listing(RawJson);

// === impl Calls ===

impl Calls {
    /// The registrations at the server: all of them, or at least those for `uri`.
    pub(super) async fn list(&self, uri: Option<&str>) -> Result<Listing, Error> {
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
        self.call(list).await.map(Listing)
    }

    /// Registers `webhook` at `uri`.
    pub(super) async fn register(&self, webhook: &PresetWebhook, uri: &str) -> Result<(), Error> {
        let delivery = self.delivery.as_ref();
        let wanted = Arc::new(NewWebhook {
            event: webhook.event().to_owned(),
            uri: uri.to_owned(),
            filter: webhook.filter().cloned(),
            authorization: delivery.map(|delivery| delivery.authorization_for(uri)),
        });
        let register = move |access: Access| {
            let wanted = wanted.clone();
            async move { access.create_webhook(&wanted).await }
        };
        self.call(register).await.map(|_record| ())
    }

    /// Deletes a registration, if it is still there.
    pub(super) async fn delete(&self, id: i64) -> Result<(), Error> {
        let delete = move |access: Access| async move { access.delete_webhook(id).await };
        self.call(delete).await.map(|_existed| ())
    }

    async fn call<T, F, E>(&self, mut call: impl FnMut(Access) -> F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Reply<T, E>> + Send + 'static,
        Error: From<E>,
    {
        let groupware = self.groupware.as_ref().ok_or(Error::NotConfigured)?;
        let mut call = move |access| {
            let reply = call(access);
            async move { Ok::<_, Error>(reply.await.and_then(Ok)) }
        };
        let user_id = self.context.principal().require_user()?.user_id();
        let client_address = self.context.client_address();
        let called = self
            .logins
            .use_stored(user_id, groupware, client_address, &mut call);
        called.await
    }
}

// === impl Listing ===

impl Listing {
    /// The registrations, without those that have a different form than ours and so cannot be ours.
    pub(super) fn registrations(&self) -> Result<Vec<Registration<'_>>, Error> {
        let listed: Vec<&RawValue> =
            serde_json::from_slice(self.0.as_bytes()).map_err(|error| {
                Error::Groupware(GroupwareError::Unreadable {
                    reason: "registrations that cannot be read",
                    source: Some(error.into()),
                })
            })?;
        let written = listed.into_iter().map(RawValue::get);
        Ok(written
            .filter(|json| json.starts_with('{'))
            .filter_map(|json| serde_json::from_str(json).ok())
            .collect())
    }
}
