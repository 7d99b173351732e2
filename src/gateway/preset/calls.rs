//! The calls of the groupware server that a preset takes, each a request of its own to the service
//! below, as if the caller had made it by the plain route.

use std::time::Instant;

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use serde_json::value::RawValue;
use tower::{Service, ServiceExt as _};

use super::failure::Fate;
use super::{PresetWebhook, Registration};
use crate::gateway::Error;
use crate::gateway::input::{CreateWebhook, GroupwareInput};
use crate::gateway::layer::decode::{Decoded, RequestContext};
use crate::gateway::progress::Progress;
use crate::groupware::GroupwareError;

/// A service for what is wanted of the groupware server.
pub(in crate::gateway) trait PlainRoutes:
    Service<
        Decoded<GroupwareInput>,
        Response = Response<Full<Bytes>>,
        Error = Error,
        Future: Send + 'static,
    > + Clone
    + Send
    + 'static
{
}

impl<S> PlainRoutes for S where
    S: Service<
            Decoded<GroupwareInput>,
            Response = Response<Full<Bytes>>,
            Error = Error,
            Future: Send + 'static,
        > + Clone
        + Send
        + 'static
{
}

/// The calls of one caller.
#[derive(Clone, Debug)]
pub(in crate::gateway) struct Calls<S> {
    routes: S,
    context: RequestContext,
}

/// The registrations as the server listed them.
pub(super) struct Listing(Bytes);

/// A registration that was not made, as far as is known.
pub(super) struct NotCreated {
    pub(super) cause: Error,
    pub(super) fate: Fate,
}

// === impl Calls ===

impl<S: PlainRoutes> Calls<S> {
    pub(in crate::gateway) fn new(routes: S, context: RequestContext) -> Self {
        Self { routes, context }
    }

    /// The account that the calls are made for.
    pub(super) fn user_id(&self) -> &str {
        self.context.caller().user_id()
    }

    /// All registrations at the server.
    pub(super) async fn list(&self) -> Result<Listing, Error> {
        self.call(GroupwareInput::ListWebhooks).await.map(Listing)
    }

    /// Registers `webhook` at `uri`, until `end` at the latest; returns its id.
    pub(super) async fn create(
        &self,
        (webhook, uri): (&PresetWebhook, &str),
        end: Instant,
    ) -> Result<i64, NotCreated> {
        #[derive(Deserialize)]
        struct Created {
            webhook: Record,
        }
        #[derive(Deserialize)]
        struct Record {
            id: i64,
        }

        let wanted = CreateWebhook {
            event: webhook.event().to_owned(),
            uri: uri.to_owned(),
            filter: webhook.filter().cloned(),
            shape: webhook.shape,
        };
        let progress = Progress::watched();
        progress.wait();
        let input = GroupwareInput::CreateWebhook(wanted);
        let created = async {
            let answer = self.call_in(input, progress.clone()).await?;
            let created: Created = serde_json::from_slice(&answer)
                .map_err(|error| unreadable("a registration without an id", error))?;
            Ok(created.webhook.id)
        };
        until(end, created).await.map_err(|cause| NotCreated {
            fate: match progress.is_waiting() {
                true => Fate::NotMade,
                false => Fate::after(&cause),
            },
            cause,
        })
    }

    /// Deletes a registration, if it is still there.
    pub(super) async fn delete(&self, id: i64) -> Result<(), Error> {
        match self.call(GroupwareInput::DeleteWebhook(id)).await {
            Ok(_) | Err(Error::UnknownWebhook) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn call(&self, input: GroupwareInput) -> Result<Bytes, Error> {
        self.call_in(input, Progress::default()).await
    }

    async fn call_in(&self, input: GroupwareInput, progress: Progress) -> Result<Bytes, Error> {
        // Where nothing below says that it waits, it has begun.
        progress.begin();
        let request = Decoded::new(self.context.with_progress(progress), input);
        let answer = self.routes.clone().oneshot(request).await?;
        match answer.into_body().collect().await {
            Ok(body) => Ok(body.to_bytes()),
            Err(never) => match never {},
        }
    }
}

// === impl Listing ===

impl Listing {
    /// The registrations. One that has another form than ours would have is none of ours, and is left
    /// out.
    pub(super) fn registrations(&self) -> Result<Vec<Registration<'_>>, Error> {
        #[derive(Deserialize)]
        struct Listed<'a> {
            #[serde(borrow)]
            webhooks: Vec<&'a RawValue>,
        }

        let listed: Listed<'_> = serde_json::from_slice(&self.0)
            .map_err(|error| unreadable("registrations that cannot be read", error))?;
        let written = listed.webhooks.into_iter().map(RawValue::get);
        Ok(written
            .filter(|json| json.starts_with('{'))
            .filter_map(|json| serde_json::from_str(json).ok())
            .collect())
    }
}

/// What `call` returns, unless it takes longer than until `end`. None is begun after that.
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

fn unreadable(reason: &'static str, source: serde_json::Error) -> Error {
    Error::Groupware(GroupwareError::Unreadable {
        reason,
        source: Some(source.into()),
    })
}
