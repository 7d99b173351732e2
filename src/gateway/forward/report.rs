//! Bodies of `REPORT`, which name what is read.
//!
//! Such a body is read whole, and sent as it is. So it may have nothing that the server's parser could read differently: a
//! document type, entities, another encoding, processing instructions.

use quick_xml::NsReader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;
use quick_xml::name::{Namespace, ResolveResult};

use super::decide::{Context, Refused};
use super::family::Family;
use super::routes::{self, Access, Route};

/// The most bytes of a body to check.
pub(crate) const MAX_REPORT: usize = 1024 * 1024;

const DAV: &str = "DAV:";
const CALDAV: &str = "urn:ietf:params:xml:ns:caldav";
const CARDDAV: &str = "urn:ietf:params:xml:ns:carddav";
const OWNCLOUD: &str = "http://owncloud.org/ns";

const NOT_PLAIN: Refused = Refused::Forbidden(
    "the body must be XML in UTF-8, without a document type, entities and processing instructions",
);

/// The reports that are forwarded. Others follow links to what another family holds.
const REPORTS: &[(Family, &str, &str)] = &[
    (Family::Calendar, CALDAV, "calendar-multiget"),
    (Family::Calendar, CALDAV, "calendar-query"),
    (Family::Calendar, CALDAV, "free-busy-query"),
    (Family::Calendar, DAV, "sync-collection"),
    (Family::Contacts, CARDDAV, "addressbook-multiget"),
    (Family::Contacts, CARDDAV, "addressbook-query"),
    (Family::Contacts, DAV, "sync-collection"),
    (Family::Files, OWNCLOUD, "filter-comments"),
    (Family::Files, OWNCLOUD, "filter-files"),
];

/// Checks the body of a `REPORT` to `family`, which may then be sent as it is.
pub(crate) fn check_report(
    body: &[u8],
    family: Family,
    context: &Context<'_>,
) -> Result<(), Refused> {
    let text = std::str::from_utf8(body).map_err(|_| NOT_PLAIN)?;
    let mut reader = NsReader::from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    reader.config_mut().expand_empty_elements = true;
    let (mut depth, mut has_root) = (0_usize, false);
    let mut href: Option<String> = None;
    loop {
        let (namespace, event) = reader.read_resolved_event().map_err(|_| NOT_PLAIN)?;
        let part = match event {
            // An element within an href, or a second root.
            Event::Start(_) if href.is_some() || has_root && depth == 0 => return Err(NOT_PLAIN),
            Event::Start(element) => {
                let name = element.local_name();
                let is_this = |&(of, namespace_of, report): &(_, _, &str)| {
                    let has_namespace = namespace == ResolveResult::Bound(Namespace(namespace_of));
                    of == family && report == name.as_ref() && has_namespace
                };
                if !has_root && !REPORTS.iter().any(is_this) {
                    return Err(Refused::Forbidden("the family has no such report"));
                }
                href = (name.as_ref() == "href").then(String::new);
                (has_root, depth) = (true, depth + 1);
                continue;
            }
            Event::End(_) => {
                depth -= 1;
                href.take().map_or(Ok(()), |href| check_href(&href, family, context))?;
                continue;
            }
            Event::Text(text) => text.xml10_content(),
            Event::CData(text) => text.xml10_content(),
            Event::GeneralRef(name) if name.is_char_ref() && href.is_none() => continue,
            Event::GeneralRef(name) => resolve_predefined_entity(&name).ok_or(NOT_PLAIN)?.into(),
            Event::Decl(declaration) => match declaration.encoding() {
                None => continue,
                Some(Ok(encoding)) if encoding.eq_ignore_ascii_case("utf-8") => continue,
                Some(_) => return Err(NOT_PLAIN),
            },
            Event::Comment(_) => continue,
            Event::Eof if has_root && depth == 0 => return Ok(()),
            Event::Eof | Event::Empty(_) | Event::DocType(_) | Event::PI(_) => {
                return Err(NOT_PLAIN);
            }
        };
        if let Some(href) = &mut href {
            href.push_str(&part);
        }
    }
}

/// Checks that a report of `family` may read what it names.
fn check_href(href: &str, family: Family, context: &Context<'_>) -> Result<(), Refused> {
    let path = context.server.path(href, context.caller_host).map_err(Refused::Forbidden)?;
    let found = routes::at(context.server.below(&path).unwrap_or_default(), context.user_id);
    let is_open = |route: &Route| {
        route.family == Some(family) && route.access("PROPFIND") == Some(Access::Read)
    };
    let is_open = found.is_some_and(|(route, is_own)| is_own && is_open(route));
    is_open.then_some(()).ok_or(Refused::Forbidden("the report reads what is not of its family"))
}
