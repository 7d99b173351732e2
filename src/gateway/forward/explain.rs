//! The policy as it is configured, and what it does with a request, for people.

use http::request::Parts;
use http::{Request, Uri};

use super::decide::needs_of;
use super::family::Scopes;
use super::layer::{self, host, judge, request_for};
use super::routes::{Access, ROUTES, TARGET};
use super::{Context, Forward, Refused, Server};
use crate::gateway::{Error, Principal, Settings, User};
use crate::outbound::HttpUrl;

/// A route that is forwarded, and what it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenRoute {
    /// The path below the server's web root: `a|b` is one of these segments, `{uid}` the account, `{id}` digits,
    /// `{any}` any segment, `{rest}` any number of them.
    pub path: String,
    /// The methods, separated by spaces.
    pub methods: String,
    /// The scopes that they need; one of them is enough for a route that belongs to no family.
    pub scopes: Scopes,
}

impl Forward {
    /// Why nothing can be forwarded to `server`, if so.
    pub fn fault_in(server: &HttpUrl) -> Option<&'static str> {
        Server::new(&server.origin(), server.path()).err()
    }

    /// What is opened, in the order in which it is looked for.
    pub fn routes(&self) -> impl Iterator<Item = OpenRoute> {
        let opened = self.opened;
        ROUTES.iter().flat_map(move |route| {
            let open = route.methods.iter().filter_map(move |(access, methods)| {
                let scopes = needs_of(opened, route, *access).ok()?.scopes;
                let methods = methods.iter().copied().filter(|method| *method != TARGET);
                let methods = methods.collect::<Vec<_>>().join(" ");
                let is_open = *access != Access::PathsInBody && !methods.is_empty();
                is_open.then_some((methods, scopes))
            });
            open.flat_map(move |(methods, scopes)| {
                route.paths().map(move |path| OpenRoute { path, methods: methods.clone(), scopes })
            })
        })
    }

    /// The request that would be sent to `server` for one of `user`, without the login and what else the gateway adds. Of
    /// `settings`, the addresses and the prefix of scopes count.
    ///
    /// # Errors
    /// It would not be forwarded, for this reason.
    pub fn explain(
        &self,
        request: &Parts,
        server: &HttpUrl,
        user: &User,
        settings: &Settings,
    ) -> Result<Request<()>, Error> {
        let prefix = settings.scope_prefix.as_deref().unwrap_or_default();
        let named = layer::server(server, settings)
            .map_err(|fault| Refused::Malformed("groupware_url", fault))?;
        let (opened, user_id, caller_host) = (self.opened, user.user_id(), host(request));
        let context = Context { server: &named, opened, user_id, caller_host };
        let principal = Principal::from(user.clone());
        let forwarded = judge(request, &context, principal.scopes_without(prefix), prefix)?;
        let uri = Uri::try_from(server.origin() + forwarded.path_and_query.as_str());
        let uri = uri.map_err(|_| Refused::Malformed("path", "it is too long"))?;
        Ok(request_for(uri, request.method.clone(), forwarded.headers))
    }
}
