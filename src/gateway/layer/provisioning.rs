//! Opens the caller's stored app password (docs/API.md, sections 2.2 and 2.3).
//!
//! It carries out each input that needs one with an [`Access`](crate::groupware::Access), and an endpoint that calls the
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
use crate::gateway::input::Input;

/// The innermost service of the stack: it has the endpoints carry out what is left of a request.
#[derive(Clone, Debug)]
pub struct Provision {
    pub(crate) services: Arc<Services>,
}

// === impl Provision ===

impl Service<Decoded> for Provision {
    type Response = Answer;
    type Error = Error;
    /// Boxed, since the type of its futures (the vault, a permit, the call) cannot be named.
    type Future = BoxFuture<'static, Result<Answer, Error>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, decoded: Decoded) -> Self::Future {
        let services = self.services.clone();
        let (context, input) = decoded.into_parts();
        let input = match input {
            Input::Groupware(input) => input,
            Input::Local(input) => return endpoint::local(services, context, input),
        };
        Box::pin(async move {
            let user_id = context.principal.require_user()?.user_id();
            let (groupware, address) = (services.groupware()?, context.client_address);
            let mut call = |access| endpoint::remote(services.clone(), access, input.clone());
            let logins = &services.logins;
            logins.use_stored(user_id, &groupware, address, |_| Ok(()), &mut call).await
        })
    }
}
