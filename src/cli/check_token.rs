//! `portreeve check-config --online --token-stdin`: determines the account of a token, and why.

use std::io::{self, Write};

use portreeve::gateway::{AccountPolicy, AccountRule, Error, User};
use portreeve::identity::{BearerToken, Caller, TokenVerifier as _, VerifyError};
use portreeve::vault::BoundBy;

use super::identity::Identity;
use super::{Failure, open};
use crate::config::Config;
use crate::files;

/// More than any token and its line break.
const LIMIT: u64 = 64 * 1024;

/// Writes the claims of the token on standard input and the resulting account as comments, but nothing of the token
/// itself.
pub(super) async fn report(out: &mut Vec<u8>, config: &Config) -> Result<(), Failure> {
    let token = read()?;
    let verifiers = Identity::open(&config.identity)?.start(None).await?;
    let (head, ()) = http::Request::new(()).into_parts();
    let caller = verifiers.verify(&token, &head).await;
    let caller = caller.map_err(|error| refused(&error))?;
    match caller.person() {
        None => writeln!(
            out,
            "# token: a static token, which names the account itself"
        )?,
        Some(person) => {
            let (issuer, value) = (&person.issuer, &person.value);
            let subject = person.subject.as_deref().unwrap_or("none");
            writeln!(
                out,
                "# token: issuer {issuer:?}, subject {subject:?}, user_claim {value:?}"
            )?;
        }
    }
    let rule = match &config.gateway.account {
        AccountPolicy::Rule(rule) => rule,
        AccountPolicy::Bound(_) if caller.person().is_none() => &AccountRule::Claim,
        _ => return bound(out, config, &caller).await,
    };
    match rule.user(&caller) {
        Ok(user) => account(out, &user, &caller, rule),
        Err(Error::RefusedToken(error)) => Err(refused(&error)),
        Err(error) => Err(Failure::new(error)),
    }
}

/// The token on standard input.
fn read() -> Result<BearerToken, Failure> {
    let text = files::read_text_from(io::stdin().lock(), LIMIT).map_err(|error| {
        Failure::new(format_args!(
            "--token-stdin: cannot read the token from standard input: {error}"
        ))
    })?;
    BearerToken::new(text.trim()).ok_or_else(|| {
        Failure::new(
            "--token-stdin: standard input is not a bearer token; pass only the access token, \
             without the word Bearer",
        )
    })
}

fn refused(error: &VerifyError) -> Failure {
    match error {
        VerifyError::Unavailable(cause) => {
            Failure::new(format_args!("--token-stdin: {error}: {cause}"))
        }
        _ => Failure::new(format_args!("--token-stdin: {error}")),
    }
}

fn account(
    out: &mut impl Write,
    user: &User,
    caller: &Caller,
    rule: &AccountRule,
) -> Result<(), Failure> {
    let user_id = user.user_id();
    let value = caller.name();
    let why = match (caller.person(), rule) {
        (None, _) => "the setting account does not apply".to_owned(),
        (_, AccountRule::UserOidc { provider }) => {
            format!(
                "account = {rule}: the SHA-256 of {:?}",
                format!("{provider}_0_{value}")
            )
        }
        (_, AccountRule::UserOidcName { identifier }) => {
            let made = format!("{identifier}-{value}");
            match made == user_id {
                true => format!("account = {rule}"),
                false => format!("account = {rule}: the SHA-256 of {made:?}, over 64 bytes"),
            }
        }
        _ => format!("account = {rule}: user_claim unchanged"),
    };
    writeln!(out, "# token: the account is {user_id:?} ({why})")?;
    Ok(())
}

/// The account that the person of `caller` is bound to.
async fn bound(out: &mut impl Write, config: &Config, caller: &Caller) -> Result<(), Failure> {
    let person = caller.person();
    let Some((issuer, subject)) =
        person.and_then(|person| Some((&person.issuer, person.subject.as_ref()?)))
    else {
        return Err(Failure::new(
            "--token-stdin: the token has no subject (sub), which is needed with account = bound",
        ));
    };
    let binding = match open::must_exist(&config.vault.database, open::NAMED_BY) {
        Err(_) => None,
        Ok(()) => {
            let vault = open::vault_as_it_is(&config.vault).await?;
            vault.binding(issuer, subject).await?
        }
    };
    match binding {
        Some(binding) => {
            let by = match binding.bound_by() {
                BoundBy::LoginFlow => "a login flow",
                _ => "the operator",
            };
            let since = humantime::format_rfc3339_seconds(binding.bound_at());
            let user_id = binding.user_id();
            writeln!(
                out,
                "# token: the account is {user_id:?} (account = bound: by {by}, {since})"
            )?;
        }
        None => writeln!(
            out,
            "# token: no account is bound to this person, who gets 428; bind one with `portreeve \
             accounts bind --issuer ISSUER --subject SUBJECT --user USER`"
        )?,
    }
    Ok(())
}
