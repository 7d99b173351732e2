//! Bodies of XML that are checked: of `REPORT`, which name what is read, and of what may make the server fetch a calendar.
//!
//! A body is read whole, and sent as it is. So it may have nothing that the server's parser could read differently: a
//! document type, entities, another encoding, processing instructions.

use quick_xml::NsReader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;
use quick_xml::name::{Namespace, ResolveResult};

use super::decide::{Context, Refused};
use super::family::Family;
use super::routes::{self, Access};

/// The most bytes of a body to check.
pub(crate) const MAX_CHECKED: usize = 1024 * 1024;

const DAV: &str = "DAV:";
const CALDAV: &str = "urn:ietf:params:xml:ns:caldav";
const CARDDAV: &str = "urn:ietf:params:xml:ns:carddav";
const OWNCLOUD: &str = "http://owncloud.org/ns";

const NOT_PLAIN: Refused = Refused::Forbidden(
    "the body must be XML in UTF-8, without a document type, entities and processing instructions",
);

/// The bodies that are forwarded. Other reports follow links to what another family holds.
const BODIES: &[(Family, &str, &str)] = &[
    (Family::Calendar, CALDAV, "calendar-multiget calendar-query free-busy-query mkcalendar"),
    (Family::Calendar, DAV, "mkcol propertyupdate sync-collection"),
    (Family::Contacts, CARDDAV, "addressbook-multiget addressbook-query"),
    (Family::Contacts, DAV, "sync-collection"),
    (Family::Files, OWNCLOUD, "filter-comments filter-files"),
];

/// Checks a body in `family`, which may then be sent as it is.
pub(crate) fn check_xml(body: &[u8], family: Family, context: &Context<'_>) -> Result<(), Refused> {
    let text = std::str::from_utf8(body).map_err(|_| NOT_PLAIN)?;
    let mut reader = NsReader::from_str(text);
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
                let is_root = |&(of, namespace_of, roots): &(_, _, &str)| {
                    let is_in = namespace == ResolveResult::Bound(Namespace(namespace_of));
                    of == family && is_in && roots.split(' ').any(|root| root == name.as_ref())
                };
                let is_open = has_root || BODIES.iter().any(is_root);
                // These make a calendar one that the server fetches from another.
                if !is_open || matches!(name.as_ref(), "source" | "subscribed") {
                    return Err(Refused::Forbidden("no family has this report or element"));
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

/// Checks that a body of `family` names what is of it.
fn check_href(href: &str, family: Family, context: &Context<'_>) -> Result<(), Refused> {
    let path = context.server.resource(href, context.caller_host).map_err(Refused::Forbidden)?;
    let route = routes::at(context.server.below(&path).unwrap_or_default(), Some(context.user_id));
    let is_open = route.is_some_and(|route| {
        route.family == Some(family) && route.access("PROPFIND") == Some(Access::Read)
    });
    is_open.then_some(()).ok_or(Refused::Forbidden("the body names what is not of its family"))
}
