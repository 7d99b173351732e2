//! The endpoints that store, show and remove app passwords, and let users grant them on the groupware
//! server's own page (docs/API.md, sections 5, 10.2 and 10.3).

mod admin_policy;
mod administrator;
mod flow_owner;
mod login_flow;
mod own;
mod person_flow;
mod pickup;
mod request;
mod session;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use tower::Service;

use crate::audit::{Action, AuditObserver};
use crate::gateway::input::CredentialInput;
use crate::gateway::layer::decode::Decoded;
use crate::gateway::{Error, Logins};
use crate::groupware::{BaseUrl, Groupware};

pub use admin_policy::AdminPolicy;
pub(in crate::gateway) use flow_owner::UnboundPerson;
pub(in crate::gateway) use person_flow::PersonFlows;
use request::CredentialRequest;
pub(super) use request::{Services, audited, done, removed};

/// The endpoints of [docs/API.md](crate::docs::api), sections 5, 10.2 and 10.3.
#[derive(Clone, Debug)]
pub struct CredentialEndpoints {
    services: Arc<Services>,
}

// === impl CredentialEndpoints ===

impl CredentialEndpoints {
    /// Passwords are checked at `groupware` and stored by `logins`; `administrators` defines who may
    /// read those of others. `groupware_public_url` overrides the address of the grant page that the
    /// groupware server sends.
    ///
    /// Within a runtime, passwords that login flows have left behind are revoked at `groupware` from now
    /// on, until other endpoints are made with `logins` or its last clone is dropped.
    pub fn new(
        groupware: Option<Groupware>,
        logins: Logins,
        administrators: AdminPolicy,
        groupware_public_url: Option<BaseUrl>,
    ) -> Self {
        logins.spawn_cleanup(groupware.clone());
        Self {
            services: Arc::new(Services {
                groupware,
                logins,
                administrators,
                groupware_public_url,
                audit: None,
            }),
        }
    }

    /// Also passes each audit record to `observer`; none by default.
    #[must_use]
    pub fn audit(mut self, observer: impl Into<Option<Arc<dyn AuditObserver>>>) -> Self {
        Arc::make_mut(&mut self.services).audit = observer.into();
        self
    }

    pub(super) fn services(&self) -> &Arc<Services> {
        &self.services
    }
}

impl CredentialEndpoints {
    /// The login flows of persons who have no account yet.
    pub(in crate::gateway) fn person_flows(&self) -> PersonFlows {
        PersonFlows::new(self.services.clone())
    }
}

impl Service<Decoded<CredentialInput>> for CredentialEndpoints {
    type Response = Response<Full<Bytes>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, decoded: Decoded<CredentialInput>) -> Self::Future {
        let (context, input) = decoded.into_parts();
        let request = CredentialRequest::new(self.services.clone(), context);
        Box::pin(async move { request.answer(input).await })
    }
}

// === impl CredentialRequest ===

impl CredentialRequest {
    async fn answer(&self, input: CredentialInput) -> Result<Response<Full<Bytes>>, Error> {
        let own = self.user_id();
        match input {
            CredentialInput::Store(wanted) => {
                let action = Action::StoreCredential;
                self.audited(action, own, |it| self.store(wanted, it)).await
            }
            CredentialInput::Status => self.status().await,
            CredentialInput::Delete { revoke: false } => {
                let action = Action::RemoveCredential;
                self.audited(action, own, |it| self.remove(it)).await
            }
            CredentialInput::Delete { revoke: true } => {
                let action = Action::RevokeCredential;
                self.audited(action, own, |it| self.revoke(it)).await
            }
            CredentialInput::Read {
                user_id,
                or_user_id,
                reveal,
            } => {
                let action = if reveal {
                    Action::RevealCredential
                } else {
                    Action::ReadCredential
                };
                let read = |it| self.read(&user_id, or_user_id.as_deref(), reveal, it);
                self.audited(action, &user_id, read).await
            }
            CredentialInput::Session { user_id } => self.session(&user_id).await,
            CredentialInput::Revoke { user_id } => {
                let remove = |it| self.remove_own(&user_id, it);
                self.audited(Action::RemoveCredential, &user_id, remove)
                    .await
            }
            CredentialInput::StartLoginFlow => self.login_flows().start().await,
            CredentialInput::PollLoginFlow { flow_id } => self.login_flows().poll(&flow_id).await,
        }
    }
}
