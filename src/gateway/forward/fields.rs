//! The header fields that pass, by allow-lists both ways.
//!
//! A field that `Connection` names does not pass. None of the names has an underscore, which PHP takes for a hyphen, and
//! none is read by the server as a login, an address, a path or a method. What belongs to the gateway, it sets itself:
//! `Authorization`, `User-Agent`, `X-Request-Id`, the caller's address, `Host`, and the length of a request's body.

use std::sync::LazyLock;

use http::header::{CONNECTION, CONTENT_LOCATION, HeaderMap, HeaderName, HeaderValue, LOCATION};

use super::decide::Refused;
use super::uris::Server;

/// Of requests, split once, since each field is looked for. `Destination` and `If` are sent as they are rewritten.
static SENT: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "accept accept-encoding accept-language brief content-encoding content-range content-type depth \
    destination if if-match if-modified-since if-none-match if-range if-schedule-tag-match if-unmodified-since \
    lock-token oc-checksum oc-chunked oc-total-length ocs-apirequest overwrite prefer range schedule-reply timeout \
    x-expected-entity-length x-hash x-nc-caldav-no-trashbin x-nc-caldav-webcal-caching x-nc-files x-nc-nickname \
    x-nc-paginate x-nc-paginate-count x-nc-paginate-offset x-nc-paginate-token x-nc-preview x-nc-scheduling \
    x-nc-skip-trashbin x-nc-webdav-auto-mkcol x-oc-ctime x-oc-mtime x-recalculate-hash x-user-lock \
    x-user-lock-type"
        .split(' ')
        .collect()
});

/// Of answers.
static ANSWERED: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "accept-ranges allow cache-control content-disposition content-encoding content-language \
    content-length content-range content-type date dav etag expires last-modified link lock-token \
    ms-author-via oc-checksum oc-etag oc-fileid retry-after schedule-tag vary x-nc-ownerid x-nc-paginate \
    x-nc-paginate-token x-nc-paginate-total x-nc-permissions x-nextcloud-user-status x-oc-ctime \
    x-oc-mtime x-user-id"
        .split(' ')
        .collect()
});

/// Of answers, all that begin so.
const ANSWERED_PREFIXES: &str = "x-activity- x-chat- x-notes-";

/// The fields of a request that are sent.
pub(super) fn to_server(fields: &HeaderMap) -> HeaderMap {
    passed(fields, |name| SENT.contains(&name.as_str()))
}

/// Takes a field out, whose text is to be read. It may be there once.
pub(super) fn take(fields: &mut HeaderMap, name: &'static str) -> Result<Option<String>, Refused> {
    let is_repeated = fields.get_all(name).iter().nth(1).is_some();
    let text = fields.remove(name).map(|value| value.to_str().map(str::to_owned)).transpose();
    let text = text.ok().filter(|_| !is_repeated);
    text.ok_or(Refused::Field(name, "it is repeated, or not text"))
}

/// The fields of an answer that the caller gets. `Location` and `Content-Location` become paths; none if the server
/// redirects to another host, or to what is no address.
pub(crate) fn to_caller(fields: &HeaderMap, server: &Server) -> Option<HeaderMap> {
    let is_of_app = |name: &HeaderName| {
        ANSWERED_PREFIXES.split(' ').any(|prefix| name.as_str().starts_with(prefix))
    };
    let mut answered = passed(fields, |name| ANSWERED.contains(&name.as_str()) || is_of_app(name));
    for name in [LOCATION, CONTENT_LOCATION] {
        let is_optional = name == CONTENT_LOCATION;
        let paths = fields.get_all(&name).iter().map(|value| on_this_host(value, server));
        match *paths.collect::<Vec<_>>() {
            [] => {}
            [Some(ref path)] => drop(answered.insert(name, path.clone())),
            _ if is_optional => {}
            _ => return None,
        }
    }
    Some(answered)
}

fn passed(fields: &HeaderMap, passes: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let named = fields.get_all(CONNECTION).iter();
    let named = named.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    let named = named.filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok());
    let named: Vec<_> = named.collect();
    let passed = fields.iter().filter(|(name, _)| passes(name) && !named.contains(name));
    passed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn on_this_host(value: &HeaderValue, server: &Server) -> Option<HeaderValue> {
    let (path, query) = server.locate(value.to_str().ok()?, None).ok()?;
    HeaderValue::from_str(&path.encode_with(query.as_deref())).ok()
}
