//! `portreeve accounts`: binds persons at the identity provider to accounts. A running gateway sees it at once.

use clap::{Arg, ArgMatches, Command};
use portreeve::audit::Action;
use portreeve::vault::{BindOutcome, Binding, BoundBy};

use super::commands::{Row, option, text, user_option};
use super::output::{Records, list_command, say, time};
use super::terminal::escape;
use super::{Failure, audit, block_on, open};
use crate::config::setting::{ACCOUNT, Group, ISSUER};
use crate::config::{ConfigError, Sources, VaultConfig};

const CHANGES: &[Group] = &[Group::Person, Group::Vault, Group::Audit];

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(bind_command, CHANGES, bind),
    Row::WithSettings(|| list_command("List the bindings"), &[Group::Vault], list),
    Row::WithSettings(unbind_command, CHANGES, unbind),
];

pub(super) fn command() -> Command {
    Command::new("accounts")
        .about("Bind people at the identity provider to accounts, list the bindings, and remove them; used with account = bound")
        .after_help(
            "`portreeve check-config --online --token-stdin` shows the issuer and subject of a token.",
        )
}

fn subject_option() -> Arg {
    let help = "The person: exactly the `sub` of their tokens";
    option("subject", "SUBJECT", help)
}

fn bind_command() -> Command {
    Command::new("bind")
        .about("Bind a person, identified by issuer and subject, to an account")
        .after_help(
            "A person has at most one account, and an account at most one person: to change a \
             binding, unbind first. Without --issuer, the configured issuer is used.",
        )
        .arg(subject_option().required(true))
        .arg(user_option())
}

fn bind(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = VaultConfig::read(sources)?;
    let issuer = issuer(sources)?;
    let (subject, user) = (text(matches, "subject"), text(matches, "user"));
    audit::audited(sources, Action::Bind, |attempt| {
        attempt.found_user(user);
        attempt.found_person(&issuer, subject);
        let (person, user_shown) = (person(&issuer, subject), escape(user));
        block_on(async {
            let vault = open::vault(&config).await?;
            let done = match vault.bind(&issuer, subject, user).await? {
                BindOutcome::Bound => "bound",
                BindOutcome::AlreadyBound => "already bound:",
                BindOutcome::PersonTaken => {
                    let bound = vault.binding(&issuer, subject).await?;
                    let other = bound.map_or_else(String::new, |it| it.user_id.to_string());
                    let line = format_args!(
                        "--subject: {person} is already bound to the account {other}; unbind it first"
                    );
                    return Err(audit::refused(attempt, line));
                }
                _ => {
                    let line = format_args!(
                        "--user: {user_shown} is already bound to another person (see `portreeve accounts list`); \
                         unbind it first"
                    );
                    return Err(audit::refused(attempt, line));
                }
            };
            say(format_args!(
                "{done} {person} to the account {user_shown}; this takes effect with account = bound ({})",
                ACCOUNT.env
            ));
            Ok(())
        })
    })
}

pub(super) fn person(issuer: &str, subject: &str) -> String {
    format!("{} of {}", escape(subject), escape(issuer))
}

fn unbind_command() -> Command {
    Command::new("unbind")
        .about("Remove a binding: from their next request on, the person has no account")
        .after_help(
            "The stored app password of the account stays; `portreeve credentials remove` removes it.",
        )
        .arg(
            user_option()
                .required(false)
                .required_unless_present("subject")
                .conflicts_with("subject"),
        )
        .arg(subject_option())
}

fn unbind(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    let subject = matches.get_one::<String>("subject");
    let subject = subject.map(|it| issuer(sources).map(|issuer| (issuer, it))).transpose()?;
    audit::audited(sources, Action::Unbind, |attempt| {
        let (who, ended) = block_on(async {
            let vault = open::vault_as_it_is(&config);
            Ok(match &subject {
                Some((issuer, subject)) => {
                    attempt.found_person(issuer, subject);
                    let ended = vault.await?.unbind(issuer, subject).await?;
                    (person(issuer, subject), ended)
                }
                None => {
                    let user = text(matches, "user");
                    attempt.found_user(user);
                    let ended = vault.await?.unbind_user(user).await?;
                    (format!("the account {}", escape(user)), ended)
                }
            })
        })?;
        if !ended {
            return Err(audit::refused(attempt, format_args!("{who} is not bound")));
        }
        say(format_args!("unbound {who}"));
        Ok(())
    })
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    block_on(async {
        let vault = open::vault_as_it_is(&config).await?;
        let columns = ["user", "issuer", "subject", "bound_at", "bound_by"];
        let mut records = Records::new(matches, columns)?;
        let values = |bound: &Binding| {
            let bound_by = match bound.bound_by {
                BoundBy::LoginFlow => "login-flow",
                _ => "operator",
            };
            [
                (*bound.user_id).into(),
                (*bound.issuer).into(),
                (*bound.subject).into(),
                time(bound.bound_at),
                bound_by.into(),
            ]
        };
        records.add_all(vault.bindings(), values).await
    })
}

/// The issuer of the command line, or otherwise the configured one.
fn issuer(sources: &Sources<'_>) -> Result<String, Failure> {
    let problem = "is not set; set it to the issuer of the person's tokens, exactly as in `iss`";
    Ok(sources.get_opt(ISSUER)?.ok_or_else(|| ConfigError::of(ISSUER, problem))?)
}
