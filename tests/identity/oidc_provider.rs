//! The verifiers against a real OpenID provider: the npm package `oidc-provider`, run as a process
//! on loopback by `tests/oidc/provider.mjs`.
//!
//! Where Node.js or the package is missing, the tests say so and pass, unless
//! `PORTREEVE_OIDC_TESTS=1` makes them mandatory. To install the package:
//! `npm ci --prefix tests/oidc`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use portreeve::identity::{
    Algorithm, CacheLimits, ClientCredentials, Endpoint, IntrospectionVerifier, JwtVerifier,
    OpenIdProvider, PlainHttp, Requirements, Schedule, Verifiers,
};
use serde_json::Value;
use tokio::time::sleep;

use crate::support::issuer::{b64, check, client, jwt, kind, requirements};

#[tokio::test]
async fn jwt_access_tokens_of_each_algorithm_are_accepted() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let verifier = jwt(provider.openid());
    for alg in ["RS256", "PS256", "ES256", "ES384", "EdDSA"] {
        let token = provider.token("alice", alg).await;
        let caller = check(&verifier, &token.access).await.unwrap();
        assert_eq!(caller.user_id(), "alice", "{alg}");
        assert!(caller.has_scope("webhooks") && caller.has_scope("apps"));
        assert!(caller.expires_at().is_some());
    }
}

#[tokio::test]
async fn tokens_for_somebody_or_something_else_are_refused() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let token = provider.token("alice", "RS256").await;
    let other = provider.token("alice", "other").await;
    let verifier = jwt(provider.openid());
    assert_eq!(kind(&check(&verifier, &other.access).await), "not accepted");

    // The client is asked for, not the audience: its ID tokens must not do.
    let by_client = Requirements::new().allowed_client("front-end");
    let by_client = JwtVerifier::new(provider.openid(), by_client, Algorithm::DEFAULT).unwrap();
    assert_eq!(kind(&check(&by_client, &token.access).await), "accepted");
    assert_eq!(kind(&check(&by_client, &other.access).await), "accepted");
    assert_eq!(kind(&check(&by_client, &token.id).await), "not accepted");
    let audience_is_client = Requirements::new().audience("front-end");
    let by_audience =
        JwtVerifier::new(provider.openid(), audience_is_client, Algorithm::DEFAULT).unwrap();
    assert_eq!(kind(&check(&by_audience, &token.id).await), "not accepted");

    let scope = requirements().required_scope("administrate");
    let scope = JwtVerifier::new(provider.openid(), scope, Algorithm::DEFAULT).unwrap();
    assert_eq!(kind(&check(&scope, &token.access).await), "not accepted");

    let (message, signature) = token.access.rsplit_once('.').unwrap();
    let (header, _) = message.split_once('.').unwrap();
    let claims = b64(r#"{"iss":"x","sub":"admin"}"#);
    for forged in [
        format!("{header}.{claims}.{signature}"),
        format!("{message}.{}", b64([0; 256])),
    ] {
        assert_eq!(kind(&check(&verifier, &forged).await), "not accepted");
    }
}

#[tokio::test]
async fn a_rotation_of_keys_is_followed() {
    let Some(mut provider) = Provider::start() else {
        return;
    };
    let unknown_key = Duration::from_millis(300);
    let verifier = jwt(provider.openid_with(Schedule {
        unknown_key,
        ..Schedule::default()
    }));
    let before = provider.token("alice", "ES256").await;
    assert_eq!(kind(&check(&verifier, &before.access).await), "accepted");

    provider.command("rotate");
    let after = provider.token("bob", "ES256").await;
    assert_ne!(header(&before.access)["kid"], header(&after.access)["kid"]);
    assert_eq!(
        check(&verifier, &after.access).await.unwrap().user_id(),
        "bob"
    );
    assert_eq!(kind(&check(&verifier, &before.access).await), "accepted");

    provider.command("rotate");
    provider.command("retire");
    sleep(unknown_key).await;
    let last = provider.token("carol", "ES256").await;
    assert_eq!(
        check(&verifier, &last.access).await.unwrap().user_id(),
        "carol"
    );
    for withdrawn in [before, after] {
        assert_eq!(
            kind(&check(&verifier, &withdrawn.access).await),
            "not accepted"
        );
    }
}

#[tokio::test]
async fn opaque_tokens_are_introspected_where_discovery_says() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let discovered = provider.openid().discover().await.unwrap();
    assert_eq!(discovered.keys, 5);
    assert!(
        discovered
            .introspection_url
            .unwrap()
            .to_string()
            .starts_with(&provider.issuer)
    );

    let verifier = provider.introspection(SECRET);
    let token = provider.token("alice", "opaque").await;
    assert!(!token.access.contains('.'));
    let caller = check(&verifier, &token.access).await.unwrap();
    assert_eq!(caller.user_id(), "alice");
    assert!(caller.has_scope("webhooks") && caller.expires_at().is_some());

    assert_eq!(kind(&check(&verifier, "unknown").await), "not accepted");
    let with_wrong_secret = provider.introspection("wrong");
    assert_eq!(
        kind(&check(&with_wrong_secret, &token.access).await),
        "unavailable"
    );
}

#[tokio::test]
async fn a_revoked_opaque_token_is_accepted_no_longer_than_it_is_remembered() {
    let Some(provider) = Provider::start() else {
        return;
    };
    let ttl = Duration::from_millis(400);
    let limits = CacheLimits {
        ttl,
        ..CacheLimits::default()
    };
    let verifiers =
        Verifiers::new(None, None, Some(provider.introspection(SECRET)), limits).unwrap();
    let token = provider.token("alice", "opaque").await;
    assert_eq!(kind(&check(&verifiers, &token.access).await), "accepted");
    provider
        .post("/token/revocation", &format!("token={}", token.access))
        .await;
    assert_eq!(
        kind(&check(&verifiers, &token.access).await),
        "accepted",
        "within the time to live"
    );
    sleep(ttl).await;
    assert_eq!(
        kind(&check(&verifiers, &token.access).await),
        "not accepted"
    );
}

#[tokio::test]
async fn each_token_goes_its_way_and_an_outage_lets_nobody_in() {
    let Some(mut provider) = Provider::start() else {
        return;
    };
    let verifiers = Verifiers::new(
        Some(jwt(provider.openid())),
        None,
        Some(provider.introspection(SECRET)),
        CacheLimits {
            ttl: Duration::ZERO,
            ..CacheLimits::default()
        },
    )
    .unwrap();
    let signed = provider.token("alice", "EdDSA").await;
    let opaque = provider.token("bob", "opaque").await;
    assert_eq!(
        check(&verifiers, &signed.access).await.unwrap().user_id(),
        "alice"
    );
    assert_eq!(
        check(&verifiers, &opaque.access).await.unwrap().user_id(),
        "bob"
    );

    provider.stop();
    assert_eq!(
        kind(&check(&verifiers, &signed.access).await),
        "accepted",
        "its key is known"
    );
    assert_eq!(
        kind(&check(&verifiers, &opaque.access).await),
        "unavailable"
    );
}

struct Provider {
    issuer: String,
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
}

struct Token {
    access: String,
    id: String,
}

impl Provider {
    /// Returns `None` and prints a line that says so if it cannot be run and need not.
    fn start() -> Option<Self> {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oidc");
        let has_node = Command::new("node").arg("--version").output().is_ok();
        let has_package = directory.join("node_modules/oidc-provider").is_dir();
        if !has_node || !has_package {
            let missing = if has_node {
                "npm ci --prefix tests/oidc"
            } else {
                "Node.js"
            };
            let mandatory = std::env::var_os("PORTREEVE_OIDC_TESTS").is_some_and(|on| on == "1");
            assert!(!mandatory, "PORTREEVE_OIDC_TESTS=1 needs `{missing}`");
            // Written past the capture of the test harness, so that it is seen.
            let test = std::thread::current().name().unwrap_or("a test").to_owned();
            let line = format!("\nleft out: {test}: a real OpenID provider needs `{missing}`\n");
            std::io::stderr().write_all(line.as_bytes()).unwrap();
            return None;
        }
        let mut process = Command::new("node")
            .arg("provider.mjs")
            .current_dir(directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let commands = process.stdin.take().unwrap();
        let mut answers = BufReader::new(process.stdout.take().unwrap());
        let mut issuer = String::new();
        answers.read_line(&mut issuer).unwrap();
        let issuer = issuer.trim().to_owned();
        assert!(
            issuer.starts_with("http://127.0.0.1:"),
            "the provider did not start"
        );
        Some(Self {
            issuer,
            process,
            commands,
            answers,
        })
    }

    fn command(&mut self, command: &str) {
        writeln!(self.commands, "{command}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        assert_eq!(answer, "done\n");
    }

    fn stop(&mut self) {
        _ = self.process.kill();
        _ = self.process.wait();
    }

    fn openid(&self) -> OpenIdProvider {
        self.openid_with(Schedule::default())
    }

    fn openid_with(&self, schedule: Schedule) -> OpenIdProvider {
        OpenIdProvider::with_schedule(&self.issuer, PlainHttp::Loopback, client(), schedule)
            .unwrap()
    }

    fn introspection(&self, secret: &str) -> IntrospectionVerifier {
        let credentials = ClientCredentials {
            id: "gateway".into(),
            secret: secret.into(),
        };
        let endpoint = Endpoint::Discovered(self.openid());
        IntrospectionVerifier::new(client(), endpoint, &credentials, [], requirements()).unwrap()
    }

    async fn token(&self, user: &str, format: &str) -> Token {
        let form = format!(
            "grant_type=urn:portreeve:user&user={user}&scope=webhooks%20apps&resource=urn:portreeve:{format}"
        );
        let answer: Value = serde_json::from_slice(&self.post("/token", &form).await).unwrap();
        let member = |name: &str| {
            answer[name]
                .as_str()
                .unwrap_or_else(|| panic!("{answer}"))
                .to_owned()
        };
        Token {
            access: member("access_token"),
            id: member("id_token"),
        }
    }

    async fn post(&self, path: &str, form: &str) -> Bytes {
        let basic = STANDARD.encode("front-end:front-end-secret");
        let request = Request::post(format!("{}{path}", self.issuer))
            .header("content-type", "application/x-www-form-urlencoded")
            .header("authorization", format!("Basic {basic}"))
            .body(Full::from(form.to_owned()))
            .unwrap();
        let http: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
        let response = http.request(request).await.unwrap();
        response.into_body().collect().await.unwrap().to_bytes()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.stop();
    }
}

fn header(token: &str) -> Value {
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let (header, _) = token.split_once('.').unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).unwrap()).unwrap()
}

const SECRET: &str = "gateway secret: +/%&";
