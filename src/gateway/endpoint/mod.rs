//! The endpoints: they carry out requests that are authenticated, parsed and have a credential.

pub(super) mod answer;
mod app_password;
mod apps;
mod credentials;
pub(super) mod events;
mod presets;
mod webhooks;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use tower::Service;

use super::input::GroupwareInput;
use super::layer::provisioning::WithCredential;
use super::{Error, UnboundedWebhooks};
use crate::groupware::{DeliveryAuth, Reply};

pub use app_password::AppPasswordEndpoints;
pub use credentials::{AdminPolicy, CredentialEndpoints};
pub(super) use credentials::{PersonFlows, UnboundPerson};
pub use presets::PresetEndpoints;

/// The endpoints that call the groupware server ([docs/API.md](crate::docs::api), sections 3 and 4), as the
/// innermost service of the stack.
///
/// Its response is a [`Reply`]: the provisioning layer above takes from it what the answer shows about
/// the login.
#[derive(Clone, Debug)]
pub struct GroupwareEndpoints {
    delivery: Option<Arc<DeliveryAuth>>,
    unbounded: UnboundedWebhooks,
}

// === impl GroupwareEndpoints ===

impl GroupwareEndpoints {
    /// If `delivery` is set, webhooks are created with its credentials ([docs/API.md](crate::docs::api),
    /// section 4.5).
    pub fn new(delivery: Option<DeliveryAuth>) -> Self {
        Self {
            delivery: delivery.map(Arc::new),
            unbounded: UnboundedWebhooks::default(),
        }
    }

    /// Sets the policy for webhooks whose deliveries can be too large; by default they are created.
    #[must_use]
    pub fn unbounded(mut self, policy: UnboundedWebhooks) -> Self {
        self.unbounded = policy;
        self
    }
}

impl Service<WithCredential> for GroupwareEndpoints {
    type Response = Reply<Response<Full<Bytes>>, Error>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, provisioned: WithCredential) -> Self::Future {
        let (delivery, unbounded) = (self.delivery.clone(), self.unbounded);
        let (access, input) = provisioned.into_parts();
        Box::pin(async move {
            Ok(match input {
                GroupwareInput::ListApps => apps::list(&access).await,
                GroupwareInput::ListWebhooks => webhooks::list(&access).await,
                GroupwareInput::CreateWebhook(create) => {
                    webhooks::create(&access, &create, delivery.as_deref(), unbounded).await
                }
                GroupwareInput::DeleteWebhook(id) => webhooks::delete(&access, id).await,
            })
        })
    }
}
