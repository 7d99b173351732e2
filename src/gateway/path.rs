//! The endpoint that a path names.

use std::borrow::Cow;

use http::request::Parts;
use http::{Extensions, Request, Uri};
use percent_encoding::percent_decode_str;

use super::Error;
use super::known::Known;

/// Declares the endpoints: for each, its path as in docs/API.md, and the methods that it takes.
macro_rules! endpoints {
    ($(
        $(#[$doc:meta])+
        $name:ident: $before:literal $({$parameter:ident} $after:literal)?, $allowed:literal;
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
        #[repr(u8)]
        pub enum Endpoint {
            $($(#[$doc])+ $name,)+
            /// None of them.
            Other,
        }

        impl Endpoint {
            /// All of them, in the order of their discriminants.
            pub const ALL: [Self; Self::Other as usize + 1] = [$(Self::$name,)+ Self::Other];

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
    /// Section 3.
    Apps: "/api/v1/apps", "GET";
    /// Sections 4.1 and 4.2.
    Webhooks: "/api/v1/webhooks", "GET, POST";
    /// Section 12.1, as earlier versions of the front end register it.
    ReceiveCallback: "/api/v1/webhooks/callback", "POST";
    /// Section 4.3.
    Webhook: "/api/v1/webhooks/" {webhook_id} "", "DELETE";
    /// Section 4.6, all of them.
    WebhookPresets: "/api/v1/webhook-presets", "GET";
    /// Section 4.6, one.
    WebhookPreset: "/api/v1/webhook-presets/" {name} "", "GET, PUT, DELETE";
    /// Section 4.7.
    Events: "/api/v1/events", "GET";
    /// Section 4.8.
    MatchEvent: "/api/v1/events/match", "POST";
    /// Sections 5.1 and 5.3.
    Credentials: "/api/v1/background-sync/credentials", "POST, DELETE";
    /// Section 5.4.
    CredentialOfUser: "/api/v1/background-sync/credentials/" {userId} "", "GET";
    /// Section 5.2.
    Status: "/api/v1/background-sync/status", "GET";
    /// Section 5.5, the start.
    LoginFlows: "/api/v1/background-sync/login-flow", "POST";
    /// Section 5.5, the state of one.
    LoginFlow: "/api/v1/background-sync/login-flow/" {flow_id} "", "GET";
    /// Section 10.1.
    PublicStatus: "/api/v1/status", "GET";
    /// Section 10.2.
    Session: "/api/v1/users/" {id} "/session", "GET";
    /// Section 10.3.
    Revoke: "/api/v1/users/" {id} "/revoke", "POST";
    /// Section 10.4.
    AppPassword: "/api/v1/users/" {id} "/app-password", "POST, DELETE";
    /// Section 10.5.
    VectorSync: "/api/v1/vector-sync/status", "GET";
    /// Section 10.5.
    VectorSearch: "/api/v1/vector-viz/search", "POST";
    /// Section 12.1; with two slashes, too.
    ReceiveDelivery: "/webhooks/nextcloud", "POST";
    /// Section 12.2, all of them.
    Targets: "/api/v1/deliveries/targets", "GET, POST";
    /// Section 12.2, one.
    Target: "/api/v1/deliveries/targets/" {id} "", "GET, PATCH, DELETE";
    /// Section 12.2, the secret of one.
    TargetSecret: "/api/v1/deliveries/targets/" {id} "/secret", "POST";
    /// Section 12.4, the list.
    TargetDeliveries: "/api/v1/deliveries/targets/" {id} "/deliveries", "GET";
    /// Section 12.4.
    Replay: "/api/v1/deliveries/targets/" {id} "/replay", "POST";
    /// Section 12.4.
    Retry: "/api/v1/deliveries/" {id} "/retry", "POST";
    /// Section 12.5.
    DeliveryEvents: "/api/v1/deliveries/events", "GET";
    /// Section 11.
    ResourceMetadata: "/.well-known/oauth-protected-resource", "GET";
    /// Section 9, whether the process is alive.
    Healthz: "/healthz", "GET, HEAD";
    /// Section 9, whether it is ready to serve.
    Readyz: "/readyz", "GET, HEAD";
}

// === impl Endpoint ===

impl Endpoint {
    /// The endpoint at `path`, for any method. The path is matched as sent, without percent-decoding.
    pub fn at(path: &str) -> Self {
        let path = match path {
            // An address that ends in a slash, joined with a path that begins with one.
            "//webhooks/nextcloud" => Self::ReceiveDelivery.as_str(),
            path => path,
        };
        let mut endpoints = Self::ALL.into_iter();
        let named = endpoints.find(|endpoint| endpoint.is_at(path));
        named.unwrap_or(Self::Other)
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
                // A `DELETE` without the id is meant for a webhook.
                !id.contains('/') && (self == Self::Webhook || !id.is_empty())
            }),
        }
    }

    /// The endpoint of `request`: the stored one, or else the one at its path.
    pub(super) fn from_request<B>(request: &Request<B>) -> Self {
        Self::known(request.extensions(), request.uri())
    }

    /// The same of a request's head.
    pub(super) fn from_head(head: &Parts) -> Self {
        Self::known(&head.extensions, &head.uri)
    }

    fn known(extensions: &Extensions, uri: &Uri) -> Self {
        let known = extensions.get::<Known>();
        known.map_or_else(|| Self::at(uri.path()), |known| known.endpoint)
    }

    /// The parameter in `path`, which is one of this endpoint, as sent; empty if there is none.
    pub(super) fn parameter(self, path: &str) -> &str {
        let (before, after) = self.parts();
        let rest = after.and_then(|after| path.strip_prefix(before)?.strip_suffix(after));
        rest.unwrap_or_default()
    }

    /// The error for a method that it does not take.
    pub(super) fn method_not_allowed(self) -> Error {
        Error::MethodNotAllowed(self.allowed())
    }

    /// Whether it receives deliveries.
    pub(super) fn receives(self) -> bool {
        matches!(self, Self::ReceiveDelivery | Self::ReceiveCallback)
    }

    /// Whether it is there only with deliveries (docs/API.md, sections 12.2 to 12.5).
    pub(super) fn is_of_deliveries(self) -> bool {
        use Endpoint as E;
        matches!(
            self,
            E::Targets
                | E::Target
                | E::TargetSecret
                | E::TargetDeliveries
                | E::Replay
                | E::Retry
                | E::DeliveryEvents
        )
    }

    /// Whether it is one of the probes, which a supervisor requests all the time.
    pub fn is_probe(self) -> bool {
        matches!(self, Self::Healthz | Self::Readyz)
    }
}

/// Percent-decodes a user id in a path.
pub(super) fn decode(segment: &str) -> Result<Box<str>, Error> {
    let text = percent_decode_str(segment).decode_utf8();
    text.map(Into::into).map_err(|_| Error::InvalidUserId)
}

/// Decodes a user id as PHP encodes it in a path: `urlencode` encodes a space as `+`, `rawurlencode` as
/// `%20`, and both encode a plus as `%2B`.
pub(super) fn decode_form(segment: &str) -> Result<Box<str>, Error> {
    let segment = if segment.contains('+') {
        Cow::Owned(segment.replace('+', " "))
    } else {
        Cow::Borrowed(segment)
    };
    decode(&segment)
}
