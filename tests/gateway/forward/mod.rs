//! What is forwarded to the groupware server, over real sockets (docs/API.md, section 13).

mod attacks;
mod http2;
mod isolation;
mod limit;
mod login;
mod operation_scopes;
mod own_stack;
mod recorder;
mod scopes;
mod streaming;
mod wire;

use std::time::Duration;

use portreeve::gateway::Settings;
use portreeve::gateway::forward::{Forward, Scopes};
use portreeve::groupware::{ClientSettings, Groupware};
use portreeve::outbound::certificates;
use portreeve::server::Bounds;

use crate::support::gateway::{Answer, TestGateway, Unstarted};
use wire::Wire;

/// All scopes of what [`start`] opens.
const ALL_SCOPES: [&str; 6] =
    ["files.read", "files.write", "notes.read", "notes.write", "talk.read", "talk.write"];

const LONG: Duration = Duration::from_secs(600);

/// A file of alice.
const FILE: &str = "/remote.php/dav/files/alice/file";

/// Starts a gateway before the server at `url`. Files, notes and Talk are opened, and the tokens of all users have
/// every scope of them.
async fn start(url: &str) -> TestGateway {
    start_with(url, |_, _| {}).await
}

/// Like [`start`], with other settings.
async fn start_with(url: &str, change: impl FnOnce(&mut Settings, &mut Forward)) -> TestGateway {
    let users = ["admin", "alice", "bob", "carol"];
    let tokens = users.map(|user| {
        let scopes = ALL_SCOPES.map(str::to_owned).to_vec();
        (user.to_owned(), user.to_owned(), scopes)
    });
    let mut forward = Forward::new(Scopes::opened_by(["files", "notes", "talk"]).unwrap());
    let mut settings = Settings::default();
    change(&mut settings, &mut forward);
    settings.forward = Some(forward);
    start_for(url, &tokens, settings).await
}

/// Starts a gateway with these tokens: a name for each, its user and its scopes.
async fn start_for(
    url: &str,
    tokens: &[(String, String, Vec<String>)],
    settings: Settings,
) -> TestGateway {
    let mut bounds = Bounds::default();
    if let Some(forward) = &settings.forward {
        // Two sides of one setting of the binary.
        bounds.stall_timeout = forward.stall_timeout;
    }
    let groupware = Groupware::new(url.parse().unwrap(), Default::default()).unwrap();
    let change = |gateway: Unstarted| gateway.groupware(groupware).settings(settings);
    TestGateway::for_users(bounds, tokens, change).await
}

/// Like [`start`], before a server that is reached by TLS, with the certificate of its authority.
async fn start_tls(url: &str, ca_pem: &str) -> TestGateway {
    let mut client = ClientSettings::default();
    client.extra_ca = certificates(ca_pem.as_bytes()).unwrap();
    let groupware = Groupware::new(url.parse().unwrap(), client).unwrap();
    let scopes = ALL_SCOPES.map(str::to_owned).to_vec();
    let mut settings = Settings::default();
    let mut forward = Forward::new(Scopes::opened_by(["files"]).unwrap());
    // Nothing ends by itself in the time of a test.
    let mut bounds = Bounds::default();
    (forward.stall_timeout, bounds.stall_timeout) = (LONG, LONG);
    settings.forward = Some(forward);
    let tokens = ["alice", "bob"].map(|user| (user.to_owned(), user.to_owned(), scopes.clone()));
    let change = |gateway: Unstarted| gateway.groupware(groupware).settings(settings);
    TestGateway::for_users(bounds, &tokens, change).await
}

/// The head of a request with the token of `user`, without its end: `what` is a method and a target, `fields` have
/// their line ends.
fn head(gateway: &TestGateway, user: &str, what: &str, fields: &str) -> String {
    let token = gateway.token(user);
    format!("{what} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer {token}\r\n{fields}")
}

/// Makes a request with the token of `user`, on a connection of its own.
async fn call(gateway: &TestGateway, user: &str, what: &str, fields: &str, body: &str) -> Answer {
    let mut wire = Wire::to(gateway.address).await;
    let length = match body {
        "" => String::new(),
        body => format!("Content-Length: {}\r\n", body.len()),
    };
    wire.send(format!("{}{length}\r\n{body}", head(gateway, user, what, fields))).await;
    wire.answer().await
}
