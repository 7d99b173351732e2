//! The name of the route of a request, for the log and the metrics.

use super::layer::resource_metadata::WELL_KNOWN;
use super::user_path::UserPath;

/// The routes, as docs/API.md writes their paths.
///
/// There are as many names as routes, whatever is asked for: every other path is
/// [`Other`](Self::Other). So a name may be a label of a metric, which a path may not.
///
/// ```
/// use portreeve::gateway::RouteName;
///
/// let route = RouteName::of("/api/v1/webhooks/17");
/// assert_eq!(route.as_str(), "/api/v1/webhooks/{webhook_id}");
/// assert_eq!(RouteName::of("/etc/passwd").as_str(), "other");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RouteName {
    /// Section 3.
    Apps,
    /// Sections 4.1 and 4.2.
    Webhooks,
    /// Section 4.3.
    Webhook,
    /// Section 4.6, all of them.
    WebhookPresets,
    /// Section 4.6, one.
    WebhookPreset,
    /// Section 4.7.
    Events,
    /// Section 4.8.
    MatchEvent,
    /// Sections 5.1 and 5.3.
    Credentials,
    /// Section 5.4.
    CredentialOfUser,
    /// Section 5.2.
    Status,
    /// Section 5.5, the start.
    LoginFlows,
    /// Section 5.5, the state of one.
    LoginFlow,
    /// Section 10.1.
    PublicStatus,
    /// Section 10.2.
    Session,
    /// Section 10.3.
    Revoke,
    /// Section 10.4.
    AppPassword,
    /// Section 10.5.
    VectorSync,
    /// Section 10.5.
    VectorSearch,
    /// Section 11.
    ResourceMetadata,
    /// Section 9, whether the process lives.
    Healthz,
    /// Section 9, whether it can serve.
    Readyz,
    /// No route.
    Other,
}

// === impl RouteName ===

impl RouteName {
    /// All of them, each at the place of its number.
    pub const ALL: [Self; 22] = [
        Self::Apps,
        Self::Webhooks,
        Self::Webhook,
        Self::WebhookPresets,
        Self::WebhookPreset,
        Self::Events,
        Self::MatchEvent,
        Self::Credentials,
        Self::CredentialOfUser,
        Self::Status,
        Self::LoginFlows,
        Self::LoginFlow,
        Self::PublicStatus,
        Self::Session,
        Self::Revoke,
        Self::AppPassword,
        Self::VectorSync,
        Self::VectorSearch,
        Self::ResourceMetadata,
        Self::Healthz,
        Self::Readyz,
        Self::Other,
    ];

    /// The route that has `path`, with whatever method. Nothing is percent-decoded.
    pub fn of(path: &str) -> Self {
        if let Some(path) = UserPath::parse(path) {
            return match path.resource() {
                "session" => Self::Session,
                "revoke" => Self::Revoke,
                "app-password" => Self::AppPassword,
                _ => Self::Other,
            };
        }
        if let Some(resource) = path.strip_prefix(WELL_KNOWN) {
            return match resource.is_empty() || resource.starts_with('/') {
                true => Self::ResourceMetadata,
                false => Self::Other,
            };
        }
        let Some(path) = path.strip_prefix("/api/v1/") else {
            return match path {
                "/healthz" => Self::Healthz,
                "/readyz" => Self::Readyz,
                _ => Self::Other,
            };
        };
        let is_id = |id: &str| !id.is_empty() && !id.contains('/');
        let has_id = |collection: &str| {
            let id = path.strip_prefix(collection);
            id.and_then(|id| id.strip_prefix('/')).is_some_and(is_id)
        };
        match path {
            "apps" => Self::Apps,
            "status" => Self::PublicStatus,
            "vector-sync/status" => Self::VectorSync,
            "vector-viz/search" => Self::VectorSearch,
            "webhooks" => Self::Webhooks,
            "webhook-presets" => Self::WebhookPresets,
            "events" => Self::Events,
            "events/match" => Self::MatchEvent,
            "background-sync/credentials" => Self::Credentials,
            "background-sync/status" => Self::Status,
            "background-sync/login-flow" => Self::LoginFlows,
            // A `DELETE` that lacks the id is that of a webhook.
            "webhooks/" => Self::Webhook,
            _ if has_id("webhooks") => Self::Webhook,
            _ if has_id("webhook-presets") => Self::WebhookPreset,
            _ if has_id("background-sync/credentials") => Self::CredentialOfUser,
            _ if has_id("background-sync/login-flow") => Self::LoginFlow,
            _ => Self::Other,
        }
    }

    /// The name: the path with its parameters in braces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Apps => "/api/v1/apps",
            Self::Webhooks => "/api/v1/webhooks",
            Self::Webhook => "/api/v1/webhooks/{webhook_id}",
            Self::WebhookPresets => "/api/v1/webhook-presets",
            Self::WebhookPreset => "/api/v1/webhook-presets/{name}",
            Self::Events => "/api/v1/events",
            Self::MatchEvent => "/api/v1/events/match",
            Self::Credentials => "/api/v1/background-sync/credentials",
            Self::CredentialOfUser => "/api/v1/background-sync/credentials/{userId}",
            Self::Status => "/api/v1/background-sync/status",
            Self::LoginFlows => "/api/v1/background-sync/login-flow",
            Self::LoginFlow => "/api/v1/background-sync/login-flow/{flow_id}",
            Self::PublicStatus => "/api/v1/status",
            Self::Session => "/api/v1/users/{id}/session",
            Self::Revoke => "/api/v1/users/{id}/revoke",
            Self::AppPassword => "/api/v1/users/{id}/app-password",
            Self::VectorSync => "/api/v1/vector-sync/status",
            Self::VectorSearch => "/api/v1/vector-viz/search",
            Self::ResourceMetadata => WELL_KNOWN,
            Self::Healthz => "/healthz",
            Self::Readyz => "/readyz",
            Self::Other => "other",
        }
    }

    /// Whether a layer above the router answers it.
    #[cfg(test)]
    fn is_answered_above(self) -> bool {
        matches!(
            self,
            Self::PublicStatus
                | Self::AppPassword
                | Self::VectorSync
                | Self::VectorSearch
                | Self::ResourceMetadata
        ) || self.is_probe()
    }

    /// Whether it is one of the probes, which a supervisor asks all the time.
    pub fn is_probe(self) -> bool {
        matches!(self, Self::Healthz | Self::Readyz)
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::gateway::Error;
    use crate::gateway::route::Route;

    const METHODS: [Method; 5] = [
        Method::GET,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::HEAD,
    ];

    /// Whether the router knows the path, with some method.
    fn is_routed(path: &str) -> bool {
        METHODS.iter().any(|method| {
            let found = Route::find(method, path, None);
            !matches!(found, Err(Error::UnknownPath))
        })
    }

    #[test]
    fn a_path_has_a_name_if_the_router_knows_it() {
        let mut parts = vec![""];
        for name in RouteName::ALL {
            parts.extend(name.as_str().split('/'));
        }
        parts.extend(["x", "a%2Fb", "API", "v2"]);
        parts.sort_unstable();
        parts.dedup();
        let mut named = [false; RouteName::ALL.len()];
        // Every path of up to five segments that occur in one.
        let mut paths = vec![String::new()];
        for _ in 0..5 {
            for path in std::mem::take(&mut paths) {
                for part in &parts {
                    let path = format!("{path}/{part}");
                    let name = RouteName::of(&path);
                    named[name as usize] = true;
                    let is_named = name != RouteName::Other && !name.is_answered_above();
                    assert_eq!(is_named, is_routed(&path), "{path}: {name:?}");
                    // Deeper ones only where there is something.
                    if RouteName::ALL
                        .iter()
                        .any(|it| it.as_str().starts_with(&path))
                    {
                        paths.push(path);
                    }
                }
            }
        }
        assert!(named.iter().all(|named| *named), "{named:?}");
    }

    #[test]
    fn each_name_is_at_the_place_of_its_number_and_names_itself() {
        for (at, name) in RouteName::ALL.into_iter().enumerate() {
            assert_eq!(name as usize, at);
            assert_eq!(RouteName::of(name.as_str()), name);
        }
    }
}
