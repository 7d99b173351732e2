//! Asks for the key that a front end shares with this gateway (docs/API.md, section 2.4).
//!
//! It stands before the bearer layer: a client without the key learns nothing about tokens.
//!
//! ```
//! use http::{Request, Response};
//! use portreeve::gateway::Error;
//! use portreeve::gateway::layer::shared_key::SharedKeyLayer;
//! use tower::{ServiceBuilder, ServiceExt as _, service_fn};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let service = ServiceBuilder::new()
//!     .layer(SharedKeyLayer::new(Some("front-end key".to_owned().into())))
//!     .service(service_fn(async |_: Request<()>| Ok::<_, Error>(Response::new(()))));
//!
//! let request = Request::builder().header("x-api-key", "front-end key").body(()).unwrap();
//! assert!(service.clone().oneshot(request).await.is_ok());
//! assert!(matches!(service.oneshot(Request::new(())).await, Err(Error::SharedKey)));
//! # }
//! ```

use std::sync::Arc;

use http::{Extensions, HeaderName, Request};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::admit::{Admit, Decision};
use crate::gateway::Error;
use crate::headers::only;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Lets requests with the key in.
#[derive(Clone, Debug)]
pub struct SharedKeyLayer {
    key: Option<Arc<SecretString>>,
}

/// The key by which a request was let in.
#[derive(Clone)]
struct LetInBy(Arc<SecretString>);

impl SharedKeyLayer {
    /// Every request must carry `key` in `X-API-Key`; with `None` all pass.
    pub fn new(key: Option<SecretString>) -> Self {
        Self { key: key.map(Arc::new) }
    }

    /// Whether a request with these extensions, which was let in before, would be now.
    pub(crate) fn admits_still(&self, extensions: &Extensions) -> bool {
        let by = extensions.get::<LetInBy>().map(|it| it.0.expose_secret().as_bytes());
        self.key.as_ref().is_none_or(|key| by.is_some_and(|by| is_key(by, key)))
    }
}

impl<B> Admit<Request<B>> for SharedKeyLayer {
    type Admitted = Request<B>;

    fn admit(&self, mut request: Request<B>) -> Decision<Request<B>> {
        if let Some(key) = &self.key {
            let sent = only(request.headers(), X_API_KEY);
            if !sent.is_some_and(|sent| is_key(sent.as_bytes(), key)) {
                return Decision::Now(Err(Error::SharedKey));
            }
            // Nothing below needs it, and a `Debug` of the request must not show it.
            request.headers_mut().remove(X_API_KEY);
            request.extensions_mut().insert(LetInBy(key.clone()));
        }
        Decision::Now(Ok(request))
    }
}

/// In constant time.
fn is_key(sent: &[u8], key: &SecretString) -> bool {
    sent.ct_eq(key.expose_secret().as_bytes()).into()
}
