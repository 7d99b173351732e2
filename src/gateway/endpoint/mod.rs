//! The endpoints: they carry out requests that are authenticated, parsed and have a credential, if they need one.

pub(super) mod answer;
mod app_password;
mod credentials;
mod deliveries;
mod events;
mod presets;
mod services;
mod webhooks;

use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use tower::Service;

use super::Error;
use super::input::{GroupwareInput, LocalInput, LoginFlowInput};
use super::layer::provisioning::Provisioned;
use crate::groupware::{LoginEvidence, Reply};
use answer::Answer;
use credentials::{CredentialRequest, LoginFlows};
use deliveries::DeliveryRequest;

pub(crate) use app_password::{AppPasswordEndpoints, report_left_out};
pub(super) use services::Services;

/// The endpoints of docs/API.md, sections 3 to 5, 10.2 and 10.3, as the innermost service of the stack.
///
/// Its response is a [`Reply`]: the provisioning layer above takes from it what the answer shows about the login. Only
/// [`Gateway::into_service`](super::Gateway::into_service) makes one: a stack of your own ends in a service of your own.
#[derive(Clone, Debug)]
pub(crate) struct Endpoints {
    pub(super) services: Arc<Services>,
}

impl Endpoints {
    /// The endpoints with `services`.
    ///
    /// Within a runtime, passwords that login flows have left behind are revoked at the groupware server from now on,
    /// until other endpoints are made with the same logins or their last clone is dropped.
    pub(super) fn new(services: Services) -> Self {
        services.logins.spawn_cleanup(services.groupware.clone());
        let services = Arc::new(services);
        Self { services }
    }
}

impl Service<Provisioned> for Endpoints {
    type Response = Reply<Answer, Error>;
    type Error = Error;
    type Future = BoxFuture<'static, Result<Self::Response, Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, provisioned: Provisioned) -> Self::Future {
        let services = self.services.clone();
        let (context, input) = match provisioned {
            Provisioned::Groupware(with_credential) => {
                let (access, input) = with_credential.into_parts();
                // Each future has a box of its own size: the allocator is slow with those of more than a kilobyte.
                return match input {
                    GroupwareInput::ListApps => Box::pin(async move {
                        let reply = access.app_ids().await;
                        Ok(reply.and_then(|ids| Ok(answer::json(ids.to_object()))))
                    }),
                    GroupwareInput::ListWebhooks => {
                        Box::pin(async move { Ok(webhooks::list(&access).await) })
                    }
                    GroupwareInput::CreateWebhook(create) => Box::pin(async move {
                        let (delivery, policy) = (services.delivery.as_deref(), services.unbounded);
                        Ok(webhooks::create(&access, &create, delivery, policy).await)
                    }),
                    GroupwareInput::DeleteWebhook(id) => {
                        Box::pin(async move { Ok(webhooks::delete(&access, id).await) })
                    }
                };
            }
            Provisioned::Local(decoded) => decoded.into_parts(),
        };
        match input {
            LocalInput::Credential(input) => local(async move {
                let request = CredentialRequest::new(services, context)?;
                request.answer(input).await
            }),
            LocalInput::LoginFlow(input) => local(async move {
                let flows = LoginFlows { services, context };
                match input {
                    LoginFlowInput::Start => flows.start().await,
                    LoginFlowInput::Poll(flow_id) => flows.poll(&flow_id).await,
                }
            }),
            LocalInput::Preset(input) => local(presets::answer(services, context, input)),
            LocalInput::Delivery(input) => {
                local(async move { DeliveryRequest::new(services, context)?.answer(input).await })
            }
            LocalInput::Event(input) => {
                local(async move { Ok(events::answer(input, services.groupware.as_ref()).await) })
            }
        }
    }
}

/// The reply of an endpoint whose answer shows nothing about a login.
fn local(
    answer: impl Future<Output = Result<Answer, Error>> + Send + 'static,
) -> BoxFuture<'static, Result<Reply<Answer, Error>, Error>> {
    Box::pin(async move { Ok(Reply { result: answer.await, login: LoginEvidence::None }) })
}
