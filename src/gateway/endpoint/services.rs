//! What the endpoints share.

use std::sync::Arc;

use crate::audit::{Actor, AuditObserver, Auditor};
use crate::deliveries::{Deliveries, Sender};
use crate::gateway::keyed_mutex::KeyedMutex;
use crate::gateway::layer::decode::RequestContext;
use crate::gateway::waits::Waits;
use crate::gateway::{AdminPolicy, Error, Logins, Principal, UnboundedWebhooks, WebhookPresets};
use crate::groupware::{DeliveryAuth, EventClasses, Groupware};
use crate::outbound::HttpUrl;
use crate::tally::FailureTally;

/// The services and settings of the endpoints.
#[derive(Debug)]
pub(in crate::gateway) struct Services {
    /// Without a server, every call of it ends in the 500 case (docs/API.md, section 6.2).
    pub(in crate::gateway) groupware: Option<Groupware>,
    pub(in crate::gateway) logins: Logins,
    /// Who may read the passwords of others.
    pub(in crate::gateway) administrators: AdminPolicy,
    /// Overrides the address of the grant page that the groupware server sends.
    pub(in crate::gateway) groupware_public_url: Option<HttpUrl>,
    pub(in crate::gateway) audit: Option<Arc<dyn AuditObserver>>,
    pub(in crate::gateway) presets: WebhookPresets,
    /// The addresses at which presets are being enabled or disabled.
    pub(in crate::gateway) preset_addresses: KeyedMutex,
    /// If set, webhooks are registered with its credentials (section 4.5), and a registration of a preset whose
    /// deliveries are authenticated in another way is outdated.
    pub(in crate::gateway) delivery: Option<Arc<DeliveryAuth>>,
    pub(in crate::gateway) unbounded: UnboundedWebhooks,
    /// Where the groupware server sends deliveries for this gateway, if that is known.
    pub(in crate::gateway) own_address: Option<String>,
    pub(in crate::gateway) deliveries: Option<Deliveries>,
    pub(in crate::gateway) event_classes: EventClasses,
    pub(in crate::gateway) sender: Option<Sender>,
    pub(in crate::gateway) waits: Waits,
    /// Sessions that are shown although the vault cannot be read.
    pub(in crate::gateway) unread_sessions: FailureTally,
}

// === impl Services ===

impl Services {
    pub(in crate::gateway::endpoint) fn groupware(&self) -> Result<Groupware, Error> {
        self.groupware.clone().ok_or(Error::NotConfigured)
    }

    /// Records the attempts of whoever makes a request.
    pub(super) fn auditor(&self, context: &RequestContext) -> Auditor {
        let actor = match context.principal() {
            Principal::User(user) => Actor::Token {
                caller: user.user_id().into(),
            },
            Principal::Unbound(_) => Actor::Person,
        };
        Auditor::new(actor)
            .request_id(context.request_id())
            .observer(self.audit.clone())
    }
}
