//! Whether a request is forwarded, as what, and which scopes that takes.

use http::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use http::request::Parts;
use http::uri::PathAndQuery;

use super::family::{Family, Right, Scope, Scopes};
use super::fields;
use super::path::Path;
use super::routes::{self, Access, Route, TARGET};
use super::uris::{Server, rewrite_if};

/// What a decision depends on beside the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) server: &'a Server,
    pub(crate) opened: Scopes,
    /// The id of the account that the request is for.
    pub(crate) user_id: &'a str,
    /// How the caller addressed the gateway: the authority of the request, or its `Host`.
    pub(crate) caller_host: Option<&'a str>,
}

/// A request as it is sent, if its token has what it needs.
#[derive(Debug)]
pub(crate) struct Forwarded {
    pub(crate) needs: Needs,
    /// With the web root.
    pub(crate) path_and_query: PathAndQuery,
    /// All but those that the gateway sets itself ([`fields`]).
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
    pub(crate) is_write: bool,
    /// Whether the server may wait for something to happen before it answers.
    pub(crate) long_poll: bool,
}

/// The scopes that a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Needs {
    pub(super) scopes: Scopes,
    /// Whether one of them is enough.
    is_any: bool,
}

/// What is done with the body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    None,
    Stream,
    /// It is read whole, and sent if it is empty or has passed [`check_xml`](super::check_xml).
    Check(Family),
}

/// The body of the answer to [`Refused::Depth`]: the precondition that was not met (RFC 4918, section 9.1).
pub(crate) const FINITE_DEPTH: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<d:error xmlns:d="DAV:"><d:propfind-finite-depth/></d:error>"#;

/// Why a request is not forwarded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// 301, to where CalDAV and CardDAV are found.
    #[error("its interface is at {0}")]
    Elsewhere(String),
    /// 400, with what is wrong: the path, or a field.
    #[error("{0}: {1}")]
    Malformed(&'static str, &'static str),
    /// 404.
    #[error("no family that is opened has this path in this account")]
    NotOpened,
    /// 405, with the methods for `Allow`.
    #[error("the path is forwarded for {0} only")]
    Method(String),
    /// 403, with [`FINITE_DEPTH`].
    #[error("PROPFIND is forwarded with Depth 0 or 1, and to find other resources with 0 only")]
    Depth,
    /// 403.
    #[error("{0}")]
    Forbidden(&'static str),
}

/// Decides about a request, whose token must then have what the result needs.
pub(crate) fn decide(request: &Parts, context: &Context<'_>) -> Result<Forwarded, Refused> {
    let found = discovery(request.uri.path(), context.opened, context.server);
    found.map_or(Ok(()), |path| Err(Refused::Elsewhere(path)))?;
    let method = request.method.as_str();
    let malformed = |fault| Refused::Malformed("path", fault);
    let came = request.uri.path_and_query().ok_or(malformed("it is missing"))?;
    let path = Path::parse(came.as_str()).map_err(malformed)?;
    path.check_query().map_err(malformed)?;
    let route = context.route(&path)?;
    let access = route.access(method).ok_or_else(|| Refused::Method(route.allow()))?;
    if access == Access::PathsInBody {
        return Err(Refused::Forbidden("the body of SEARCH and of bulk upload names other paths"));
    }
    let long_poll = access == Access::Chat && !path.says_zero("lookIntoFuture");
    let marks_as_read = long_poll && !path.says_zero("setReadMarker");
    let access = if marks_as_read { Access::Write } else { access };
    let mut needs = needs_of(context.opened, route, access)?;

    let mut headers = fields::to_server(&request.headers);
    let is_file = route.is_dav() && route.family == Some(Family::Files);
    if headers.contains_key(CONTENT_ENCODING) && !(method == "PUT" && is_file) {
        return Err(Refused::Forbidden("only the body of a PUT of a file may be encoded"));
    }
    if method == "PROPFIND" {
        let depths: Vec<_> = headers.get_all("depth").iter().map(HeaderValue::as_bytes).collect();
        let is_bounded = depths == [b"0"] || depths == [b"1"] && route.family.is_some();
        if !is_bounded {
            return Err(Refused::Depth);
        }
    }
    let relocates = matches!(method, "COPY" | "MOVE");
    let has_target = fields::rewrite(&mut headers, "destination", |uri| {
        let takes_target = relocates || access == Access::Upload;
        takes_target.then(|| context.target(uri, "destination", &mut needs)).transpose()
    })?;
    if relocates && !has_target {
        return Err(Refused::Malformed("destination", "it is missing"));
    }
    let is_any = needs.is_any;
    fields::rewrite(&mut headers, "if", |lists| {
        let target = |tag: &str| context.target(tag, "if", &mut needs);
        (!is_any).then(|| rewrite_if(lists, target)).transpose()
    })?;

    let body = match (method, route.family) {
        ("GET" | "HEAD" | "OPTIONS", _) => Body::None,
        ("REPORT", Some(family)) => Body::Check(family),
        ("MKCALENDAR" | "MKCOL" | "PROPPATCH", Some(family @ Family::Calendar)) => {
            Body::Check(family)
        }
        _ => Body::Stream,
    };
    Ok(Forwarded {
        needs,
        path_and_query: path.to_send(came).map_err(|_| malformed("it is too long"))?,
        headers,
        body,
        is_write: !matches!(access, Access::Read | Access::Chat) || relocates,
        long_poll,
    })
}

/// Where `/.well-known/caldav` and `/.well-known/carddav` redirect to (RFC 6764), if that is opened.
pub(crate) fn discovery(path: &str, opened: Scopes, server: &Server) -> Option<String> {
    let family = match path {
        "/.well-known/caldav" => Family::Calendar,
        "/.well-known/carddav" => Family::Contacts,
        _ => return None,
    };
    opened.has_some_of(family).then(|| format!("{}remote.php/dav/", server.web_root.encode()))
}

/// The scopes of which one is enough to find resources: to read any family of DAV.
fn finders(opened: Scopes) -> Scopes {
    let families = [Family::Files, Family::Calendar, Family::Contacts];
    let scopes = families.map(|family| Scope { family, right: Right::Read });
    scopes.into_iter().filter(|&scope| opened.contains(scope)).collect()
}

/// The scopes that `access` to a route needs, if they are opened.
pub(super) fn needs_of(opened: Scopes, route: &Route, access: Access) -> Result<Needs, Refused> {
    let scopes = route.family.map_or_else(|| finders(opened), |family| access.scopes(family));
    let needs = Needs { scopes, is_any: route.family.is_none() };
    scopes.without(opened).is_empty().then_some(needs).ok_or(Refused::NotOpened)
}

// === impl Context ===

impl Context<'_> {
    /// The route at `path`, if anything of its family is opened.
    fn route(&self, path: &Path) -> Result<&'static Route, Refused> {
        let below = self.server.below(path).ok_or(Refused::NotOpened)?;
        let route = routes::at(below, Some(self.user_id)).ok_or(Refused::NotOpened)?;
        let is_opened = match route.family {
            Some(family) => self.opened.has_some_of(family),
            None => !finders(self.opened).is_empty(),
        };
        // The server's router knows no path of an app that ends in a slash.
        let is_one = route.is_dav() || !path.has_trailing_slash;
        (is_opened && is_one).then_some(route).ok_or(Refused::NotOpened)
    }

    /// The URI to send for another path, which a field names, and which the request then needs the right to write to.
    fn target(&self, uri: &str, field: &'static str, needs: &mut Needs) -> Result<String, Refused> {
        let fault = |fault| Refused::Malformed(field, fault);
        let path = self.server.resource(uri, self.caller_host).map_err(fault)?;
        let route = self.route(&path).ok().filter(|route| route.access(TARGET).is_some());
        let written = route.and_then(|route| needs_of(self.opened, route, Access::Write).ok());
        let closed = Refused::Forbidden("Destination or If names what is not open to writes");
        let written = written.ok_or(closed)?;
        needs.scopes = needs.scopes.iter().chain(written.scopes.iter()).collect();
        Ok(format!("{}{}", self.server.origin, path.encode()))
    }
}

// === impl Needs ===

impl Needs {
    /// What `granted`, the scopes of a token without the prefix, lack.
    pub(crate) fn missing<'a>(&self, granted: impl IntoIterator<Item = &'a str>) -> Scopes {
        let granted: Scopes = granted.into_iter().filter_map(Scope::parse).collect();
        let missing = self.scopes.without(granted);
        match self.is_any {
            true if missing != self.scopes => Scopes::default(),
            true => missing.iter().take(1).collect(),
            false => missing,
        }
    }
}
