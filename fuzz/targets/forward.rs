//! What is decided of a request, whatever its bytes: a path that is sent is in the one form, and decided about in the same
//! way again; second paths are on the server; a body that passes names nothing of another account.
//!
//! The input is a method and a path, fields, one on a line, an empty line, and a body. The modules are compiled into this target
//! as they stand, which leaves the rest of the gateway, its TLS above all, out of the sanitizer's build.

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};

use self::gateway::decide::{Context, Forwarded, Refused, decide};
use self::gateway::family::{Family, Scopes};
use self::gateway::fields::to_caller;
use self::gateway::path::Path;
use self::gateway::report::check_xml;
use self::gateway::uris::Server;

#[allow(dead_code)]
#[path = "../../src/gateway/forward"]
mod gateway {
    pub(crate) mod decide;
    pub(crate) mod family;
    pub(crate) mod fields;
    pub(crate) mod path;
    pub(crate) mod report;
    pub(crate) mod routes;
    pub(crate) mod uris;
}

const ORIGIN: &str = "https://cloud.example.org";

pub(crate) fn run(data: &[u8]) {
    let server = Server::new(ORIGIN, "/cloud").unwrap();
    let opened = Scopes::opened_by(Family::ALL.iter().map(|family| family.as_str())).unwrap();
    let caller_host = Some("gate.example.org");
    let context = Context { server: &server, opened, user_id: "alice", caller_host };

    let end = data.windows(2).position(|bytes| bytes == b"\n\n");
    let (head, body) = data.split_at(end.unwrap_or(data.len()));
    let body = body.get(2..).unwrap_or_default();
    for family in [Family::Files, Family::Calendar, Family::Contacts] {
        if check_xml(body, family, &context).is_ok() {
            let paths = plain_hrefs(std::str::from_utf8(body).unwrap());
            let is_own = |path: &str| path.split('/').any(|segment| segment == "alice");
            paths.for_each(|path| assert!(family == Family::Files || is_own(path), "{path}"));
        }
    }

    let mut lines = head.split(|&byte| byte == b'\n');
    let target = lines.next().unwrap_or_default();
    let Some(space) = target.iter().position(|&byte| byte == b' ') else {
        return;
    };
    let (method, path) = (&target[..space], &target[space + 1..]);
    let fields: HeaderMap = lines.filter_map(field).collect();
    for status in [200, 302] {
        let (mut head, ()) = Response::builder().status(status).body(()).unwrap().into_parts();
        head.headers = fields.clone();
        let passed = to_caller(&head, &server);
        assert!(passed.is_none_or(|passed| !passed.contains_key("set-cookie")));
    }
    let ask = |path: &[u8]| -> Option<Result<Forwarded, Refused>> {
        let request = Request::builder().method(method).uri(path).body(()).ok()?;
        let mut head = request.into_parts().0;
        head.headers = fields.clone();
        Some(decide(&head, &context))
    };
    let Some(Ok(forwarded)) = ask(path) else {
        return;
    };
    let sent = forwarded.path_and_query.as_str();
    let path = Path::parse(sent.split('?').next().unwrap()).unwrap();
    assert!(sent.starts_with(&path.encode()) && sent.starts_with("/cloud/"), "{sent}");
    let again = ask(sent.as_bytes()).unwrap().unwrap();
    assert_eq!((again.path_and_query.as_str(), again.needs), (sent, forwarded.needs));
    if let Some(target) = forwarded.headers.get("destination") {
        let path = target.to_str().unwrap().strip_prefix(ORIGIN).unwrap();
        assert_eq!(Path::parse(path).unwrap().encode(), path);
    }
    for name in ["authorization", "cookie", "x-forwarded-for", "host", "connection"] {
        assert!(!forwarded.headers.contains_key(name), "{name}");
    }
}

/// The paths in elements `href` that are written without escapes and markup.
fn plain_hrefs(body: &str) -> impl Iterator<Item = &str> {
    let opened = ["<href>", "<d:href>"].into_iter().flat_map(|tag| body.split(tag).skip(1));
    let texts = opened.filter_map(|text| text.split_once('<').map(|(text, _)| text));
    texts.filter(|text| text.starts_with('/') && !text.contains(['%', '&', '\'', '"']))
}

fn field(line: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let name = HeaderName::from_bytes(&line[..colon]).ok()?;
    Some((name, HeaderValue::from_bytes(line[colon + 1..].trim_ascii()).ok()?))
}
