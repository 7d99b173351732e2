//! The credentials of the callers themselves (specification, section 4.2).

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::SystemTime;

use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use serde_json::json;
use tower::Service;

use super::{AdminPolicy, StoreCredential, administrator, json, login_flow};
use crate::gateway::layer::decode::{CredentialInput, Decoded};
use crate::gateway::login::{Revocation, Verdict, account_of};
use crate::gateway::{Error, Logins};
use crate::groupware::{BaseUrl, Groupware};
use crate::identity::Caller;
use crate::vault::{Metadata, Store};

/// The endpoints of specification section 4.2: they store, show and remove app passwords, and
/// have users grant them on the groupware server's own page.
#[derive(Debug)]
pub struct CredentialEndpoints<St: Store> {
    desk: Arc<Desk<St>>,
}

/// What the endpoints work with.
#[derive(Debug)]
pub(super) struct Desk<St: Store> {
    groupware: Option<Groupware>,
    pub(super) logins: Logins<St>,
    pub(super) administrators: AdminPolicy,
    pub(super) public_url: Option<BaseUrl>,
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) struct Asker {
    pub(super) caller: Caller,
    pub(super) client_address: Option<IpAddr>,
}

impl<St: Store> CredentialEndpoints<St> {
    /// Passwords are checked at `groupware` and kept by `logins`; `administrators` says who may
    /// read those of others. The groupware server's grant page is on `public_url` where that is
    /// not where the server itself says.
    pub fn new(
        groupware: Option<Groupware>,
        logins: Logins<St>,
        administrators: AdminPolicy,
        public_url: Option<BaseUrl>,
    ) -> Self {
        Self {
            desk: Arc::new(Desk {
                groupware,
                logins,
                administrators,
                public_url,
            }),
        }
    }
}

impl<St: Store> Clone for CredentialEndpoints<St> {
    fn clone(&self) -> Self {
        Self {
            desk: self.desk.clone(),
        }
    }
}

impl<St: Store> Service<Decoded<CredentialInput>> for CredentialEndpoints<St> {
    type Response = Response<Full<Bytes>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, decoded: Decoded<CredentialInput>) -> Self::Future {
        let desk = self.desk.clone();
        let asker = Asker {
            caller: decoded.caller().clone(),
            client_address: decoded.client_address(),
        };
        Box::pin(async move {
            match decoded.into_input() {
                CredentialInput::Store(wanted) => store(&desk, asker, wanted).await,
                CredentialInput::Status => status(&desk, &asker).await,
                CredentialInput::Delete { revoke: false } => remove(&desk, &asker).await,
                CredentialInput::Delete { revoke: true } => revoke(&desk, &asker).await,
                CredentialInput::Read(wanted) => administrator::read(&desk, &asker, wanted).await,
                CredentialInput::StartLoginFlow => login_flow::start(&desk, &asker).await,
                CredentialInput::PollLoginFlow(id) => login_flow::poll(&desk, asker, &id).await,
            }
        })
    }
}

impl<St: Store> Desk<St> {
    pub(super) fn groupware(&self) -> Result<&Groupware, Error> {
        self.groupware.as_ref().ok_or(Error::NotConfigured)
    }
}

/// Stores a password once the groupware server has said that it is the caller's. What was begun
/// is done to its end, so that no refusal goes unnoticed.
async fn store<St: Store>(
    desk: &Desk<St>,
    asker: Asker,
    wanted: StoreCredential,
) -> Result<Response<Full<Bytes>>, Error> {
    let groupware = desk.groupware()?.clone();
    let logins = desk.logins.clone();
    let user_id = asker.caller.user_id();
    let change = logins.change(user_id).await;
    logins.may_bring(user_id)?;
    let place = logins.doubtful().await?;
    let metadata = desk
        .logins
        .to_the_end(async move {
            let _change = change;
            let user_id = asker.caller.user_id();
            let login_name = wanted.login_name.as_deref().unwrap_or(user_id);
            let account = account_of(user_id, login_name, &wanted.password)?;
            let look = logins.look(&groupware, &account, asker.client_address, place);
            match look.await? {
                Verdict::Opens(id) if id == user_id => {}
                Verdict::Opens(_) => return Err(Error::OtherAccount),
                Verdict::Refused => {
                    logins.refused_brought(user_id);
                    return Err(Error::Rejected);
                }
            }
            let metadata = logins
                .vault()
                .put(user_id, login_name, &wanted.password)
                .await?;
            logins.stored_good(&metadata);
            Ok(metadata)
        })
        .await?;
    Ok(answer(&json!({
        "success": true,
        "message": "App password stored",
        "credential_type": metadata.credential_type(),
        "provisioned_at": rfc3339(metadata.provisioned_at()),
    })))
}

async fn status<St: Store>(desk: &Desk<St>, asker: &Asker) -> Result<Response<Full<Bytes>>, Error> {
    let metadata = desk.logins.vault().metadata(asker.caller.user_id()).await?;
    let metadata = metadata.as_ref();
    Ok(answer(&json!({
        "has_background_access": metadata.is_some_and(|it| has_access(it.suspended_at())),
        "credential_type": metadata.map(Metadata::credential_type),
        "provisioned_at": metadata.map(|it| rfc3339(it.provisioned_at())),
    })))
}

async fn remove<St: Store>(desk: &Desk<St>, asker: &Asker) -> Result<Response<Full<Bytes>>, Error> {
    let removed = desk.logins.remove(asker.caller.user_id()).await?;
    Ok(done(match removed {
        true => "App password removed",
        false => NOTHING_STORED,
    }))
}

async fn revoke<St: Store>(desk: &Desk<St>, asker: &Asker) -> Result<Response<Full<Bytes>>, Error> {
    let groupware = desk.groupware()?;
    let logins = &desk.logins;
    let revoked = logins.revoke(groupware, asker.caller.user_id(), asker.client_address);
    Ok(done(match revoked.await? {
        Revocation::Destroyed => "App password destroyed at the groupware server and removed",
        Revocation::WasRefused => "App password removed; the groupware server refused it already",
        Revocation::NothingStored => NOTHING_STORED,
    }))
}

const NOTHING_STORED: &str = "No app password was stored";

/// Whether calls can be made with it: not while it is suspended.
pub(super) fn has_access(suspended_at: Option<SystemTime>) -> bool {
    suspended_at.is_none()
}

/// RFC 3339 in UTC, to the second.
pub(super) fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(time).to_string()
}

fn done(message: &str) -> Response<Full<Bytes>> {
    answer(&json!({"success": true, "message": message}))
}

pub(super) fn answer(body: &serde_json::Value) -> Response<Full<Bytes>> {
    json(body.to_string())
}
