//! Whether a request is forwarded, as what, and which scopes that takes.

use http::StatusCode;
use http::header::{CONTENT_ENCODING, HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;

use super::family::{Family, Right, Scope, Scopes};
use super::fields;
use super::path::{self, Path};
use super::routes::{self, Access, CHAT, Route, TARGET, UPLOADS};
use super::uris::{Server, rewrite_if};

/// What a decision depends on beside the request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    pub(crate) server: &'a Server,
    /// What the operator opened.
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
    pub(crate) path_and_query: String,
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
    /// None is sent.
    None,
    Stream,
    /// It is read whole, and sent once it has passed [`check_report`](super::check_report).
    Report(Family),
}

/// Why a request is not forwarded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the path is not canonical: {0}")]
    Path(&'static str),
    #[error("the field {0}: {1}")]
    Field(&'static str, &'static str),
    #[error("no family that is opened has this path")]
    NotOpened,
    #[error("the path is another account's")]
    OtherAccount,
    /// With the methods for `Allow`.
    #[error("the path is forwarded for {0} only")]
    Method(String),
    #[error("PROPFIND is forwarded with Depth 0 or 1, and to find other resources with 0 only")]
    Depth,
    #[error("{0}")]
    Forbidden(&'static str),
}

/// Decides about a request, whose token must then have what the result needs.
pub(crate) fn decide(request: &Parts, context: &Context<'_>) -> Result<Forwarded, Refused> {
    let method = request.method.as_str();
    let path = Path::parse(request.uri.path()).map_err(Refused::Path)?;
    let query = request.uri.query();
    query.map_or(Ok(()), path::check_query).map_err(Refused::Path)?;
    let route = context.route(&path)?;
    let access = route.access(method).ok_or_else(|| Refused::Method(route.allow()))?;
    if access == Access::PathsInBody {
        return Err(Refused::Forbidden("the body of SEARCH and of bulk upload names other paths"));
    }
    let says_zero = |name| path::says_zero(query.unwrap_or_default(), name);
    let is_chat = route.pattern == CHAT && matches!(method, "GET" | "HEAD");
    let long_poll = is_chat && !says_zero("lookIntoFuture");
    let marks_as_read = long_poll && !says_zero("setReadMarker");
    let access = if marks_as_read { Access::Write } else { access };
    let mut needs = needs_of(context.opened, route, access)?;

    let mut headers = fields::to_server(&request.headers);
    let is_file = route.is_dav() && route.family == Some(Family::Files);
    if headers.contains_key(CONTENT_ENCODING) && !(method == "PUT" && is_file) {
        return Err(Refused::Forbidden("only the body of a PUT of a file may be encoded"));
    }
    let depth = fields::take(&mut headers, "depth")?;
    let is_bounded =
        matches!((depth.as_deref(), route.family), (Some("0"), _) | (Some("1"), Some(_)));
    if method == "PROPFIND" && !is_bounded {
        return Err(Refused::Depth);
    }
    let target = fields::take(&mut headers, "destination")?;
    let relocates = matches!(method, "COPY" | "MOVE");
    let target = target.filter(|_| relocates || route.pattern.starts_with(UPLOADS));
    if relocates && target.is_none() {
        return Err(Refused::Field("destination", "it is missing"));
    }
    let target = target.map(|uri| context.write_to(&uri, "destination", &mut needs));
    let lists = fields::take(&mut headers, "if")?.filter(|_| !needs.is_any);
    let lists = lists.map(|lists| {
        let write_to = |tag: &str| context.write_to(tag, "if", &mut needs);
        rewrite_if(&lists, write_to)?.ok_or(Refused::Field("if", "its lists cannot be read"))
    });
    let rewritten =
        [("depth", depth), ("destination", target.transpose()?), ("if", lists.transpose()?)];
    for (name, text) in rewritten {
        let value = text.map(HeaderValue::try_from).transpose();
        let value = value.map_err(|_| Refused::Field(name, "it cannot be written"))?;
        headers.extend(value.map(|value| (Some(HeaderName::from_static(name)), value)));
    }

    let body = match (method, route.family) {
        ("GET" | "HEAD" | "OPTIONS", _) => Body::None,
        ("REPORT", Some(family)) => Body::Report(family),
        _ => Body::Stream,
    };
    Ok(Forwarded {
        needs,
        path_and_query: path.encode_with(query),
        headers,
        body,
        is_write: access != Access::Read,
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
    opened.has_some_of(family).then(|| server.dav_root())
}

/// The scopes that `access` to a route needs, if they are opened.
pub(super) fn needs_of(opened: Scopes, route: &Route, access: Access) -> Result<Needs, Refused> {
    let of_dav = [Family::Files, Family::Calendar, Family::Contacts];
    let of_dav = of_dav.map(|family| Scope { family, right: Right::Read });
    let (scopes, is_any) = match route.family {
        Some(family) => (access.scopes(family), false),
        None => (of_dav.into_iter().filter(|&it| opened.contains(it)).collect(), true),
    };
    let is_opened = !scopes.is_empty() && scopes.without(opened).is_empty();
    is_opened.then_some(Needs { scopes, is_any }).ok_or(Refused::NotOpened)
}

// === impl Context ===

impl Context<'_> {
    /// The route at `path`, if anything of its family is opened.
    fn route(&self, path: &Path) -> Result<&'static Route, Refused> {
        let below = self.server.below(path).ok_or(Refused::NotOpened)?;
        let (route, is_own) = routes::at(below, self.user_id).ok_or(Refused::NotOpened)?;
        let is_opened = route.family.is_none_or(|family| self.opened.has_some_of(family));
        // The server's router knows no path of an app that ends in a slash.
        if !is_opened || path.has_trailing_slash && !route.is_dav() {
            return Err(Refused::NotOpened);
        }
        is_own.then_some(route).ok_or(Refused::OtherAccount)
    }

    /// The URI to send for another path, which a field names, and which the request then needs the right to write to.
    fn write_to(
        &self,
        text: &str,
        field: &'static str,
        needs: &mut Needs,
    ) -> Result<String, Refused> {
        let fault = |fault| Refused::Field(field, fault);
        let path = self.server.path(text, self.caller_host).map_err(fault)?;
        let route = self.route(&path).ok().filter(|route| route.access(TARGET).is_some());
        let written = route.and_then(|route| needs_of(self.opened, route, Access::Write).ok());
        let written = written.ok_or(Refused::Forbidden(
            "Destination or If names what is not open to writes in this account",
        ))?;
        needs.scopes = needs.scopes.iter().chain(written.scopes.iter()).collect();
        Ok(self.server.uri(&path))
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

// === impl Refused ===

impl Refused {
    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::Path(_) | Self::Field(..) => StatusCode::BAD_REQUEST,
            Self::NotOpened | Self::OtherAccount => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Depth | Self::Forbidden(_) => StatusCode::FORBIDDEN,
        }
    }

    /// The precondition that was not met, as the body of the answer (RFC 4918, section 16).
    pub(crate) fn precondition(&self) -> Option<&'static str> {
        (*self == Self::Depth).then_some(concat!(
            r#"<?xml version="1.0" encoding="utf-8"?>"#,
            r#"<d:error xmlns:d="DAV:"><d:propfind-finite-depth/></d:error>"#,
        ))
    }
}
