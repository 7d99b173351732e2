//! What the gateway does once it knows who wants what, and holds the credential for it.

mod apps;
mod webhooks;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes, BytesMut};
use http::Response;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http_body_util::Full;
use tower::Service;

use super::Error;
use super::layer::decode::Input;
use super::layer::provisioning::Provisioned;
use crate::groupware::DeliveryAuth;

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
    type Response = Response<Full<Bytes>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, provisioned: Provisioned) -> Self::Future {
        let delivery = self.delivery.clone();
        Box::pin(async move {
            let (access, input) = provisioned.into_parts();
            match input {
                Input::ListApps => apps::list(&access).await,
                Input::ListWebhooks => webhooks::list(&access).await,
                Input::CreateWebhook(create) => {
                    webhooks::create(&access, create, delivery.as_deref()).await
                }
                Input::DeleteWebhook(id) => webhooks::delete(&access, id).await,
            }
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
