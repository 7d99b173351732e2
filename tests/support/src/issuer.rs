//! Shared by the tests and the benchmark of `identity`: keys that sign anything, and a stand-in identity
//! provider with configurable answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    self as sig, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RsaKeyPair, RsaPublicKeyComponents,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use portreeve::identity::{
    BearerToken, Caller, JwtVerifier, OpenIdProvider, ProviderClient, RefusalReason, Requirements,
    Schedule, TokenVerifier, VerifyError,
};
use portreeve::outbound::PlainHttp;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::changed;

/// A private key that signs anything.
pub enum Key {
    Rsa(Box<RsaKeyPair>),
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl Key {
    pub fn rsa() -> Self {
        Self::Rsa(Box::new(RsaKeyPair::generate(KeySize::Rsa2048).unwrap()))
    }

    pub fn p256() -> Self {
        Self::P256(EcdsaKeyPair::generate(&sig::ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    pub fn p384() -> Self {
        Self::P384(EcdsaKeyPair::generate(&sig::ECDSA_P384_SHA384_FIXED_SIGNING).unwrap())
    }

    pub fn ed25519() -> Self {
        Self::Ed25519(Ed25519KeyPair::generate().unwrap())
    }

    /// The public half, named `kid`.
    pub fn jwk(&self, kid: &str) -> Value {
        let point = |point: &[u8], curve: &str| {
            let (x, y) = point[1..].split_at((point.len() - 1) / 2);
            json!({"kty": "EC", "crv": curve, "kid": kid, "use": "sig", "x": b64(x), "y": b64(y)})
        };
        match self {
            Self::Rsa(key) => {
                let public = RsaPublicKeyComponents::<Vec<u8>>::from(key.public_key());
                json!({"kty": "RSA", "kid": kid, "use": "sig", "n": b64(public.n), "e": b64(public.e)})
            }
            Self::P256(key) => point(key.public_key().as_ref(), "P-256"),
            Self::P384(key) => point(key.public_key().as_ref(), "P-384"),
            Self::Ed25519(key) => {
                let x = b64(key.public_key());
                json!({"kty": "OKP", "crv": "Ed25519", "kid": kid, "use": "sig", "x": x})
            }
        }
    }

    /// The signature by the algorithm named `alg` if that is one of the key's, else by any.
    pub fn sign(&self, alg: &str, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let scheme: &dyn sig::RsaEncoding = match alg {
                    "RS384" => &sig::RSA_PKCS1_SHA384,
                    "RS512" => &sig::RSA_PKCS1_SHA512,
                    "PS256" => &sig::RSA_PSS_SHA256,
                    "PS384" => &sig::RSA_PSS_SHA384,
                    "PS512" => &sig::RSA_PSS_SHA512,
                    _ => &sig::RSA_PKCS1_SHA256,
                };
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(scheme, &random, message, &mut signature).unwrap();
                signature
            }
            Self::P256(key) | Self::P384(key) => {
                key.sign(&random, message).unwrap().as_ref().into()
            }
            Self::Ed25519(key) => key.sign(message).as_ref().into(),
        }
    }

    /// A token of exactly these texts.
    pub fn token_of(&self, header: &str, claims: &str) -> String {
        let alg = serde_json::from_str::<Value>(header).ok();
        let alg = alg.as_ref().and_then(|header| header["alg"].as_str()).unwrap_or("");
        let message = format!("{}.{}", b64(header), b64(claims));
        let signature = self.sign(alg, message.as_bytes());
        format!("{message}.{}", b64(signature))
    }

    pub fn token(&self, alg: &str, kid: &str, claims: &Value) -> String {
        let header = json!({"alg": alg, "kid": kid, "typ": "at+jwt"});
        self.token_of(&header.to_string(), &claims.to_string())
    }
}

pub fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Seconds from now on, as in `exp`.
pub fn in_seconds(seconds: i64) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_secs() as i64 + seconds
}

/// Claims with some members replaced; `null` removes a member.
pub fn with(mut claims: Value, changes: Value) -> Value {
    let members = claims.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => members.remove(name),
            value => members.insert(name.clone(), value.clone()),
        };
    }
    claims
}

/// A stand-in identity provider on loopback.
#[derive(Clone)]
pub struct StandIn {
    pub url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    answers: HashMap<String, Answer>,
    /// Path, part of the body, answer.
    for_body: Vec<(String, String, Answer)>,
    requests: Vec<Seen>,
}

#[derive(Clone)]
pub struct Answer {
    pub status: u16,
    pub body: Bytes,
    pub field: Option<(&'static str, String)>,
    pub delay: Duration,
}

#[derive(Clone, Debug)]
pub struct Seen {
    pub method: Method,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn json(value: &Value) -> Self {
        Self::text(200, value.to_string())
    }

    pub fn text(status: u16, body: impl Into<Bytes>) -> Self {
        Self { status, body: body.into(), field: None, delay: Duration::ZERO }
    }

    pub fn redirect(location: &str) -> Self {
        Self { field: Some(("location", location.into())), ..Self::text(302, "") }
    }

    /// With this content coding.
    pub fn coded(self, coding: &str) -> Self {
        Self { field: Some(("content-encoding", coding.into())), ..self }
    }

    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

impl StandIn {
    pub async fn start() -> Self {
        Self::listen("http", None).await
    }

    pub async fn start_tls(tls: TlsAcceptor) -> Self {
        Self::listen("https", Some(tls)).await
    }

    async fn listen(scheme: &str, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stand_in = Self {
            url: format!("{scheme}://localhost:{}", listener.local_addr().unwrap().port()),
            state: Arc::default(),
        };
        let served = stand_in.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (served, tls) = (served.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => served.serve(stream).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                served.serve(stream).await;
                            }
                        }
                    }
                });
            }
        });
        stand_in
    }

    async fn serve<S>(self, stream: S)
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        let service = hyper::service::service_fn(move |request| self.clone().answer(request));
        let connection = hyper::server::conn::http1::Builder::new();
        _ = connection.serve_connection(TokioIo::new(stream), service).await;
    }

    async fn answer(
        self,
        request: Request<hyper::body::Incoming>,
    ) -> Result<Response<Full<Bytes>>, hyper::Error> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let path = head.uri.path().to_owned();
        let answer = {
            let mut state = self.state.lock().unwrap();
            let text = String::from_utf8_lossy(&body);
            let fits =
                |(at, part, _): &&(String, String, Answer)| *at == path && text.contains(part);
            let special = state.for_body.iter().find(fits);
            let answer = special.map(|(_, _, answer)| answer);
            let answer = answer.or_else(|| state.answers.get(&path)).cloned();
            state.requests.push(Seen {
                method: head.method,
                path: path.clone(),
                headers: head.headers,
                body,
            });
            answer
        };
        let answer = answer.unwrap_or_else(|| Answer::text(404, "nothing here"));
        tokio::time::sleep(answer.delay).await;
        let mut response = Response::new(Full::new(answer.body));
        *response.status_mut() = StatusCode::from_u16(answer.status).unwrap();
        if let Some((name, value)) = answer.field {
            response.headers_mut().insert(name, value.parse().unwrap());
        }
        Ok(response)
    }

    /// From now on answers requests for `path` with `answer`.
    pub fn set(&self, path: &str, answer: Answer) -> &Self {
        self.state.lock().unwrap().answers.insert(path.into(), answer);
        self
    }

    /// From now on answers requests for `path` whose body contains `part` with `answer`.
    pub fn set_for(&self, path: &str, part: &str, answer: Answer) -> &Self {
        let entry = (path.into(), part.into(), answer);
        self.state.lock().unwrap().for_body.push(entry);
        self
    }

    /// Becomes an OpenID provider that has these keys.
    pub fn publish(&self, keys: &[Value]) -> &Self {
        let document = json!({
            "issuer": self.url,
            "jwks_uri": format!("{}/jwks", self.url),
            "introspection_endpoint": format!("{}/introspect", self.url),
        });
        self.set(DISCOVERY, Answer::json(&document));
        self.set("/jwks", Answer::json(&json!({"keys": keys})))
    }

    /// Answers everything with 503 from now on.
    pub fn break_down(&self) {
        let mut state = self.state.lock().unwrap();
        for answer in state.answers.values_mut() {
            *answer = Answer::text(503, "out of order");
        }
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.state.lock().unwrap().requests.clone()
    }

    /// The number of requests for `path`.
    pub fn count(&self, path: &str) -> usize {
        self.requests().iter().filter(|seen| seen.path == path).count()
    }

    pub fn provider(&self) -> OpenIdProvider {
        self.provider_with(|_| {})
    }

    pub fn provider_with(&self, change: impl FnOnce(&mut Schedule)) -> OpenIdProvider {
        let schedule = changed(Schedule::default(), change);
        OpenIdProvider::with_schedule(&self.url, PlainHttp::Loopback, client(), schedule).unwrap()
    }

    /// Claims that meet [`requirements`].
    pub fn claims(&self) -> Value {
        json!({
            "iss": self.url,
            "sub": "alice",
            "aud": "portreeve",
            "client_id": "front-end",
            "scope": "webhooks apps",
            "iat": in_seconds(0),
            "exp": in_seconds(300),
        })
    }
}

pub fn client() -> ProviderClient {
    ProviderClient::with_system_roots([]).unwrap()
}

pub fn requirements() -> Requirements {
    Requirements::for_audience("portreeve")
}

pub fn jwt(provider: OpenIdProvider) -> JwtVerifier {
    JwtVerifier::new(provider, requirements()).unwrap()
}

/// An issuer with one key, and a verifier of its tokens.
pub async fn issuing() -> (StandIn, Key, JwtVerifier) {
    let (issuer, key) = (StandIn::start().await, Key::ed25519());
    issuer.publish(&[key.jwk("k")]);
    let verifier = jwt(issuer.provider());
    (issuer, key, verifier)
}

/// What becomes of a token: [`kind`] of its check.
pub async fn outcome(verifier: &impl TokenVerifier, token: &str) -> &'static str {
    kind(&check(verifier, token).await)
}

pub async fn check(verifier: &impl TokenVerifier, token: &str) -> Result<Caller, VerifyError> {
    let token = BearerToken::new(token).expect("a token that can stand in a header");
    verifier.verify(&token, &head()).await
}

/// The head of a request, for verifiers that ignore it.
pub fn head() -> Parts {
    Request::new(()).into_parts().0
}

/// The kind of a result, for comparing.
pub fn kind(result: &Result<Caller, VerifyError>) -> &'static str {
    match result {
        Ok(_) => "accepted",
        Err(VerifyError::Refused(refusal)) => match refusal.reason {
            RefusalReason::Malformed => "malformed",
            RefusalReason::Expired | RefusalReason::NotYetValid => "expired",
            _ => "not accepted",
        },
        Err(VerifyError::Unavailable(_)) => "unavailable",
        Err(VerifyError::Overloaded) => "overloaded",
        Err(_) => "something else",
    }
}

pub const DISCOVERY: &str = "/.well-known/openid-configuration";
