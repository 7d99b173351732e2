//! The webhook registrations (docs/API.md, section 4).

use super::answer::{Answer, json, large_member, member, serialize};
use crate::gateway::input::CreateWebhook;
use crate::gateway::{Error, UnboundedWebhooks};
use crate::groupware::{
    Access, DeliveryAuth, GroupwareError, JobLimit, KnownEvent, NewWebhook, Reply,
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
        return Reply::failed(Error::UnboundedWebhook(warning.as_str().into()));
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
    reply.and_then(|record| match unbounded {
        None => Ok(member("webhook", record.as_bytes())),
        Some(warning) => {
            let warning = serialize(&warning);
            let record = [
                br#"{"webhook":"#,
                record.as_bytes(),
                br#","warnings":["#,
                &warning,
                b"]}",
            ];
            Ok(json(record.concat()))
        }
    })
}

/// A warning if deliveries of this webhook can be lost. The server's version is requested only if it
/// matters.
async fn unbounded(access: &Access, create: &CreateWebhook) -> Option<String> {
    let at = |limit| create.shape.unbounded(create.filter.as_ref(), limit);
    let unbounded = at(JobLimit::default())?;
    let limit = access.groupware.job_limit().await;
    let unbounded = if limit == JobLimit::default() {
        unbounded
    } else {
        at(limit)?
    };
    Some(unbounded.to_string())
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
