//! The header fields that pass, by allow-lists both ways.
//!
//! A field that `Connection` names does not pass. None of the names has an underscore, which PHP takes for a hyphen, and
//! none is read by the server as a login, an address, a path or a method. What belongs to the gateway, it sets itself:
//! `Authorization`, `User-Agent`, `X-Request-Id`, the caller's address, `Host`, and the length of a request's body.

use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use http::header::{
    CONNECTION, CONTENT_LENGTH, CONTENT_LOCATION, HeaderMap, HeaderName, HeaderValue, LOCATION,
    TRANSFER_ENCODING,
};
use http::response::Parts;

use super::decide::Refused;
use super::uris::Server;

type Names = HashSet<&'static str, RandomState>;

/// Of requests, split once, since each field is looked for. `Destination` and `If` are sent as they are rewritten.
static SENT: LazyLock<Names> = LazyLock::new(|| {
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
static ANSWERED: LazyLock<Names> = LazyLock::new(|| {
    "accept-ranges allow cache-control content-disposition content-encoding content-length \
    content-location content-range content-type date dav etag expires last-modified link location lock-token \
    ms-author-via oc-checksum oc-etag oc-fileid retry-after schedule-tag vary x-chat-last-common-read \
    x-chat-last-given x-nc-ownerid x-nc-paginate x-nc-paginate-token x-nc-paginate-total x-nc-permissions \
    x-nextcloud-user-status x-notes-api-versions x-notes-chunk-cursor x-notes-chunk-pending x-oc-ctime x-oc-mtime \
    x-user-id"
        .split(' ')
        .collect()
});

/// The fields of a request that are sent.
pub(super) fn to_server(fields: &HeaderMap) -> HeaderMap {
    passed(fields, &SENT, fields.len() + 5)
}

/// Replaces the text of a field that may be there once, or leaves the field out. Whether it is then there.
pub(super) fn rewrite(
    fields: &mut HeaderMap,
    name: &'static str,
    rewrite: impl FnOnce(&str) -> Result<Option<String>, Refused>,
) -> Result<bool, Refused> {
    if !fields.contains_key(name) {
        return Ok(false);
    }
    let is_repeated = fields.get_all(name).iter().nth(1).is_some();
    let value = fields.remove(name).expect("it is there");
    let text = value.to_str().ok().filter(|_| !is_repeated);
    let text = text.ok_or(Refused::Malformed(name, "it is repeated, or not text"))?;
    let value = rewrite(text)?.and_then(|text| HeaderValue::try_from(text).ok());
    Ok(value.map(|value| fields.insert(name, value)).is_some())
}

/// The fields of an answer that the caller gets, `Location` and `Content-Location` as paths, or left out if they name
/// another host, or are no addresses. None if such a `Location` is that of a redirect.
pub(crate) fn to_caller(head: &Parts, server: &Server) -> Option<HeaderMap> {
    let mut answered = passed(&head.headers, &ANSWERED, 12);
    let mut lengths = answered.get_all(CONTENT_LENGTH).iter().map(HeaderValue::as_bytes);
    let is_number =
        |length: &[u8]| (1..20).contains(&length.len()) && length.iter().all(u8::is_ascii_digit);
    let is_one = lengths.next().is_some_and(is_number) && lengths.next().is_none();
    // Beside chunks it says nothing (RFC 9112, section 6.3).
    if !is_one || head.headers.contains_key(TRANSFER_ENCODING) {
        answered.remove(CONTENT_LENGTH);
    }
    for name in [LOCATION, CONTENT_LOCATION] {
        let mut values = answered.get_all(&name).iter();
        let Some(value) = values.next() else { continue };
        let path = on_this_host(value, server).filter(|_| values.next().is_none());
        if path.is_none() && name == LOCATION && head.status.is_redirection() {
            return None;
        }
        answered.remove(&name);
        answered.extend(path.map(|path| (name, path)));
    }
    Some(answered)
}

fn passed(fields: &HeaderMap, list: &Names, room: usize) -> HeaderMap {
    let named = fields.get_all(CONNECTION).iter();
    let named = named.flat_map(|value| value.as_bytes().split(|&byte| byte == b','));
    let named = named.filter(|name| !name.eq_ignore_ascii_case(b"keep-alive"));
    let named = named.filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok());
    let named: Vec<_> = named.collect();
    let is_listed = |name: &HeaderName| list.contains(name.as_str());
    let listed = fields.iter().filter(|(name, _)| is_listed(name) && !named.contains(name));
    // Collected, it would grow several times.
    let mut passed = HeaderMap::with_capacity(room);
    passed.extend(listed.map(|(name, value)| (name.clone(), value.clone())));
    passed
}

fn on_this_host(value: &HeaderValue, server: &Server) -> Option<HeaderValue> {
    let path = server.locate(value.to_str().ok()?, None).ok()?;
    HeaderValue::try_from(path.encode()).ok()
}
