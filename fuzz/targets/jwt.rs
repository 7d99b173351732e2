//! JWT access tokens: whatever their bytes, none is accepted that the key of the issuer did not
//! sign, and of the signed ones none that lacks what `JwtVerifier` promises to ask for.
//!
//! An input of one line is a token as it stands. Of an input with a line break, the first line is
//! the header and the rest the claims of a token that is then signed; `ISSUER` in the claims
//! stands for the issuer, whose port is another one in each run.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Request;
use portreeve::identity::{
    BearerToken, Caller, JwtVerifier, OpenIdProvider, ProviderClient, Requirements, Schedule,
    TokenVerifier as _,
};
use portreeve::outbound::PlainHttp;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

const AUDIENCE: &str = "portreeve";
const KEY_ID: &str = "k";

static ISSUER: LazyLock<Issuer> = LazyLock::new(Issuer::start);

pub(crate) fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match text.split_once('\n') {
        None => assert!(ISSUER.caller(text).is_none(), "forged"),
        Some((header, claims)) => {
            let claims = claims.replace("ISSUER", &ISSUER.url);
            if let Some(caller) = ISSUER.caller(&ISSUER.sign(header, &claims)) {
                check(header, &claims, &caller);
            }
        }
    }
}

/// Checks that a token had to be accepted with this caller.
fn check(header: &str, claims: &str, caller: &Caller) {
    let header: Value = serde_json::from_str(header).unwrap();
    assert!(["EdDSA", "Ed25519"].contains(&header["alg"].as_str().unwrap()));
    assert!(header.get("kid").is_none_or(|id| id == KEY_ID));
    assert!(header.get("crit").is_none());
    let typ = header["typ"].as_str().unwrap_or("JWT").to_ascii_lowercase();
    let typ = typ.strip_prefix("application/").unwrap_or(&typ);
    assert!(["at+jwt", "jwt"].contains(&typ));

    let claims: Value = serde_json::from_str(claims).unwrap();
    assert_eq!(claims["iss"], *ISSUER.url);
    assert_eq!(claims["sub"], caller.name());
    assert!(claims.get("cnf").is_none() && claims.get("at_hash").is_none());
    let is_ours = |audience: &Value| audience == AUDIENCE;
    match &claims["aud"] {
        Value::Array(several) => assert!(several.iter().any(is_ours)),
        one => assert!(is_ours(one)),
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = now.as_secs_f64();
    // The leeway, and a second for what is cut off.
    assert!(claims["exp"].as_f64().unwrap() > now - 31.0);
    for from in ["nbf", "iat"] {
        assert!(claims[from].as_f64().is_none_or(|from| from < now + 31.0));
    }
    let ends = caller.expires_at.unwrap().duration_since(UNIX_EPOCH);
    assert_eq!(ends.unwrap().as_secs(), claims["exp"].as_f64().unwrap() as u64);
}

/// An issuer on loopback, and a verifier that has fetched its keys.
struct Issuer {
    url: String,
    key: Ed25519KeyPair,
    verifier: JwtVerifier,
    /// Entered, but not run, when a token is checked: fetches are begun there, and none is made.
    runtime: Runtime,
}

impl Issuer {
    fn start() -> Self {
        let key = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let jwk = json!({
            "kty": "OKP", "crv": "Ed25519", "kid": KEY_ID, "use": "sig",
            "x": URL_SAFE_NO_PAD.encode(key.public_key().as_ref()),
        });
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap();
        let (url, verifier) = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            let document = json!({"issuer": url, "jwks_uri": format!("{url}/keys")});
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(answer(stream, document.to_string(), json!({"keys": [jwk]})));
                }
            });
            let client = ProviderClient::with_system_roots([]).unwrap();
            let never = Duration::from_secs(u32::MAX.into());
            let mut schedule = Schedule::default();
            (schedule.refresh, schedule.keep) = (never, never);
            let plain = PlainHttp::Loopback;
            let provider = OpenIdProvider::with_schedule(&url, plain, client, schedule).unwrap();
            assert_eq!(provider.discover().await.unwrap().keys, 1);
            let requirements = Requirements::for_audience(AUDIENCE);
            let verifier = JwtVerifier::new(provider, requirements).unwrap();
            (url, verifier)
        });
        let issuer = Self { url, key, verifier, runtime };
        let claims = json!({
            "iss": issuer.url, "aud": AUDIENCE, "sub": "alice", "exp": 4_000_000_000_u32,
        });
        let token = issuer.sign(r#"{"alg":"EdDSA","typ":"at+jwt"}"#, &claims.to_string());
        // Otherwise nothing would be looked at below.
        assert_eq!(issuer.caller(&token).unwrap().name(), "alice");
        issuer
    }

    fn sign(&self, header: &str, claims: &str) -> String {
        let [header, claims] = [header, claims].map(|part| URL_SAFE_NO_PAD.encode(part));
        let message = format!("{header}.{claims}");
        let signature = URL_SAFE_NO_PAD.encode(self.key.sign(message.as_bytes()));
        format!("{message}.{signature}")
    }

    /// The caller that the token names, if it is accepted from what is in memory.
    fn caller(&self, token: &str) -> Option<Caller> {
        let token = BearerToken::new(token)?;
        let (head, ()) = Request::new(()).into_parts();
        let _entered = self.runtime.enter();
        self.verifier.verify_now(&token, &head)?.ok()
    }
}

/// Answers one request with the discovery document or the keys.
async fn answer(mut stream: TcpStream, document: String, keys: Value) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    }
    let body = match head.starts_with(b"GET /keys ") {
        true => keys.to_string(),
        false => document,
    };
    let len = body.len();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    let answer = format!("{head}\r\nContent-Length: {len}\r\n\r\n{body}");
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}
