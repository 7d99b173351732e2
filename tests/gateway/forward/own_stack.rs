//! The layer in a stack of one's own (docs/EMBEDDING.md).

use bytes::Bytes;
use http::request::Parts;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use portreeve::gateway::forward::{Forward, ForwardLayer, Scopes};
use portreeve::gateway::layer::account::{AccountLayer, Authenticated};
use portreeve::gateway::layer::bearer::BearerLayer;
use portreeve::gateway::{AnswerBody, Error, Settings, Shared};
use portreeve::groupware::Groupware;
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use tokio_util::task::TaskTracker;
use tower::{ServiceBuilder, ServiceExt as _, service_fn};

use super::FILE;
use super::recorder::Recorder;
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::basic;

/// Takes a token for alice whose text is its scope.
struct ScopeIsToken;

impl TokenVerifier for ScopeIsToken {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        match token.expose() {
            scope @ ("files.read" | "notes.read") => Ok(Caller::new("alice").with_scopes([scope])),
            _ => Err(RefusalReason::Unknown.into()),
        }
    }
}

#[tokio::test]
async fn api_13_the_layer_forwards_in_a_stack_of_ones_own() {
    let server = Recorder::start().await;
    let groupware = Groupware::new(server.url.parse().unwrap(), Default::default()).unwrap();
    let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
    vault.put("alice", "alice", &AppPassword::new(PASSWORD).unwrap()).await.unwrap();
    let mut settings = Settings::default();
    settings.forward = Some(Forward::new(Scopes::opened_by(["files"]).unwrap()));
    let shared = Shared::new(vault, &settings, TaskTracker::new());
    let below = |request: Authenticated<Request<Full<Bytes>>>| async move {
        let caller = request.into_parts().0;
        Ok::<_, Error>(Response::new(AnswerBody::from(Bytes::from(caller.key().to_owned()))))
    };
    let stack = ServiceBuilder::new()
        .layer(BearerLayer::new(ScopeIsToken))
        .layer(AccountLayer::default())
        .layer(ForwardLayer::new(&settings, &groupware, &shared))
        .service(service_fn(below));
    let call = async |method: &str, path: &str, token: &str| {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("Authorization", format!("Bearer {token}"));
        let answer = stack.clone().oneshot(request.body(Full::default()).unwrap()).await;
        let refused = |error: Error| error.to_response::<AnswerBody>();
        let (head, body) = answer.unwrap_or_else(refused).into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (head.status.as_u16(), String::from_utf8(body.to_vec()).unwrap())
    };

    assert_eq!(call("GET", FILE, "files.read").await, (200, "ok".into()));
    let seen = server.take_one();
    assert_eq!(seen.head.field("authorization"), Some(&*basic("alice", PASSWORD)));
    for (method, path, token, status) in [
        ("GET", FILE, "notes.read", 403),
        ("DELETE", FILE, "files.read", 403),
        ("GET", FILE, "unknown", 401),
        ("GET", "/remote.php/dav/files/bob/file", "files.read", 404),
        ("GET", "/remote.php/dav/files/alice/../bob/file", "files.read", 400),
    ] {
        assert_eq!(call(method, path, token).await.0, status, "{method} {path}");
    }
    // What is not opened is the service's below.
    for path in ["/mine", "/index.php/apps/notes/api/v1/notes"] {
        assert_eq!(call("GET", path, "files.read").await, (200, "alice".into()), "{path}");
    }
    assert!(server.take().is_empty());
}
