//! Opens the caller's stored app password (docs/API.md, sections 2.2 and 2.3).
//!
//! Each input that needs one is carried out with an [`Access`](crate::groupware::Access), and an endpoint that calls the
//! groupware server takes no less. A caller who has stored nothing gets 428. These endpoints answer with a `Reply`, and
//! what that shows about the login is acted on by [`Logins`](crate::gateway::Logins).
//!
//! All other inputs are carried out as they are: a caller who wants to store a password has none yet, and a preset of
//! webhooks takes several calls, each of which opens the password for itself.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use tower::Service;

use super::decode::Decoded;
use crate::gateway::Error;
use crate::gateway::endpoint::answer::Answer;
use crate::gateway::endpoint::{self, Services};

/// The innermost service of the stack: it has the endpoints carry out what is left of a request.
#[derive(Clone, Debug)]
pub struct Provision {
    pub(crate) services: Arc<Services>,
}

impl Service<Decoded> for Provision {
    type Response = Answer;
    type Error = Error;
    /// Boxed, since the type of its futures (the vault, a permit, the call) cannot be named.
    type Future = BoxFuture<'static, Result<Answer, Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        let (context, input) = decoded.into_parts();
        endpoint::carry_out(self.services.clone(), context, input)
    }
}
