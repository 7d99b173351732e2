//! The webhook registrations (docs/API.md, section 4).

use super::answer::{Answer, json, member};
use crate::gateway::Error;
use crate::gateway::input::CreateWebhook;
use crate::groupware::{Access, DeliveryAuth, NewWebhook, Reply};

pub(super) async fn list(access: &Access) -> Reply<Answer, Error> {
    let reply = access.webhooks().await;
    reply.and_then(|records| Ok(member("webhooks", records.as_bytes())))
}

pub(super) async fn create(
    access: &Access,
    create: CreateWebhook,
    delivery: Option<&DeliveryAuth>,
) -> Reply<Answer, Error> {
    let CreateWebhook { event, uri, filter } = create;
    let authorization = delivery.map(|delivery| delivery.authorization_for(&uri));
    let webhook = NewWebhook {
        event,
        uri,
        filter,
        authorization,
    };
    let reply = access.create_webhook(&webhook).await;
    reply.and_then(|record| Ok(member("webhook", record.as_bytes())))
}

pub(super) async fn delete(access: &Access, id: i64) -> Reply<Answer, Error> {
    let reply = access.delete_webhook(id).await;
    reply.and_then(|existed| match existed {
        true => Ok(json(
            &br#"{"success":true,"message":"Webhook deleted"}"#[..],
        )),
        false => Err(Error::UnknownWebhook),
    })
}
