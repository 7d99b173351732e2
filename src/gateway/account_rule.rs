//! How the account id of a person is derived (docs/API.md, section 2.7).

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{Error, User};
use crate::hex::hex;
use crate::identity::{Caller, Person, RefusalReason, TokenRefusal};
use crate::names::{check_login_name, check_user_id};

/// Maximum length of the ids that the app `user_oidc` does not hash, in bytes.
const USER_OIDC_MAX: usize = 64;
const USER_OIDC: &str = "user_oidc";
const USER_OIDC_NAME: &str = "user_oidc_name";

/// How the account id at the groupware server is derived from the identity provider's name of a person.
///
/// A caller whose token names an account ([`Caller::new`], static tokens) has that account under every rule.
///
/// ```
/// use portreeve::gateway::AccountRule;
///
/// let rule: AccountRule = "user_oidc:1".parse().unwrap();
/// assert_eq!(rule.to_string(), "user_oidc:1");
/// assert!("user_oidc".parse::<AccountRule>().is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum AccountRule {
    /// The unchanged value of the claim.
    #[default]
    Claim,
    /// As in Nextcloud's app `user_oidc` by default: the SHA-256 of `<provider>_0_<value>`, in lower-case hexadecimal.
    UserOidc {
        /// The number of the provider in the app, starting from 1.
        provider: u32,
    },
    /// As in the same app with provider-based ids: `<identifier>-<value>`, or if that is over 64 bytes its SHA-256.
    UserOidcName {
        /// The identifier of the provider in the app.
        identifier: Box<str>,
    },
}

/// The error for a text that is not an [`AccountRule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be claim, user_oidc:<number of the provider> such as user_oidc:1, \
     user_oidc_name:<identifier of the provider> such as user_oidc_name:office"
)]
pub struct UnknownAccountRule;

impl AccountRule {
    /// The user that `caller` is.
    ///
    /// # Errors
    /// The result is not an account id, so the token is not accepted.
    pub fn user(&self, caller: &Caller) -> Result<User, Error> {
        let account = match (caller.account(), caller.person()) {
            (Some(user_id), _) => check_user_id(user_id).is_ok().then(|| user_id.clone()),
            (None, Some(person)) => self.account(person),
            (None, None) => None,
        };
        match account {
            Some(user_id) => Ok(User::from_caller(caller, user_id)),
            None => {
                let detail = "what it names makes no account id, which has 1 to 255 bytes, no colon and no \
                    control character";
                let detail = Some(detail.into());
                let refusal = TokenRefusal { reason: RefusalReason::Account, detail };
                tracing::debug!(target: "portreeve::identity", rule = %self, %refusal, "a token was refused");
                Err(Error::RefusedToken(refusal.into()))
            }
        }
    }

    /// The account id of `person`; `None` if the result of the rule is not one.
    fn account(&self, person: &Person) -> Option<Arc<str>> {
        let made: Arc<str> = match self {
            Self::Claim => person.value.clone(),
            Self::UserOidc { provider } => {
                sha256_hex(&format!("{provider}_0_{}", person.value)).into()
            }
            Self::UserOidcName { identifier } => {
                let made = format!("{identifier}-{}", person.value);
                if made.len() > USER_OIDC_MAX { sha256_hex(&made).into() } else { made.into() }
            }
        };
        check_login_name(&made).is_ok().then_some(made)
    }
}

impl FromStr for AccountRule {
    type Err = UnknownAccountRule;

    fn from_str(text: &str) -> Result<Self, UnknownAccountRule> {
        let (name, argument) = text.split_once(':').unzip();
        match (name.unwrap_or(text), argument) {
            ("claim", None) => Ok(Self::Claim),
            (USER_OIDC, Some(number)) => match number.parse() {
                // As the app writes it: `01` would be hashed as a different text than its `1`.
                Ok(provider) if provider > 0 && u32::to_string(&provider) == number => {
                    Ok(Self::UserOidc { provider })
                }
                _ => Err(UnknownAccountRule),
            },
            (USER_OIDC_NAME, Some(identifier)) if check_login_name(identifier).is_ok() => {
                Ok(Self::UserOidcName { identifier: identifier.into() })
            }
            _ => Err(UnknownAccountRule),
        }
    }
}

impl fmt::Display for AccountRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim => f.write_str("claim"),
            Self::UserOidc { provider } => write!(f, "{USER_OIDC}:{provider}"),
            Self::UserOidcName { identifier } => write!(f, "{USER_OIDC_NAME}:{identifier}"),
        }
    }
}

fn sha256_hex(text: &str) -> String {
    hex(&Sha256::digest(text)).to_string()
}
