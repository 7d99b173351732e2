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
/// A caller whose token names an account ([`Caller::new`], static tokens) has that account under every
/// rule.
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
    /// As in Nextcloud's app `user_oidc` with unique ids, its default: the SHA-256 of
    /// `<provider>_0_<value>`, as 64 lower-case hexadecimal digits.
    UserOidc {
        /// The number of the provider in the app, starting from 1.
        provider: u32,
    },
    /// As in the same app with provider-based ids: `<identifier>-<value>`, or the SHA-256 of that if it is
    /// longer than 64 bytes.
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

// === impl AccountRule ===

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
            Some(user_id) => Ok(User::of(caller, user_id)),
            None => {
                let refusal = TokenRefusal::from(RefusalReason::Account).detail(
                    "what it names makes no account id, which has 1 to 255 bytes, no colon and no \
                     control character",
                );
                tracing::debug!(target: "portreeve::identity", rule = %self, %refusal, "a token was refused");
                Err(Error::RefusedToken(refusal.into()))
            }
        }
    }

    /// The account id of `person`; `None` if the result of the rule is not one.
    fn account(&self, person: &Person) -> Option<Arc<str>> {
        let made: Arc<str> = match self {
            Self::Claim => person.shared_value(),
            Self::UserOidc { provider } => {
                sha256_hex(&format!("{provider}_0_{}", person.value())).into()
            }
            Self::UserOidcName { identifier } => {
                let made = format!("{identifier}-{}", person.value());
                match made.len() > USER_OIDC_MAX {
                    true => sha256_hex(&made).into(),
                    false => made.into(),
                }
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
                Ok(Self::UserOidcName {
                    identifier: identifier.into(),
                })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn account(rule: &str, value: &str) -> Option<Arc<str>> {
        let rule: AccountRule = rule.parse().unwrap();
        rule.account(&Person::new("https://id.example.org", value))
    }

    /// The cases of the app's own tests (user_oidc 8.11, `IdServiceTest`).
    #[test]
    fn ids_are_those_of_user_oidc() {
        for (rule, value, expected) in [
            ("claim", "id1", "id1"),
            (
                "user_oidc:6",
                "id6",
                "1d64d63dbda703f2598581b8bfc440e191c7a668dfb1de40c7daf41c6f9204c7",
            ),
            (
                "user_oidc:7",
                "id7",
                "1b517769ab0d33c275bc88747917c38f1e1c7aa2582330fbe2d936fb6cfcabb3",
            ),
            ("user_oidc_name:provider8", "id8", "provider8-id8"),
        ] {
            assert_eq!(account(rule, value).as_deref(), Some(expected), "{rule}");
        }
    }

    /// Also values that are not account ids themselves.
    #[test]
    fn any_value_can_be_hashed() {
        for value in ["a:b", "a\nb", &"x".repeat(1024), "ä@b c"] {
            assert_eq!(account("user_oidc:1", value).unwrap().len(), 64);
        }
        for (value, fits) in [("a:b", false), ("a\nb", false), ("ä@b c", true)] {
            assert_eq!(account("claim", value).is_some(), fits, "{value:?}");
            assert_eq!(account("user_oidc_name:i", value).is_some(), fits);
        }
        assert_eq!(account("claim", &"x".repeat(256)), None);
    }

    /// The app compares the length in bytes, after the prefix.
    #[test]
    fn ids_over_64_bytes_are_hashed_as_by_user_oidc() {
        let value = "v".repeat(61);
        let made = account("user_oidc_name:id", &value).unwrap();
        assert_eq!(*made, format!("id-{value}"));
        let made = account("user_oidc_name:id", &(value.clone() + "v")).unwrap();
        assert_eq!(*made, sha256_hex(&format!("id-{value}v")));
        let umlauts = account("user_oidc_name:id", &"ä".repeat(31)).unwrap();
        assert_eq!(umlauts.len(), 64);
        assert!(!umlauts.contains('ä'));
    }

    #[test]
    fn a_rule_is_written_in_one_way() {
        for text in [
            "claim",
            "user_oidc:1",
            "user_oidc:4294967295",
            "user_oidc_name:my idp",
        ] {
            assert_eq!(text.parse::<AccountRule>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "Claim",
            "claim:",
            "user_oidc",
            "user_oidc:",
            "user_oidc:0",
            "user_oidc:01",
            "user_oidc:+1",
            "user_oidc: 1",
            "user_oidc:-1",
            "user_oidc:4294967296",
            "user_oidc:keycloak",
            "user_oidc_name",
            "user_oidc_name:",
            "user_oidc_name:a:b",
            "user_oidc_name:a\nb",
            "sub",
        ] {
            assert_eq!(
                text.parse::<AccountRule>(),
                Err(UnknownAccountRule),
                "{text:?}"
            );
        }
    }
}
