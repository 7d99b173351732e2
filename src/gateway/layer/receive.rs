//! Receives deliveries of webhooks (docs/API.md, section 12.1).
//!
//! It is above the layers that ask for keys and tokens: the senders have neither, but a credential of their own. A
//! delivery is answered once it is stored; who wants it is found out later.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use http::header::AUTHORIZATION;
use http::{Method, Request, Response};
use http_body::Body;
use http_body_util::BodyExt as _;
use tokio::task::spawn_blocking;
use tower::{BoxError, Service};

use super::body_limit::{LimitedBody, MAX_PIECES};
use crate::deliveries::{Deliveries, Incoming, IncomingError};
use crate::gateway::endpoint::answer;
use crate::gateway::receiving::Receiving;
use crate::gateway::{Endpoint, Error, IncompleteError, Settings};
use crate::groupware::{DeliveryAuth, EventClasses, notes};
use crate::headers::only;

/// Maximum size of a delivery, in bytes.
const MAX_DELIVERY: usize = 1024 * 1024;

/// One that is larger, in bytes, is not parsed on a thread of the runtime: that takes some 80 instructions a byte.
const LARGE: usize = 16 * 1024;

#[derive(Clone, Debug)]
pub(crate) struct Receive<S> {
    pub(crate) inner: S,
    /// Without one, nothing is received.
    pub(crate) receiver: Option<Arc<Receiver>>,
}

/// Where deliveries are stored, and who may send them.
#[derive(Debug)]
pub(crate) struct Receiver {
    deliveries: Deliveries,
    auth: DeliveryAuth,
    /// The address of this gateway, without a slash at the end.
    pub(crate) address: String,
    receiving: Receiving,
    /// By which it is known whose an event is.
    classes: EventClasses,
}

// === impl Receiver ===

impl Receiver {
    pub(crate) fn new(
        deliveries: Deliveries,
        settings: &Settings,
        receiving: Receiving,
    ) -> Result<Self, IncompleteError> {
        let (auth, classes) = (settings.delivery.clone(), settings.event_classes.clone());
        let address = settings.receives_at.as_ref().or(settings.public_url.as_ref());
        let auth = auth.ok_or(IncompleteError::NoCredential)?;
        let address = address.ok_or(IncompleteError::NoAddress)?.to_string();
        Ok(Self { deliveries, auth, address, receiving, classes })
    }

    fn knows<B>(&self, request: &Request<B>) -> bool {
        let Some(field) = only(request.headers(), AUTHORIZATION) else {
            return false;
        };
        let target = request.uri().path_and_query().map_or("", |it| it.as_str());
        let is_for = |target: &str| {
            let address = format!("{}{target}", self.address);
            self.auth.accepts(&address, field.as_bytes())
        };
        // The front end joins an address that ends in a slash with a path that begins with one.
        is_for(target) || target.starts_with("//") && is_for(&target[1..])
    }

    async fn store<B>(self: Arc<Self>, body: LimitedBody<B>) -> Result<(), Error>
    where
        B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    {
        let Some(permit) = self.receiving.permit() else {
            self.deliveries.queue().note_refusal();
            return Err(Error::Overloaded);
        };
        let body = body.collect().await?.to_bytes();
        let incoming = match body.len() {
            ..=LARGE => Incoming::parse(&body, &self.classes),
            _ => spawn_blocking({
                let receiver = self.clone();
                move || Incoming::parse(&body, &receiver.classes)
            })
            .await
            .map_err(|_| Error::Overloaded)?,
        };
        let incoming = incoming.map_err(|fault| match fault {
            IncomingError::NotJson => Error::InvalidReceipt("invalid JSON"),
            IncomingError::TooDeep => Error::InvalidReceipt("more than 127 levels"),
            IncomingError::NoEvent => Error::InvalidReceipt("no object event with a class"),
        })?;
        notes::record_change(true);
        let deliveries = self.deliveries.clone();
        let storing = async move { deliveries.receive(incoming).await };
        self.receiving.store(permit, storing).await.map(drop)
    }
}

// === impl Receive ===

impl<S, B, R> Service<Request<B>> for Receive<S>
where
    S: Service<Request<B>, Response = Response<R>, Error: From<Error> + 'static>,
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
    R: From<Bytes> + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Either<S::Future, BoxFuture<'static, Result<S::Response, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = || Endpoint::from_request(&request);
        let Some(receiver) = self.receiver.as_ref().filter(|_| endpoint().receives()) else {
            return Either::Left(self.inner.call(request));
        };
        let allowed = match receiver.knows(&request) {
            _ if request.method() != Method::POST => Err(endpoint().method_not_allowed()),
            true => Ok(receiver.clone()),
            false => Err(Error::RefusedSender),
        };
        // Some of its body is read in any case, so that the sender gets the answer.
        let body = LimitedBody::of(request, MAX_DELIVERY, MAX_PIECES).into_body();
        Either::Right(Box::pin(async {
            allowed?.store(body).await?;
            Ok(answer::json(&br#"{"status":"queued"}"#[..]))
        }))
    }
}
