//! The webhook registrations (docs/API.md, section 4).

use tokio::time::Instant;

use super::answer::{Answer, json, large_member, member, object, serialize};
use crate::gateway::input::CreateWebhook;
use crate::gateway::{Error, UnboundedWebhooks, run_to_end};
use crate::groupware::{
    Access, DeliveryAuth, GroupwareError, JobLimit, KnownEvent, Listed, Reply, UnboundedEvent,
};

pub(super) async fn list(access: &Access) -> Reply<Answer, Error> {
    let reply = access.webhooks_as(|list| object("webhooks", list)).await;
    reply.and_then(|listed| {
        Ok(match listed {
            Listed::Made(body) => json(body),
            Listed::Large(list) => large_member("webhooks", list.into_bytes()),
        })
    })
}

pub(super) async fn create(
    access: &Access,
    create: &CreateWebhook,
    delivery: Option<&DeliveryAuth>,
    policy: UnboundedWebhooks,
) -> Reply<Answer, Error> {
    let began = Instant::now();
    let unbounded = unbounded(access, create).await;
    // Whoever was told that it timed out, or has gone, may have sent it again.
    if run_to_end::is_abandoned() {
        return Reply::failed(Error::Timeout);
    }
    if let (UnboundedWebhooks::Refuse, Some(warning)) = (policy, &unbounded) {
        return Reply::failed(Error::UnboundedWebhook(warning.to_string().into()));
    }
    let mut webhook = create.webhook.clone();
    webhook.authorization = delivery.map(|delivery| delivery.authorization_for(&webhook.uri));
    // One timeout for the question and the call.
    let reply = access.create_webhook_after(began.elapsed(), &webhook);
    let mut reply = reply.await.and_then(Ok);
    if let Err(Error::Write(fault)) = &reply.result
        && matches!(fault.cause, GroupwareError::UnknownEvent)
    {
        let meant = KnownEvent::meant_by(&webhook.event).map(|known| known.class);
        let other = meant.filter(|class| *class != webhook.event);
        reply.result = Err(Error::UnknownEvent(other));
    }
    let unreachable = uri_warning(&webhook.uri).map(|it| serialize(&it));
    let unbounded = unbounded.map(|it| it.json().as_bytes());
    let warnings = unbounded.into_iter().chain(unreachable.as_deref());
    let warnings = warnings.collect::<Vec<_>>().join(&b',');
    reply.and_then(|record| {
        let record = record.as_bytes();
        if warnings.is_empty() {
            return Ok(member("webhook", record));
        }
        let [begin, between]: [&[u8]; 2] = [br#"{"webhook":"#, br#","warnings":["#];
        Ok(json([begin, record, between, &warnings, b"]}"].concat()))
    })
}

/// A warning if nothing can be delivered to `uri`.
pub(super) fn uri_warning(uri: &str) -> Option<String> {
    let host = uri.split_once("://").map_or("", |(_, host)| host);
    let is_relative = host.is_empty() || host.starts_with('/');
    is_relative.then(|| "uri is not an absolute URL: nothing will arrive.".to_owned())
}

/// A warning if deliveries of this webhook can be lost. The server's version is requested only if it matters.
async fn unbounded(access: &Access, create: &CreateWebhook) -> Option<UnboundedEvent> {
    let at = |limit| create.shape.unbounded(create.webhook.filter.as_ref(), limit);
    let unbounded = at(JobLimit::default())?;
    let limit = access.groupware.job_limit().await;
    let is_default = limit == JobLimit::default();
    is_default.then_some(unbounded).or_else(|| at(limit))
}

pub(super) async fn delete(access: &Access, id: i64) -> Reply<Answer, Error> {
    let reply = access.delete_webhook(id).await;
    reply.and_then(|existed| {
        if existed {
            Ok(json(&br#"{"success":true,"message":"Webhook deleted"}"#[..]))
        } else {
            Err(Error::UnknownWebhook)
        }
    })
}
