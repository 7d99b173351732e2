//! What the gateway does once it knows who wants what, and holds the credential for it.

mod administrator;
mod apps;
mod credentials;
mod login_flow;
mod stored;
mod webhooks;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes, BytesMut};
use http::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http_body_util::Full;
use tower::Service;

use super::layer::decode::GroupwareInput;
use super::layer::provisioning::Provisioned;
use super::{Error, Tried};
use crate::groupware::DeliveryAuth;

pub use administrator::{AdminPolicy, ReadCredential};
pub use credentials::CredentialEndpoints;
pub use stored::{StoreCredential, StoreFault};
pub use webhooks::CreateWebhook;

/// The endpoints of specification section 4.1, as the innermost service of the stack.
#[derive(Clone, Debug)]
pub struct Endpoints {
    delivery: Option<Arc<DeliveryAuth>>,
}

impl Endpoints {
    /// With a `delivery` credential, webhooks are created with it (sections 2.3 and 5 rule 4).
    pub fn new(delivery: Option<DeliveryAuth>) -> Self {
        Self {
            delivery: delivery.map(Arc::new),
        }
    }
}

impl Service<Provisioned> for Endpoints {
    type Response = Tried<Response<Full<Bytes>>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, provisioned: Provisioned) -> Self::Future {
        let delivery = self.delivery.clone();
        Box::pin(async move {
            let (access, input) = provisioned.into_parts();
            let value = match input {
                GroupwareInput::ListApps => return apps::list(&access).await,
                GroupwareInput::ListWebhooks => webhooks::list(&access).await?,
                GroupwareInput::CreateWebhook(create) => {
                    webhooks::create(&access, create, delivery.as_deref()).await?
                }
                GroupwareInput::DeleteWebhook(id) => webhooks::delete(&access, id).await?,
            };
            // Nobody gets at the webhooks without a login.
            Ok(Tried {
                value,
                login_proved: true,
            })
        })
    }
}

/// The answer 200 with the JSON object `{"<member>": <value>}`, whose value is written as it is.
fn member(name: &str, value: &[u8]) -> Response<Full<Bytes>> {
    let mut body = BytesMut::with_capacity(name.len() + value.len() + 5);
    body.put_slice(b"{\"");
    body.put_slice(name.as_bytes());
    body.put_slice(b"\":");
    body.put_slice(value);
    body.put_u8(b'}');
    json(body.freeze())
}

/// The answer 200 with a JSON body.
fn json(body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
