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

/// Writes the claims of the token on standard input and the resulting account as comments, but nothing of the token itself.
pub(super) async fn report(out: &mut Vec<u8>, config: &Config) -> Result<(), Failure> {
    let token = read()?;
    let verifiers = Identity::open(&config.identity)?.start(None).await?;
    let (head, ()) = http::Request::new(()).into_parts();
    let caller = verifiers.verify(&token, &head).await.map_err(|error| refused(&error))?;
    let what = match caller.person() {
        None => "a static token, which names the account itself".to_owned(),
        Some(person) => {
            let (issuer, value) = (&person.issuer, &person.value);
            let subject = person.subject.as_deref().unwrap_or("none");
            format!("issuer {issuer:?}, subject {subject:?}, user_claim {value:?}")
        }
    };
    writeln!(out, "# token: {what}")?;
    let rule = match &config.gateway.account {
        AccountPolicy::Rule(rule) => rule,
        AccountPolicy::Bound(_) if caller.person().is_none() => &AccountRule::Claim,
        _ => return bound(out, config, &caller).await,
    };
    match rule.user(&caller) {
        Ok(user) => {
            let (user_id, why) = (user.user_id(), why(&user, &caller, rule));
            Ok(writeln!(out, "# token: the account is {user_id:?} ({why})")?)
        }
        Err(Error::RefusedToken(error)) => Err(refused(&error)),
        Err(error) => Err(Failure::new(error)),
    }
}

fn read() -> Result<BearerToken, Failure> {
    let unread = "--token-stdin: cannot read the token from standard input";
    let text = files::read_text_from(io::stdin().lock(), LIMIT)
        .map_err(|error| Failure::new(format_args!("{unread}: {error}")))?;
    let other = "--token-stdin: standard input is not a bearer token; pass only the access token, without the word \
                 Bearer";
    BearerToken::new(text.trim()).ok_or_else(|| Failure::new(other))
}

fn refused(error: &VerifyError) -> Failure {
    let cause = match error {
        VerifyError::Unavailable(cause) => format!(": {cause}"),
        _ => String::new(),
    };
    Failure::new(format_args!("--token-stdin: {error}{cause}"))
}

fn why(user: &User, caller: &Caller, rule: &AccountRule) -> String {
    let value = caller.name();
    let how = match (caller.person(), rule) {
        (None, _) => return "the setting account does not apply".to_owned(),
        (_, AccountRule::UserOidc { provider }) => {
            format!(": the SHA-256 of {:?}", format!("{provider}_0_{value}"))
        }
        (_, AccountRule::UserOidcName { identifier }) => match format!("{identifier}-{value}") {
            made if made == user.user_id() => String::new(),
            made => format!(": the SHA-256 of {made:?}, over 64 bytes"),
        },
        _ => ": user_claim unchanged".to_owned(),
    };
    format!("account = {rule}{how}")
}

/// The account that the person of `caller` is bound to.
async fn bound(out: &mut impl Write, config: &Config, caller: &Caller) -> Result<(), Failure> {
    let person = caller.person();
    let subject = person.and_then(|person| Some((&person.issuer, person.subject.as_ref()?)));
    let no_subject =
        "--token-stdin: the token has no subject (sub), which is needed with account = bound";
    let (issuer, subject) = subject.ok_or_else(|| Failure::new(no_subject))?;
    let mut binding = None;
    if open::must_exist(&config.vault.database, open::NAMED_BY).is_ok() {
        let vault = open::vault_as_it_is(&config.vault).await?;
        binding = vault.binding(issuer, subject).await?;
    }
    let Some(binding) = binding else {
        return Ok(writeln!(
            out,
            "# token: no account is bound to this person, who gets 428; bind one with `portreeve accounts bind \
             --issuer ISSUER --subject SUBJECT --user USER`"
        )?);
    };
    let by = match binding.bound_by {
        BoundBy::LoginFlow => "a login flow",
        _ => "the operator",
    };
    let (user_id, since) = (&binding.user_id, binding.bound_at);
    let since = humantime::format_rfc3339_seconds(since);
    let how = format_args!("account = bound: by {by}, {since}");
    Ok(writeln!(out, "# token: the account is {user_id:?} ({how})")?)
}
