//! What the endpoints share.

use std::sync::Arc;

use crate::audit::{Actor, AuditObserver, Auditor};
use crate::deliveries::{Deliveries, Sender};
use crate::gateway::keyed_mutex::KeyedMutex;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::makers::Makers;
use crate::gateway::waits::Waits;
use crate::gateway::{AdminPolicy, Error, Logins, Principal, UnboundedWebhooks, WebhookPresets};
use crate::groupware::{DeliveryAuth, EventClasses, Groupware};
use crate::outbound::HttpUrl;
use crate::tally::FailureTally;

#[derive(Debug)]
pub(crate) struct Services {
    /// Without a server, every call of it ends in the 500 case (docs/API.md, section 6.2).
    pub(crate) groupware: Option<Groupware>,
    pub(crate) logins: Logins,
    pub(crate) administrators: AdminPolicy,
    pub(crate) groupware_public_url: Option<HttpUrl>,
    pub(crate) audit: Option<Arc<dyn AuditObserver>>,
    pub(crate) presets: WebhookPresets,
    pub(crate) preset_addresses: KeyedMutex,
    /// If set, webhooks are registered with its credentials (section 4.5), and a registration of a preset whose
    /// deliveries are authenticated in another way is outdated.
    pub(crate) delivery: Option<Arc<DeliveryAuth>>,
    pub(crate) unbounded: UnboundedWebhooks,
    /// Where the groupware server sends deliveries for this gateway, if that is known.
    pub(crate) own_address: Option<String>,
    pub(crate) deliveries: Option<Deliveries>,
    pub(crate) makers: Option<Arc<Makers>>,
    /// Of the calls about deliveries each account has one at a time: what it reads and changes keeps no other waiting.
    pub(crate) delivery_turns: KeyedMutex,
    pub(crate) event_classes: EventClasses,
    pub(crate) sender: Option<Sender>,
    pub(crate) waits: Waits,
    /// Sessions that are shown although the vault cannot be read.
    pub(crate) unread_sessions: FailureTally,
}

impl Services {
    pub(crate) fn groupware(&self) -> Result<Groupware, Error> {
        self.groupware.clone().ok_or(Error::NotConfigured)
    }

    pub(super) fn auditor(&self, context: &RequestContext) -> Auditor {
        let actor = match &context.principal {
            Principal::User(user) => Actor::Token { caller: user.user_id().into() },
            Principal::Unbound(_) => Actor::Person,
        };
        let request_id = context.request_id().map(Into::into);
        Auditor { request_id, observer: self.audit.clone(), ..Auditor::new(actor) }
    }
}
