//! The app password that the front end sends by HTTP Basic, and what it lets be forwarded (docs/API.md, section 10.4).
//!
//! The password authenticates the request and is also its subject. So it is checked before anything
//! else: unless it is the stored password, the groupware server is asked, as for a new one.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderValue, Method, Request};
use http_body::Body;
use http_body_util::BodyExt as _;
use serde_json::json;
use tower::Service;

use super::answer::{self, Answer, done, rfc3339};
use super::credentials::removed;
use super::services::Services;
use crate::audit::{Action, Actor, Attempt, Auditor};
use crate::gateway::input::{AppPasswordInput, scopes};
use crate::gateway::layer::basic::Unverified;
use crate::gateway::layer::request_id::X_REQUEST_ID;
use crate::gateway::login::{Candidate, Source};
use crate::gateway::{ClientAddress, Endpoint, Error};
use crate::groupware::notes;
use crate::names::check_login_name;
use crate::tally::Allowance;
use crate::vault::{AppPassword, Login, Metadata};

/// The endpoints of docs/API.md, section 10.4, as the service of a
/// [`ReadBasic`](crate::gateway::layer::basic::ReadBasic).
#[derive(Clone, Debug)]
pub(crate) struct AppPasswordEndpoints {
    pub(crate) services: Arc<Services>,
    /// Which client address is forwarded.
    pub(crate) client_address: ClientAddress,
    /// Limits the records of attempts that are not done, which anybody can make.
    pub(crate) unproven: Arc<Allowance>,
}

struct AppPasswordRequest {
    services: Arc<Services>,
    unproven: Arc<Allowance>,
    client_address: Option<IpAddr>,
    request_id: Option<HeaderValue>,
    user_id: Box<str>,
    password: AppPassword,
}

// === impl AppPasswordEndpoints ===

impl<B> Service<Unverified<Request<B>>> for AppPasswordEndpoints
where
    B: Body<Data: Send, Error: Into<Error>> + Send + 'static,
{
    type Response = Answer;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, unverified: Unverified<Request<B>>) -> Self::Future {
        let (user_id, password, request) = unverified.into_parts();
        let client_address = self.client_address.resolve(&request);
        let endpoint = Endpoint::from_request(&request);
        let app_password = AppPasswordRequest {
            services: self.services.clone(),
            unproven: self.unproven.clone(),
            client_address,
            request_id: request.headers().get(X_REQUEST_ID).cloned(),
            user_id,
            password,
        };
        Box::pin(async move {
            match (endpoint, request.method()) {
                (Endpoint::AppPassword, &Method::POST) => {
                    let body = request.into_body().collect().await.map_err(Into::into)?;
                    let input = AppPasswordInput::parse(&body.to_bytes())?;
                    let attempt = app_password.attempt(Action::StoreCredential);
                    app_password.store(input, attempt).await
                }
                // Its body is not read: the front end sends none.
                (Endpoint::AppPassword, &Method::DELETE) => {
                    let attempt = app_password.attempt(Action::RemoveCredential);
                    app_password.remove(attempt).await
                }
                (Endpoint::Access, &Method::GET) => app_password.access().await,
                (Endpoint::AccessScopes, &Method::PATCH) => {
                    let body = request.into_body().collect().await.map_err(Into::into)?;
                    let scopes = scopes(&body.to_bytes())?;
                    let attempt = app_password.attempt(Action::ChangeScopes);
                    Error::audit(&attempt, app_password.set_scopes(&scopes).await)
                }
                _ => Err(endpoint.method_not_allowed()),
            }
        })
    }
}

pub(crate) fn report_left_out(count: u64) {
    tracing::info!(
        parent: None,
        count,
        "more attempts by HTTP Basic were not done than the audit log lists"
    );
}

// === impl AppPasswordRequest ===

impl AppPasswordRequest {
    /// An attempt on the user's credential. It is not proven yet that the user makes it.
    fn attempt(&self, action: Action) -> Attempt {
        let request_id = self.request_id.as_ref();
        let auditor = Auditor {
            request_id: request_id.and_then(|id| Some(id.to_str().ok()?.into())),
            observer: self.services.audit.clone(),
            limit: Some(self.unproven.clone()),
            ..Auditor::new(Actor::AppPassword { caller: self.user_id.clone() })
        };
        auditor.attempt(action).user(&self.user_id)
    }

    async fn store(&self, input: AppPasswordInput, attempt: Attempt) -> Result<Answer, Error> {
        let candidate = match self.candidate(input) {
            Ok(candidate) => candidate,
            Err(error) => return Error::audit(&attempt, Err(error)),
        };
        let Services { groupware, logins, .. } = &*self.services;
        let (groupware, address) = (groupware.clone(), self.client_address);
        let stored = logins.enroll(groupware, &self.user_id, address, candidate, attempt).await?;
        Ok(answer::to_json(&json!({
            "success": true,
            "message": "App password stored",
            "scopes": stored.scopes(),
        })))
    }

    async fn access(&self) -> Result<Answer, Error> {
        self.prove().await?;
        let stored = self.services.logins.vault().metadata(&self.user_id).await?;
        let stored = stored.as_ref();
        let mut access = json!({
            "success": true,
            "user_id": &*self.user_id,
            "provisioned": stored.is_some(),
            "scopes": stored.and_then(Metadata::scopes),
            "username": stored.map(|stored| &stored.login_name),
        });
        if let Some(stored) = stored {
            access["created_at"] = rfc3339(stored.provisioned_at).into();
            access["updated_at"] = rfc3339(stored.updated_at()).into();
        }
        Ok(answer::to_json(&access))
    }

    async fn set_scopes(&self, scopes: &str) -> Result<Answer, Error> {
        self.prove().await?;
        notes::record_change(true);
        let changed = self.services.logins.vault().set_scopes(&self.user_id, scopes).await?;
        let changed = changed.ok_or(Error::NoCredential)?;
        Ok(answer::to_json(&json!({
            "success": true,
            "user_id": &*self.user_id,
            "scopes": changed.scopes(),
            "message": "Scopes updated successfully",
        })))
    }

    async fn remove(&self, attempt: Attempt) -> Result<Answer, Error> {
        if let Err(error) = self.prove().await {
            return Error::audit(&attempt, Err(error));
        }
        Ok(done(removed(self.services.logins.remove(&self.user_id, attempt).await?)))
    }

    /// Checks that the password is the user's: the stored one, or one that the groupware server accepts for the account.
    async fn prove(&self) -> Result<(), Error> {
        let logins = &self.services.logins;
        if logins.is_stored(&self.user_id, &self.password).await {
            return Ok(());
        }
        let groupware = self.services.groupware()?;
        let candidate = self.candidate(AppPasswordInput::default())?;
        logins.prove(&self.user_id, &groupware, self.client_address, &candidate).await.map(drop)
    }

    fn candidate(&self, input: AppPasswordInput) -> Result<Candidate, Error> {
        let name = input.login_name.unwrap_or_else(|| self.user_id.clone());
        // An account id may contain a colon, which a login name in HTTP Basic cannot.
        check_login_name(&name).map_err(|_| Error::InvalidUserName)?;
        let password = self.password.clone();
        Ok(Candidate { login: Login { name, password }, source: Source::Basic(input.scopes) })
    }
}
