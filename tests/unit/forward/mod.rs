//! What is forwarded, and what never is.

mod attacks;
mod canonical;
mod fields;
mod never;
mod opened;
mod table;
mod uris;
mod xml;

use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};

use super::*;

/// The server of all tests here, in a folder of its host.
fn server() -> Server {
    Server::new("https://cloud.example.org", "/cloud").unwrap()
}

fn everything() -> Scopes {
    Scopes::opened_by(Family::ALL.iter().map(|family| family.as_str())).unwrap()
}

fn opened(names: &str) -> Scopes {
    Scopes::opened_by(names.split_whitespace()).unwrap()
}

fn context(server: &Server, opened: Scopes) -> Context<'_> {
    Context { server, opened, user_id: "alice", caller_host: Some("gate.example.org:8443") }
}

/// Asks with everything opened. The path is below the web root; each field is `name: value`.
fn ask(method: &str, path: &str, fields: &[&str]) -> Result<Forwarded, Refused> {
    ask_with(everything(), method, &format!("/cloud{path}"), fields)
}

/// The same with other scopes opened, and the whole path.
fn ask_with(
    opened: Scopes,
    method: &str,
    path: &str,
    fields: &[&str],
) -> Result<Forwarded, Refused> {
    let request = Request::builder().method(method).uri(path).body(());
    let Ok(request) = request else {
        // The gateway's own server answers what is no request.
        return Err(Refused::NotOpened);
    };
    let (mut head, ()) = request.into_parts();
    head.headers = map(fields);
    let server = server();
    decide(&head, &context(&server, opened))
}

fn map(fields: &[&str]) -> HeaderMap {
    let fields = fields.iter().map(|field| {
        let (name, value) = field.split_once(": ").unwrap();
        (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
    });
    fields.collect()
}

/// What a caller gets of these fields of an answer.
fn answered(status: u16, fields: &[&str]) -> Option<HeaderMap> {
    let (mut head, ()) = Response::builder().status(status).body(()).unwrap().into_parts();
    head.headers = map(fields);
    to_caller(&head, &server())
}

/// The scopes that a request needs: what a token without any lacks.
fn needs(forwarded: &Forwarded) -> String {
    forwarded.needs.missing([]).to_string()
}
