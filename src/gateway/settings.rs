//! The settings of a gateway.

use std::time::Duration;

use secrecy::SecretString;

use super::forward::Forward;
use super::{AccountPolicy, ClientAddress, LoginPolicy, WebhookPresets};
use crate::groupware::{DeliveryAuth, EventClasses};
use crate::outbound::HttpUrl;

/// What can be set on a gateway. The defaults are those of the binary.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How the account of a person at the identity provider is determined; by default its id is the value of the claim.
    pub account: AccountPolicy,
    /// How browsers reach the groupware server; by default at the address that it sends itself.
    pub groupware_public_url: Option<HttpUrl>,
    /// How refused passwords are treated.
    pub logins: LoginPolicy,
    /// Who may read the credentials of others.
    pub administrators: AdminPolicy,
    /// How deliveries are authenticated; by default they are not (docs/API.md, section 4.5).
    pub delivery: Option<DeliveryAuth>,
    /// The key that every call must carry as `X-API-Key` (docs/API.md, section 2.4); by default none.
    pub shared_key: Option<SecretString>,
    /// Which address of the caller is forwarded to the groupware server; by default none.
    pub client_address: ClientAddress,
    /// The event classes that filters are checked against (docs/API.md, section 4.4); by default the known ones.
    pub event_classes: EventClasses,
    /// The presets of webhooks (docs/API.md, section 4.6); by default the built-in ones.
    pub presets: WebhookPresets,
    /// The policy for webhooks whose deliveries can be too large for the server
    /// (docs/API.md, section 4.9); by default they are created, with a warning.
    pub unbounded_webhooks: UnboundedWebhooks,
    /// Where deliveries are sent, if not to [`public_url`](Self::public_url) (docs/API.md, section 12.1).
    pub receives_at: Option<HttpUrl>,
    /// What is forwarded to the groupware server (docs/API.md, section 13); by default nothing.
    pub forward: Option<Forward>,
    /// Whether the gateway's own operations need scopes, too (docs/API.md, section 13.5); by default they do not.
    pub operation_scopes: bool,
    /// What the identity provider puts before the scopes of both; those without it count, too.
    pub scope_prefix: Option<Box<str>>,
    /// How callers reach this gateway; if set, it publishes who issues tokens (docs/API.md, section 11).
    pub public_url: Option<HttpUrl>,
    /// Whether the status is public (docs/API.md, section 10.1). By default it is.
    pub public_status: bool,
    /// How the page for people gets a token (docs/API.md, section 14); by default there is no page. It needs
    /// [`public_url`](Self::public_url).
    pub page: Option<PageLogin>,
    /// The OpenID provider that issues the tokens, published for callers without one. It does not affect
    /// which tokens are accepted: the verifier decides that.
    pub issuer: Option<Box<str>>,
    /// The relevant scopes, published together with the issuer.
    pub scopes: Vec<Box<str>>,
    /// Maximum number of requests in flight; more are answered 503 (docs/API.md, section 7). 1024 by default.
    pub max_in_flight: usize,
    /// Maximum number of requests of one caller in flight; more are answered 429. 64 by default.
    pub max_in_flight_per_caller: usize,
    /// Time for a whole request, which is answered 504 after that. 60 seconds by default.
    pub request_timeout: Duration,
    /// Maximum size of a request body in bytes; a larger one is answered 413. 64 KiB by default.
    pub max_body: usize,
}

/// How the page for people gets the token of whoever uses it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PageLogin {
    /// It asks for one.
    Paste,
    /// By the authorization code flow with PKCE (RFC 7636), as a public client of the provider of
    /// [`Gateway::provider`](super::Gateway::provider).
    Code {
        /// The id of the client.
        client_id: Box<str>,
        /// The scopes that it asks for, separated by blanks.
        scope: Box<str>,
    },
}

/// Who may read the credentials of others, and whether that includes the password.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdminPolicy {
    /// If set, exactly the callers whose token has this scope are administrators. Otherwise these are
    /// the members of the groupware server's group `admin`, whatever scopes they have.
    pub scope: Option<Box<str>>,
    /// Whether administrators may see the password itself; not by default.
    pub reveal: bool,
}

/// The policy for webhooks whose deliveries can be too large for the server's queue, so that what a user
/// writes is lost (docs/API.md, section 4.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnboundedWebhooks {
    /// They are created, with a warning in the answer.
    #[default]
    Warn,
    /// They are refused.
    Refuse,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            account: AccountPolicy::default(),
            groupware_public_url: None,
            logins: LoginPolicy::default(),
            administrators: AdminPolicy::default(),
            delivery: None,
            shared_key: None,
            client_address: ClientAddress::default(),
            event_classes: EventClasses::default(),
            presets: WebhookPresets::default(),
            unbounded_webhooks: UnboundedWebhooks::default(),
            receives_at: None,
            forward: None,
            operation_scopes: false,
            scope_prefix: None,
            public_url: None,
            public_status: true,
            page: None,
            issuer: None,
            scopes: Vec::new(),
            max_in_flight: 1024,
            max_in_flight_per_caller: 64,
            request_timeout: Duration::from_secs(60),
            max_body: 64 * 1024,
        }
    }
}
