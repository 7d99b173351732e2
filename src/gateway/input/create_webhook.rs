//! The body of a create request (docs/API.md, section 4.2).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::members::{filter, members, text};
use super::refused;
use crate::gateway::Error;
use crate::groupware::{EventClasses, EventShape, NewWebhook};

#[derive(Clone, Debug)]
pub struct CreateWebhook {
    /// Neither its event class nor its address is empty. It has no credential yet.
    pub webhook: NewWebhook,
    pub(crate) shape: EventShape,
}

/// The members that are kept of a body, which may have many others.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "camelCase")]
enum Member {
    Event,
    Uri,
    EventFilter,
    #[serde(rename = "event_filter")]
    EventFilterAlias,
    #[serde(other)]
    Other,
}

impl CreateWebhook {
    /// Parses the body of a create request. A filter is checked against the known shape of the event's class.
    pub fn parse(body: &[u8], classes: &EventClasses) -> Result<Self, Error> {
        // If a member is there twice, the last one counts, as in the front ends' JSON parsers.
        let Some(members) = members::<BTreeMap<Member, &RawValue>>(body) else {
            serde_json::from_slice::<&RawValue>(body).map_err(Error::NotJson)?;
            return Err(refused("The body must be a JSON object with the fields event, uri").into());
        };
        const MISSING: &str = "Missing required fields: event, uri";
        let member = |name| members.get(&name).copied();
        let event = text(member(Member::Event), MISSING)?;
        let uri = text(member(Member::Uri), MISSING)?;
        let shape = classes.shape(&event);
        let filters = [Member::EventFilter, Member::EventFilterAlias].map(member);
        let mut webhook = NewWebhook::new(event, uri);
        webhook.filter = filter(filters, shape)
            .map_err(|fault| refused(format!("Invalid eventFilter: {fault}")))?;
        Ok(Self { webhook, shape })
    }
}
