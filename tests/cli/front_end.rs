//! The settings for what is published without a token, through the binary (docs/API.md, sections
//! 10.1 and 11).

use serde_json::json;

use crate::support::binary::{Served, http, in_dir, serve_in, success, token};

const STATUS: &str = "/api/v1/status";
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

fn get(served: &Served, path: &str) -> crate::support::gateway::Answer {
    let head = format!("GET {path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n");
    http(served.address, &head)
}

#[test]
fn issuer_and_scopes_are_published_if_the_public_url_is_set() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let served = Served::start(serve_in(dir.path()).args([
        "--public-url",
        "https://hooks.example.org/gate/",
        "--issuer",
        "http://127.0.0.1:9/realms/a",
        "--audience",
        "portreeve",
        "--required-scope",
        "webhooks,apps",
        "--admin-scope",
        "portreeve:admin",
    ]));
    for path in [WELL_KNOWN.to_owned(), format!("{WELL_KNOWN}/gate")] {
        let expected = json!({
            "resource": "https://hooks.example.org/gate",
            "authorization_servers": ["http://127.0.0.1:9/realms/a"],
            "bearer_methods_supported": ["header"],
            "scopes_supported": ["webhooks", "apps", "portreeve:admin"],
        });
        assert_eq!(get(&served, &path).json(), expected);
    }
    let refused = get(&served, "/api/v1/apps");
    assert_eq!(
        refused.header("www-authenticate"),
        Some(&*format!(
            "Bearer resource_metadata=\"https://hooks.example.org{WELL_KNOWN}/gate\""
        ))
    );
    let status = get(&served, STATUS).json();
    assert_eq!(
        status["oidc"],
        json!({
            "discovery_url": "http://127.0.0.1:9/realms/a/.well-known/openid-configuration",
            "issuer": "http://127.0.0.1:9/realms/a",
        })
    );
    assert_eq!(status["webhooks_enabled"], false);
}

#[test]
fn the_status_is_public_unless_it_is_switched_off() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let served = Served::start(&mut serve_in(dir.path()));
    assert_eq!(
        get(&served, STATUS).json()["version"],
        env!("CARGO_PKG_VERSION")
    );
    assert_eq!(get(&served, WELL_KNOWN).status, 401);
    served.kill();
    let served = Served::start(serve_in(dir.path()).env("PORTREEVE_PUBLIC_STATUS", "false"));
    get(&served, STATUS).assert_error(404, "Not found");
}

#[test]
fn a_public_url_over_plain_http_is_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let check = |url: &str| {
        let check = ["check-config", "--public-url", url];
        success(&mut in_dir(dir.path(), &check), "")
    };
    assert!(check("http://hooks.example.org").contains("warning: public_url"));
    for url in ["https://hooks.example.org", "http://127.0.0.1:8000"] {
        assert!(!check(url).contains("warning: public_url"), "{url}");
    }
}
