//! `portreeve token`: static tokens. A running gateway follows each change.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, SystemTime};

use clap::{ArgAction, ArgMatches, Command};
use portreeve::audit::Action;
use portreeve::gateway::Endpoint;
use portreeve::gateway::forward::Scope;
use portreeve::identity::{TokensFile, TokensFileError};
use rustix::fs::{OFlags, fcntl_getfl, fstat};

use super::commands::{Row, argument, option, text, user_option};
use super::output::{Records, list_command, say, time};
use super::{Failure, audit};
use crate::config::setting::{self, Group, TOKENS_FILE};
use crate::config::{ConfigError, Sources};

const CHANGES: &[Group] = &[Group::Tokens, Group::Audit];

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(new_command, CHANGES, new),
    Row::WithSettings(|| list_command("List the tokens"), &[Group::Tokens], list),
    Row::WithSettings(revoke_command, CHANGES, revoke),
];

pub(super) fn command() -> Command {
    Command::new("token").about("Create, list and revoke static tokens")
}

fn tokens_file(sources: &Sources<'_>) -> Result<TokensFile, Failure> {
    let problem =
        "is not set; name the file for the digests of tokens, which is created if it is missing";
    let path =
        sources.get_opt(TOKENS_FILE)?.ok_or_else(|| ConfigError::of(TOKENS_FILE, problem))?;
    Ok(TokensFile::new(path))
}

fn new_command() -> Command {
    let scope = option("scope", "SCOPE", "A scope of the token; can be repeated");
    let help =
        "Time after which it expires, such as 90d or 12h; without it the token never expires";
    let end = option("expires", "DURATION", help).value_parser(lifetime).allow_hyphen_values(true);
    Command::new("new").about("Create a token and print it once; only its digest is stored").args([
        user_option(),
        scope.action(ArgAction::Append),
        end,
    ])
}

fn new(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let tokens = tokens_file(sources)?;
    let scopes = matches.get_many::<String>("scope").unwrap_or_default();
    let prefix = sources.get_or_empty(setting::FORWARD_SCOPE_PREFIX)?;
    let mut known = sources.get_or_empty(setting::REQUIRED_SCOPE)?;
    known.extend(Endpoint::scopes().chain(sources.get_opt(setting::ADMIN_SCOPE)?));
    for scope in scopes.clone() {
        let bare = scope.strip_prefix(&*prefix).unwrap_or(scope);
        if Scope::parse(bare).is_none() && !known.iter().any(|known| known == bare) {
            say(format_args!("portreeve: warning: the scope {scope} opens nothing here"));
        }
    }
    audit::audited(sources, Action::NewToken, |attempt| {
        let user = text(matches, "user");
        attempt.found_user(user);
        let lifetime = matches.get_one::<Duration>("expires");
        // It was checked that this time exists.
        let end = lifetime.map(|lifetime| SystemTime::now() + *lifetime);
        let made = tokens.new_token(user, scopes.map(String::as_str), end)?;
        let id = &made.record.id;
        attempt.found_token_id(id);
        attempt.done();
        let end = made.record.expires_at.map(humantime::format_rfc3339_seconds);
        let until = end.map(|end| format!(", valid until {end}"));
        write(made.token.expose()).map_err(|error| {
            Failure::new(format_args!(
                "the token {id} cannot be written to standard output: {error}; `portreeve token revoke {id}` removes \
                 it"
            ))
        })?;
        let rest = match io::stdout().is_terminal() {
            true => "; it is shown only once",
            false => ", and wrote it to standard output; it is not stored anywhere else",
        };
        say(format_args!("created token {id} of {user}{}{rest}", until.unwrap_or_default()));
        Ok(())
    })
}

/// Writes the one line that nobody can get again.
fn write(token: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    // If it was closed at the start, Rust has opened /dev/null for both reading and writing, which a shell does not.
    let is_device = fstat(&out)?.st_rdev != 0 && !out.is_terminal();
    if is_device && fcntl_getfl(&out)?.contains(OFlags::RDWR) {
        return Err(io::Error::other("it is closed"));
    }
    writeln!(out, "{token}")
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let listed = tokens_file(sources)?.list()?;
    let columns = ["id", "user", "created_at", "scopes", "expires_at", "state"];
    let mut records = Records::new(matches, columns)?;
    for record in listed {
        let scopes = (!record.scopes.is_empty()).then(|| record.scopes.join(" "));
        let has_expired = record.expires_at.is_some_and(|end| end <= SystemTime::now());
        let state = if has_expired { "expired" } else { "active" };
        records.add([
            String::from(record.id).into(),
            String::from(record.user_id).into(),
            time(record.created),
            scopes.into(),
            record.expires_at.map(time).into(),
            state.into(),
        ])?;
    }
    records.end()
}

fn revoke_command() -> Command {
    let id = argument("id", "ID", "The token's id, as shown by `token list`");
    Command::new("revoke").about("Revoke a token").arg(id)
}

fn revoke(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let tokens = tokens_file(sources)?;
    let id = text(matches, "id");
    audit::audited(sources, Action::RevokeToken, |attempt| {
        attempt.found_token_id(id);
        let revoked = tokens.revoke(id).map_err(|error| match error {
            TokensFileError::NoSuchToken { .. } => audit::refused(attempt, error),
            error => error.into(),
        })?;
        attempt.found_user(&revoked.user_id);
        say(format_args!("revoked token {id} of {}", revoked.user_id));
        Ok(())
    })
}

/// Parses the lifetime of a token: from a second to a hundred years.
fn lifetime(text: &str) -> Result<Duration, String> {
    let longest = Duration::from_secs(100 * 365 * 86_400);
    let time = humantime::parse_duration(text).ok();
    let expected =
        "must be a duration from one second to a hundred years with its unit, such as 90d or 12h";
    let fits = |time: &Duration| (Duration::from_secs(1)..=longest).contains(time);
    time.filter(fits).ok_or_else(|| expected.into())
}
