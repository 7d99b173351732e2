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

use futures_util::future::BoxFuture;

use super::Error;
use super::input::{GroupwareInput, Input, LoginFlowInput};
use super::layer::decode::RequestContext;
use crate::groupware::{Access, Reply, notes};
use answer::Answer;
use credentials::{CredentialRequest, LoginFlows};
use deliveries::DeliveryRequest;

pub(crate) use app_password::{AppPasswordEndpoints, report_left_out};
pub(super) use services::Services;

/// Each future of an endpoint has a box of its own size: the allocator is slow with those of more than a kilobyte.
type Answering<T> = BoxFuture<'static, Result<T, Error>>;

/// Carries out `input` at the groupware server, with the caller's `access` to it (docs/API.md, sections 3 and 4).
fn remote(
    services: Arc<Services>,
    access: Access,
    input: GroupwareInput,
) -> Answering<Reply<Answer, Error>> {
    match input {
        GroupwareInput::ListApps => Box::pin(async move {
            let reply = access.app_ids().await;
            Ok(reply.and_then(|ids| Ok(answer::json(ids.object))))
        }),
        GroupwareInput::ListWebhooks => Box::pin(async move { Ok(webhooks::list(&access).await) }),
        GroupwareInput::CreateWebhook(create) => Box::pin(async move {
            let (delivery, policy) = (services.delivery.as_deref(), services.unbounded);
            Ok(webhooks::create(&access, &create, delivery, policy).await)
        }),
        GroupwareInput::DeleteWebhook(id) => {
            Box::pin(async move { Ok(webhooks::delete(&access, id).await) })
        }
    }
}

/// Carries out `input`. An endpoint that calls the groupware server takes an [`Access`]; what its `Reply` shows about the
/// login is acted on by [`Logins`](super::Logins).
pub(super) fn carry_out(
    services: Arc<Services>,
    context: RequestContext,
    input: Input,
) -> Answering<Answer> {
    match input {
        Input::Groupware(input) => Box::pin(async move {
            let user_id = context.principal.require_user()?.user_id();
            let (groupware, address) = (services.groupware()?, context.client_address);
            let mut call = |access| remote(services.clone(), access, input.clone());
            let logins = &services.logins;
            logins.use_stored(user_id, &groupware, address, |_| Ok(()), &mut call).await
        }),
        Input::Credential(input) => {
            Box::pin(async move { CredentialRequest::new(services, context)?.answer(input).await })
        }
        Input::LoginFlow(input) => Box::pin(async move {
            let flows = LoginFlows { services, context };
            match input {
                LoginFlowInput::Start => flows.start().await,
                LoginFlowInput::Poll(flow_id) => flows.poll(&flow_id).await,
            }
        }),
        Input::Preset(input) => Box::pin(presets::answer(services, context, input)),
        Input::Delivery(input) => {
            notes::record_change(true);
            Box::pin(async move { DeliveryRequest::new(services, context)?.answer(input).await })
        }
        Input::Event(input) => {
            Box::pin(async move { Ok(events::answer(input, services.groupware.as_ref()).await) })
        }
    }
}
