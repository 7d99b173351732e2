//! The credentials of others, for administrators (specification, section 4.2 and section 5
//! rule 6).

use bytes::Bytes;
use http::{HeaderValue, Response};
use http_body_util::Full;
use serde::Serialize;
use zeroize::Zeroizing;

use super::credentials::{Asker, Desk, has_access, rfc3339};
use super::json;
use crate::gateway::{Error, Tried};
use crate::groupware::GroupwareError;
use crate::vault::{Metadata, Store};

/// Who may read the credentials of others, and what of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdminPolicy {
    /// A token with this scope makes an administrator, and nothing else does. Without it, those
    /// in the groupware server's group `admin` are administrators, whatever scopes they have.
    pub scope: Option<Box<str>>,
    /// Whether administrators may see the password itself. Not by default.
    pub reveal: bool,
}

/// Whose credential is to be read, and what of it.
#[derive(Debug)]
pub struct ReadCredential {
    pub(in crate::gateway) user_id: Box<str>,
    pub(in crate::gateway) reveal: bool,
    /// For the audit line.
    pub(in crate::gateway) request_id: Option<HeaderValue>,
}

pub(super) async fn read<St: Store>(
    desk: &Desk<St>,
    asker: &Asker,
    wanted: ReadCredential,
) -> Result<Response<Full<Bytes>>, Error> {
    #[derive(Serialize)]
    struct Shown<'a> {
        user_id: &'a str,
        login_name: &'a str,
        has_background_access: bool,
        credential_type: &'a str,
        provisioned_at: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        app_password: Option<&'a str>,
    }

    check_administrator(desk, asker).await?;
    if wanted.reveal && !desk.administrators.reveal {
        return Err(Error::RevealOff);
    }
    let credential = desk.logins.vault().credential(&wanted.user_id).await?;
    let credential = credential.ok_or(Error::NoCredential)?;
    let shown = Shown {
        user_id: credential.user_id(),
        login_name: credential.login_name(),
        has_background_access: has_access(credential.suspended_at()),
        credential_type: Metadata::CREDENTIAL_TYPE,
        provisioned_at: rfc3339(credential.provisioned_at()),
        app_password: wanted.reveal.then(|| credential.password().expose()),
    };
    // Room for all at once: a growing vector would leave copies of the password behind.
    let mut body = Zeroizing::new(Vec::with_capacity(4096));
    serde_json::to_writer(&mut *body, &shown).map_err(|error| Error::Other(error.into()))?;
    if wanted.reveal {
        let request_id = wanted.request_id.as_ref().and_then(|id| id.to_str().ok());
        tracing::info!(
            target: "portreeve::audit",
            administrator = asker.caller.user_id(),
            user = credential.user_id(),
            request_id,
            "audit: the stored app password of a user was shown to an administrator"
        );
    }
    Ok(json(Bytes::from_owner(body)))
}

async fn check_administrator<St: Store>(desk: &Desk<St>, asker: &Asker) -> Result<(), Error> {
    let is_administrator = match &desk.administrators.scope {
        Some(scope) => asker.caller.has_scope(scope),
        None => is_in_group(desk, asker).await?,
    };
    match is_administrator {
        true => Ok(()),
        false => Err(Error::NotAdministrator),
    }
}

/// Asks the groupware server with the caller's own credential; whoever has none is no
/// administrator.
async fn is_in_group<St: Store>(desk: &Desk<St>, asker: &Asker) -> Result<bool, Error> {
    let groupware = desk.groupware()?.clone();
    let client_address = asker.client_address;
    let expected = asker.caller.clone();
    let look = desk
        .logins
        .with_account(asker.caller.user_id(), move |account| async move {
            let user = groupware.user(&account, client_address).await?;
            if user.id != expected.user_id() {
                return Err(GroupwareError::OtherAccount.into());
            }
            Ok(Tried {
                value: user.is_administrator(),
                login_proved: true,
            })
        });
    match look.await {
        Err(Error::NotProvisioned) => Ok(false),
        looked => looked,
    }
}
