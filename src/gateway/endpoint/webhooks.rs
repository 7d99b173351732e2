//! The webhook registrations (docs/API.md, section 4).

use super::answer::{Answer, json, large_member, member, serialize};
use crate::gateway::input::CreateWebhook;
use crate::gateway::{Error, UnboundedWebhooks};
use crate::groupware::{
    Access, DeliveryAuth, GroupwareError, JobLimit, KnownEvent, NewWebhook, Reply, UnboundedEvent,
};

pub(super) async fn list(access: &Access) -> Reply<Answer, Error> {
    let reply = access.webhooks().await;
    reply.and_then(|records| Ok(large_member("webhooks", records.into_bytes())))
}

pub(super) async fn create(
    access: &Access,
    create: &CreateWebhook,
    delivery: Option<&DeliveryAuth>,
    policy: UnboundedWebhooks,
) -> Reply<Answer, Error> {
    let unbounded = unbounded(access, create).await;
    if let (UnboundedWebhooks::Refuse, Some(warning)) = (policy, &unbounded) {
        return Reply::failed(Error::UnboundedWebhook(warning.to_string().into()));
    }
    let authorization = delivery.map(|delivery| delivery.authorization_for(&create.uri));
    let webhook = NewWebhook {
        event: create.event.clone(),
        uri: create.uri.clone(),
        filter: create.filter.clone(),
        authorization,
    };
    let mut reply = access.create_webhook(&webhook).await.and_then(Ok);
    if let Err(Error::Write(fault)) = &reply.result
        && matches!(fault.cause(), GroupwareError::UnknownEvent)
    {
        let meant = KnownEvent::meant_by(&create.event).map(|known| known.class);
        let other = meant.filter(|class| *class != create.event);
        reply.result = Err(Error::UnknownEvent(other));
    }
    let warnings = unbounded.map(|unbounded| unbounded.to_string()).into_iter();
    let warnings: Vec<_> = warnings.chain(uri_warning(&create.uri)).collect();
    reply.and_then(|record| match &warnings[..] {
        [] => Ok(member("webhook", record.as_bytes())),
        warnings => {
            let (record, warnings) = (record.as_bytes(), serialize(&warnings));
            let parts = [
                br#"{"webhook":"#,
                record,
                br#","warnings":"#,
                &warnings,
                b"}",
            ];
            Ok(json(parts.concat()))
        }
    })
}

/// A warning if nothing can be delivered to `uri`.
pub(super) fn uri_warning(uri: &str) -> Option<String> {
    let host = uri.split_once("://").map_or("", |(_, host)| host);
    let is_relative = host.is_empty() || host.starts_with('/');
    is_relative.then(|| "uri is not an absolute URL: nothing will arrive.".to_owned())
}

/// A warning if deliveries of this webhook can be lost. The server's version is requested only if it
/// matters.
async fn unbounded(access: &Access, create: &CreateWebhook) -> Option<UnboundedEvent> {
    let at = |limit| create.shape.unbounded(create.filter.as_ref(), limit);
    let unbounded = at(JobLimit::default())?;
    let limit = access.groupware.job_limit().await;
    if limit == JobLimit::default() {
        Some(unbounded)
    } else {
        at(limit)
    }
}

pub(super) async fn delete(access: &Access, id: i64) -> Reply<Answer, Error> {
    let reply = access.delete_webhook(id).await;
    reply.and_then(|existed| {
        if existed {
            Ok(json(
                &br#"{"success":true,"message":"Webhook deleted"}"#[..],
            ))
        } else {
            Err(Error::UnknownWebhook)
        }
    })
}
