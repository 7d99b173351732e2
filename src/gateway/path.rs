//! The endpoint that a path names.

use std::borrow::Cow;

use http::request::Parts;
use http::{Extensions, Method, Request, Uri};
use indexmap::IndexSet;
use percent_encoding::percent_decode_str;

use super::forward::Family;
use super::known::Known;
use super::{Error, Principal};

/// Declares the endpoints: for each, its path, the methods that it takes, what its scopes begin with (section 13.5), and
/// its section in docs/API.md.
macro_rules! endpoints {
    ($(
        $name:ident: $before:literal $({$parameter:ident} $after:literal)?, $allowed:literal, $area:literal,
        $section:literal;
    )+) => {
        /// The endpoints, and [`Other`](Self::Other) for every other path.
        ///
        /// Their number is fixed, so that the name of one may be a label of a metric, which a path may not.
        ///
        /// The [request id layer](super::layer::request_id) finds that of a request, once, and keeps it with
        /// the request. The layers below rely on that, so that a layer that changes the path has no effect.
        ///
        /// ```
        /// use portreeve::gateway::Endpoint;
        ///
        /// let endpoint = Endpoint::at("/api/v1/webhooks/17");
        /// assert_eq!(endpoint.as_str(), "/api/v1/webhooks/{webhook_id}");
        /// assert_eq!(Endpoint::at("/etc/passwd").as_str(), "other");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Endpoint {
            $(#[doc = concat!("Section ", $section, ".")] $name,)+
            /// None of them.
            Other,
        }

        impl Endpoint {
            /// All of them, in the order of their discriminants.
            pub const ALL: &[Self] = &[$(Self::$name,)+ Self::Other];

            /// The second byte of the path of each but the last.
            const LETTERS: &[u8] = &[$($before.as_bytes()[1]),+];

            /// The name: the path with its parameter in braces.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => concat!($before $(, "{", stringify!($parameter), "}", $after)?),)+
                    Self::Other => "other",
                }
            }

            /// The path before and after its parameter, if it has one.
            fn parts(self) -> (&'static str, Option<&'static str>) {
                match self {
                    $(Self::$name => ($before, None $(.or(Some($after)))?),)+
                    Self::Other => ("", None),
                }
            }

            /// What the scopes of its operations begin with; empty if they need none.
            pub(super) fn area(self) -> &'static str {
                match self {
                    $(Self::$name => $area,)+
                    Self::Other => "",
                }
            }

            /// The methods that it takes, as in the header field `Allow`.
            fn allowed(self) -> &'static str {
                match self {
                    $(Self::$name => $allowed,)+
                    Self::Other => "",
                }
            }
        }
    };
}

endpoints! {
    Apps: "/api/v1/apps", "GET", "apps", "3";
    Webhooks: "/api/v1/webhooks", "GET, POST", "webhooks", "4.1 and 4.2";
    ReceiveCallback: "/api/v1/webhooks/callback", "POST, DELETE", "", "12.1, as earlier versions of the front end register it";
    Webhook: "/api/v1/webhooks/" {webhook_id} "", "DELETE", "webhooks", "4.3";
    WebhookPresets: "/api/v1/webhook-presets", "GET", "webhooks", "4.6, all of them";
    WebhookPreset: "/api/v1/webhook-presets/" {name} "", "GET, PUT, DELETE", "webhooks", "4.6, one";
    Events: "/api/v1/events", "GET", "webhooks", "4.7";
    MatchEvent: "/api/v1/events/match", "POST", "webhooks", "4.8";
    Credentials: "/api/v1/background-sync/credentials", "POST, DELETE", "credentials", "5.1 and 5.3";
    CredentialOfUser: "/api/v1/background-sync/credentials/" {userId} "", "GET", "credentials", "5.4";
    Status: "/api/v1/background-sync/status", "GET", "credentials", "5.2";
    LoginFlows: "/api/v1/background-sync/login-flow", "POST", "credentials", "5.5, the start";
    LoginFlow: "/api/v1/background-sync/login-flow/" {flow_id} "", "GET", "credentials", "5.5, the state of one";
    PublicStatus: "/api/v1/status", "GET", "", "10.1";
    Me: "/api/v1/me", "GET", "credentials", "5.8";
    Users: "/api/v1/users", "GET", "credentials", "5.9";
    User: "/api/v1/users/" {id} "", "DELETE", "credentials", "5.7";
    Session: "/api/v1/users/" {id} "/session", "GET", "credentials", "10.2";
    Revoke: "/api/v1/users/" {id} "/revoke", "POST", "credentials", "10.3";
    AppPassword: "/api/v1/users/" {id} "/app-password", "POST, DELETE", "", "10.4";
    Access: "/api/v1/users/" {id} "/access", "GET", "", "10.4, what is stored";
    AccessScopes: "/api/v1/users/" {id} "/scopes", "PATCH", "", "10.4, what is forwarded with it";
    Scopes: "/api/v1/scopes", "GET", "", "10.4, the names of scopes";
    VectorSync: "/api/v1/vector-sync/status", "GET", "", "10.5";
    VectorSearch: "/api/v1/vector-viz/search", "POST", "", "10.5";
    ReceiveDelivery: "/webhooks/nextcloud", "POST", "", "12.1; with two slashes, too";
    Targets: "/api/v1/deliveries/targets", "GET, POST", "deliveries", "12.2, all of them";
    Target: "/api/v1/deliveries/targets/" {id} "", "GET, PATCH, DELETE", "deliveries", "12.2, one";
    TargetSecret: "/api/v1/deliveries/targets/" {id} "/secret", "POST", "deliveries", "12.2, the secret of one";
    TestTarget: "/api/v1/deliveries/targets/" {id} "/test", "POST", "deliveries", "12.2, a sample to one";
    TargetDeliveries: "/api/v1/deliveries/targets/" {id} "/deliveries", "GET", "deliveries", "12.4, the list";
    Replay: "/api/v1/deliveries/targets/" {id} "/replay", "POST", "deliveries", "12.4";
    Retry: "/api/v1/deliveries/" {id} "/retry", "POST", "deliveries", "12.4";
    DeliveryEvents: "/api/v1/deliveries/events", "GET", "deliveries", "12.5";
    ResourceMetadata: "/.well-known/oauth-protected-resource", "GET", "", "11";
    Page: "/ui/" {file} "", "GET, HEAD", "", "14, without a file, too";
    Healthz: "/healthz", "GET, HEAD", "", "9, whether the process is alive";
    Readyz: "/readyz", "GET, HEAD", "", "9, whether it is ready to serve";
    ForwardFiles: "forward:files", "", "", "13";
    ForwardCalendar: "forward:calendar", "", "", "13";
    ForwardContacts: "forward:contacts", "", "", "13";
    ForwardNotes: "forward:notes", "", "", "13";
    ForwardTables: "forward:tables", "", "", "13";
    ForwardDeck: "forward:deck", "", "", "13";
    ForwardCookbook: "forward:cookbook", "", "", "13";
    ForwardSharing: "forward:sharing", "", "", "13";
    ForwardNews: "forward:news", "", "", "13";
    ForwardMail: "forward:mail", "", "", "13";
    ForwardTalk: "forward:talk", "", "", "13";
    ForwardCollectives: "forward:collectives", "", "", "13";
}

impl Endpoint {
    /// The address of the page itself.
    pub(super) const PAGE: &str = "/ui/";

    /// The endpoint at `path`, for any method that it takes. The path is matched as sent, without percent-decoding.
    pub fn at(path: &str) -> Self {
        let path = match path {
            // An address that ends in a slash, joined with a path that begins with one.
            "//webhooks/nextcloud" => Self::ReceiveDelivery.as_str(),
            "/ui" => Self::PAGE,
            path => path,
        };
        // Most paths of the groupware server differ from all of these in their first letter.
        let letter = path.as_bytes().get(1);
        let mut endpoints = Self::ALL.iter().zip(Self::LETTERS).filter(|it| Some(it.1) == letter);
        let named = endpoints.find(|(endpoint, _)| endpoint.is_at(path));
        named.map_or(Self::Other, |(endpoint, _)| *endpoint)
    }

    fn is_at(self, path: &str) -> bool {
        let (before, after) = self.parts();
        match (path.strip_prefix(before), after) {
            (None, _) => false,
            // The path of a resource may follow.
            (Some(rest), None) => {
                rest.is_empty() || self == Self::ResourceMetadata && rest.starts_with('/')
            }
            (Some(rest), Some(after)) => rest.strip_suffix(after).is_some_and(|id| {
                // A `DELETE` without the id is meant for a webhook, and the page is at its folder.
                let may_be_empty = matches!(self, Self::Webhook | Self::Page);
                !id.contains('/') && (may_be_empty || !id.is_empty())
            }),
        }
    }

    /// The endpoint of a request of `method` to `path`: where deliveries are received, other methods are for a webhook.
    pub(super) fn of(method: &Method, path: &str) -> Self {
        match Self::at(path) {
            Self::ReceiveCallback if method != Method::POST => Self::Webhook,
            endpoint => endpoint,
        }
    }

    /// The endpoint of `request`: the stored one, or else the one that it is for.
    pub(super) fn from_request<B>(request: &Request<B>) -> Self {
        Self::known(request.extensions(), request.method(), request.uri())
    }

    /// The same of a request's head.
    pub(super) fn from_head(head: &Parts) -> Self {
        Self::known(&head.extensions, &head.method, &head.uri)
    }

    fn known(extensions: &Extensions, method: &Method, uri: &Uri) -> Self {
        let known = extensions.get::<Known>();
        known.map_or_else(|| Self::of(method, uri.path()), |known| known.endpoint)
    }

    /// The parameter in `path`, which is one of this endpoint, as sent; empty if there is none.
    pub(super) fn parameter(self, path: &str) -> &str {
        let (before, after) = self.parts();
        after.and_then(|after| path.strip_prefix(before)?.strip_suffix(after)).unwrap_or_default()
    }

    pub(super) fn method_not_allowed(self) -> Error {
        Error::MethodNotAllowed(self.allowed().into())
    }

    /// Whether it takes HTTP Basic, and no token (docs/API.md, section 10.4).
    pub(super) fn takes_basic(self) -> bool {
        matches!(self, Self::AppPassword | Self::Access | Self::AccessScopes)
    }

    pub(super) fn receives(self) -> bool {
        matches!(self, Self::ReceiveDelivery | Self::ReceiveCallback)
    }

    /// The scope that a request of `method` needs where operations have scopes (docs/API.md, section 13.5).
    pub(super) fn scope(self, method: &Method) -> Option<String> {
        // A test of a filter changes nothing, and a poll of a login flow stores what was granted.
        let is_read = (*method == Method::GET && self != Self::LoginFlow)
            || matches!(self, Self::Apps | Self::MatchEvent);
        let kind = if is_read { "read" } else { "write" };
        Some(self.area()).filter(|area| !area.is_empty()).map(|area| format!("{area}.{kind}"))
    }

    /// Checks that a token has the scope of such a request, if operations have scopes, with this prefix.
    pub(super) fn check_scope(
        self,
        method: &Method,
        principal: &Principal,
        prefix: Option<&str>,
    ) -> Result<(), Error> {
        if let Some(prefix) = prefix
            && let Some(needed) = self.scope(method)
            && !principal.scopes_without(prefix).any(|it| it == needed)
        {
            return Err(Error::InsufficientScope(format!("{prefix}{needed}")));
        }
        Ok(())
    }

    /// The scopes of all operations.
    pub fn scopes() -> impl Iterator<Item = String> {
        let methods = [Method::GET, Method::POST];
        let scopes = |method| Self::ALL.iter().filter_map(move |it| it.scope(method));
        let scopes: IndexSet<_> = methods.iter().flat_map(scopes).collect();
        scopes.into_iter()
    }

    /// The endpoint of what is forwarded of `family`: they have the same order.
    pub(super) fn of_family(family: Family) -> Self {
        Self::ALL[Self::ForwardFiles as usize + family as usize]
    }

    /// Whether it stands for paths of the groupware server (docs/API.md, section 13).
    pub fn is_forwarded(self) -> bool {
        (Self::ForwardFiles as u8..=Self::ForwardCollectives as u8).contains(&(self as u8))
    }

    /// Whether it is one of the probes, which a supervisor requests all the time.
    pub fn is_probe(self) -> bool {
        matches!(self, Self::Healthz | Self::Readyz)
    }
}

/// Percent-decodes a user id in a path.
pub(crate) fn decode(segment: &str) -> Result<Box<str>, Error> {
    percent_decode_str(segment).decode_utf8().map(Into::into).map_err(|_| Error::InvalidUserId)
}

/// Percent-decodes a name or an id in a path that is no user id. What cannot be one stays as it is: there is none of it.
pub(super) fn decode_opaque(segment: &str) -> Box<str> {
    let decoded = decode(segment).ok().filter(|decoded| !decoded.contains(char::is_control));
    decoded.unwrap_or_else(|| segment.into())
}

/// Decodes a user id as PHP encodes it: `urlencode` a space as `+`, `rawurlencode` as `%20`, both a plus as `%2B`.
pub(crate) fn decode_form(segment: &str) -> Result<Box<str>, Error> {
    let segment = if segment.contains('+') {
        Cow::Owned(segment.replace('+', " "))
    } else {
        Cow::Borrowed(segment)
    };
    decode(&segment)
}
