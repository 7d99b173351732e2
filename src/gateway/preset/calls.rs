//! The calls of the groupware server for a preset. Each is made with the caller's stored password, as for
//! a request by the caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{PresetWebhook, Registration};
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::{Error, Logins};
use crate::groupware::{
    Access, DeliveryAuth, Effect, Groupware, GroupwareError, NewWebhook, RawJson, Reply, WriteError,
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

/// A registration that failed.
pub(super) struct NotCreated {
    pub(super) cause: Error,
    /// What the server may have done all the same.
    pub(super) effect: Effect,
}

// === impl Calls ===

impl Calls {
    /// The account on whose behalf the calls are made.
    pub(in crate::gateway) fn user_id(&self) -> &str {
        self.context.caller().user_id()
    }

    /// Whether deliveries get a credential (docs/API.md, section 4.5).
    pub(super) fn authenticates(&self) -> bool {
        self.delivery.is_some()
    }

    /// All registrations at the server.
    pub(super) async fn list(&self) -> Result<Listing, Error> {
        let list = |access: Access| async move { access.webhooks().await };
        self.call(list).await.map(Listing)
    }

    /// Registers `webhook` at `uri`, until `end` at the latest; returns its id.
    pub(super) async fn create(
        &self,
        (webhook, uri): (&PresetWebhook, &str),
        end: Instant,
    ) -> Result<i64, NotCreated> {
        #[derive(Deserialize)]
        struct Record {
            id: i64,
        }

        let delivery = self.delivery.as_ref();
        let wanted = NewWebhook {
            event: webhook.event().to_owned(),
            uri: uri.to_owned(),
            filter: webhook.filter().cloned(),
            authorization: delivery.map(|delivery| delivery.authorization_for(uri)),
        };
        // Until then nothing has left this process.
        let has_begun = Arc::new(AtomicBool::new(false));
        let begins = has_begun.clone();
        let create = move |access: Access| {
            begins.store(true, Ordering::Relaxed);
            let wanted = wanted.clone();
            async move { access.create_webhook(&wanted).await }
        };
        let created = async {
            let record = self.call(create).await?;
            let record: Record = serde_json::from_slice(record.as_bytes())
                .map_err(|error| unreadable("a registration without an id", error))
                .map_err(WriteError::from)?;
            Ok(record.id)
        };
        until(end, created).await.map_err(|cause| NotCreated {
            effect: if has_begun.load(Ordering::Relaxed) {
                cause.effect()
            } else {
                Effect::NotDone
            },
            cause,
        })
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
        let client_address = self.context.client_address();
        let called = self
            .logins
            .use_stored(self.user_id(), groupware, client_address, &mut call);
        called.await
    }
}

// === impl Listing ===

impl Listing {
    /// The registrations, without those that have a different form than ours and so cannot be ours.
    pub(super) fn registrations(&self) -> Result<Vec<Registration<'_>>, Error> {
        let listed: Vec<&RawValue> = serde_json::from_slice(self.0.as_bytes())
            .map_err(|error| unreadable("registrations that cannot be read", error))?;
        let written = listed.into_iter().map(RawValue::get);
        Ok(written
            .filter(|json| json.starts_with('{'))
            .filter_map(|json| serde_json::from_str(json).ok())
            .collect())
    }
}

/// The result of `call`, unless it takes longer than until `end`. It does not start after that.
pub(super) async fn until<T>(
    end: Instant,
    call: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    if Instant::now() >= end {
        return Err(Error::Timeout);
    }
    match tokio::time::timeout_at(end.into(), call).await {
        Ok(result) => result,
        Err(_) => Err(Error::Timeout),
    }
}

fn unreadable(reason: &'static str, source: serde_json::Error) -> GroupwareError {
    GroupwareError::Unreadable {
        reason,
        source: Some(source.into()),
    }
}
