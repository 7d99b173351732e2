//! `portreeve accounts`: binds persons at the identity provider to accounts. A running gateway sees each change
//! immediately.

use std::io::{self, BufWriter, Write};

use clap::{Arg, ArgMatches, Command};
use futures_util::StreamExt;
use portreeve::audit::{Action, Attempt};
use portreeve::vault::{BindOutcome, BoundBy, VaultError};

use super::commands::{self, Row, with_commands};
use super::output::{is_closed, say};
use super::{Failure, audit, block_on, open, sources};
use crate::config::setting::{self, ACCOUNT, Group, ISSUER};
use crate::config::{ConfigError, Sources, VaultConfig, with_settings};

/// The settings of the commands that change a binding.
const CHANGES: &[Group] = &[Group::Person, Group::Vault, Group::Audit];

const COMMANDS: &[Row] = &[
    (bind_command, bind),
    (list_command, list),
    (unbind_command, unbind),
];

pub(super) fn command() -> Command {
    let command = Command::new("accounts")
        .about("Bind people at the identity provider to accounts, list the bindings, and remove them; used with account = bound")
        .after_help(
            "`portreeve check-config --online --token-stdin` shows the issuer and subject of a token.",
        );
    with_commands(command, COMMANDS)
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    commands::run(COMMANDS, matches)
}

fn subject_argument() -> Arg {
    Arg::new("subject")
        .long("subject")
        .value_name("SUBJECT")
        .help("The person: exactly the `sub` of their tokens")
}

fn user_argument() -> Arg {
    Arg::new("user")
        .long("user")
        .value_name("USER")
        .help("The account id at the groupware server")
}

fn bind_command() -> Command {
    let command = Command::new("bind")
        .about("Bind a person, identified by issuer and subject, to an account")
        .after_help(
            "A person has at most one account, and an account at most one person: to change a \
             binding, unbind first. Without --issuer, the configured issuer is used.",
        )
        .arg(subject_argument().required(true))
        .arg(user_argument().required(true));
    with_settings(command, setting::of(CHANGES))
}

fn bind(matches: &ArgMatches) -> Result<(), Failure> {
    let sources = sources(matches)?;
    let config = VaultConfig::read(&sources)?;
    let issuer = issuer(&sources)?;
    let subject = text(matches, "subject").expect("clap asks for it");
    let user = text(matches, "user").expect("clap asks for it");
    audit::audited(&sources, Action::Bind, |attempt| {
        attempt.found_user(user);
        attempt.found_person(&issuer, subject);
        block_on(bind_person(&config, attempt, (&issuer, subject), user))
    })
}

async fn bind_person(
    config: &VaultConfig,
    attempt: &Attempt,
    (issuer, subject): (&str, &str),
    user: &str,
) -> Result<(), Failure> {
    let vault = open::vault(config).await?;
    let outcome = vault.bind(issuer, subject, user).await;
    let done = match outcome.map_err(Failure::new)? {
        BindOutcome::Bound => "bound",
        BindOutcome::AlreadyBound => "already bound:",
        BindOutcome::PersonTaken => {
            let bound = vault.binding(issuer, subject).await.map_err(Failure::new)?;
            let other = bound.map_or_else(String::new, |it| shown(it.user_id()));
            let taken = Failure::new(format_args!(
                "--subject: {} of {} is already bound to the account {other}; unbind it first",
                shown(subject),
                shown(issuer)
            ));
            return Err(audit::refused(attempt, taken));
        }
        _ => {
            let taken = Failure::new(format_args!(
                "--user: {} is already bound to another person (see `portreeve accounts list`); \
                 unbind it first",
                shown(user)
            ));
            return Err(audit::refused(attempt, taken));
        }
    };
    say(format_args!(
        "{done} {} of {} to the account {}; this takes effect with account = bound ({})",
        shown(subject),
        shown(issuer),
        shown(user),
        ACCOUNT.env
    ));
    Ok(())
}

fn unbind_command() -> Command {
    let command = Command::new("unbind")
        .about("Remove a binding: from their next request on, the person has no account")
        .after_help(
            "The stored app password of the account stays; `portreeve credentials remove` removes it.",
        )
        .arg(
            user_argument()
                .required_unless_present("subject")
                .conflicts_with("subject"),
        )
        .arg(subject_argument());
    with_settings(command, setting::of(CHANGES))
}

fn unbind(matches: &ArgMatches) -> Result<(), Failure> {
    let sources = sources(matches)?;
    let config = open::existing(&sources)?;
    let (user, subject) = (text(matches, "user"), text(matches, "subject"));
    let issuer = subject.map(|_| issuer(&sources)).transpose()?;
    audit::audited(&sources, Action::Unbind, |attempt| {
        let (who, ended) = match (subject, &issuer) {
            (Some(subject), Some(issuer)) => {
                attempt.found_person(issuer, subject);
                let ended = block_on(async {
                    let vault = open::vault_as_it_is(&config).await?;
                    vault.unbind(issuer, subject).await.map_err(Failure::new)
                });
                (format!("{} of {}", shown(subject), shown(issuer)), ended?)
            }
            _ => {
                let user = user.expect("clap asks for one of the two");
                attempt.found_user(user);
                let ended = block_on(async {
                    let vault = open::vault_as_it_is(&config).await?;
                    vault.unbind_user(user).await.map_err(Failure::new)
                });
                (format!("the account {}", shown(user)), ended?)
            }
        };
        if !ended {
            let none = Failure::new(format_args!("{who} is not bound"));
            return Err(audit::refused(attempt, none));
        }
        say(format_args!("unbound {who}"));
        Ok(())
    })
}

fn list_command() -> Command {
    let command = Command::new("list").about(
        "List the bindings, one per line: account, issuer, subject, time of binding, bound by",
    );
    with_settings(command, setting::of(&[Group::Vault]))
}

fn list(matches: &ArgMatches) -> Result<(), Failure> {
    let config = open::existing(&sources(matches)?)?;
    block_on(print_list(&config))
}

async fn print_list(config: &VaultConfig) -> Result<(), Failure> {
    let vault = open::vault_as_it_is(config).await?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut unopened = 0;
    let mut bindings = std::pin::pin!(vault.bindings());
    while let Some(listed) = bindings.next().await {
        let written = match listed {
            Ok(bound) => writeln!(
                out,
                "{}\t{}\t{}\t{}\t{}",
                shown(bound.user_id()),
                shown(bound.issuer()),
                shown(bound.subject()),
                humantime::format_rfc3339_seconds(bound.bound_at()),
                match bound.bound_by() {
                    BoundBy::LoginFlow => "login-flow",
                    _ => "operator",
                },
            ),
            Err(error @ VaultError::UnopenedBinding { .. }) => {
                unopened += 1;
                say(format_args!("portreeve: {error}"));
                Ok(())
            }
            Err(error) => return Err(Failure::new(error)),
        };
        if is_closed(written)? {
            return Ok(());
        }
    }
    is_closed(out.flush())?;
    match unopened {
        0 => Ok(()),
        _ => Err(Failure::new(format_args!(
            "{unopened} bindings cannot be decrypted; see the lines above"
        ))),
    }
}

/// The issuer of the command line, or otherwise the configured one.
fn issuer(sources: &Sources<'_>) -> Result<String, Failure> {
    match sources.find_value(ISSUER)? {
        Some(issuer) => Ok(issuer),
        None => Err(ConfigError::of(
            ISSUER,
            "is not set; set it to the issuer of the person's tokens, exactly as in `iss`",
        )
        .into()),
    }
}

fn text<'a>(matches: &'a ArgMatches, name: &str) -> Option<&'a str> {
    matches.get_one::<String>(name).map(String::as_str)
}

/// `text` as part of a line: a subject may contain any characters.
pub(super) fn shown(text: &str) -> String {
    let escape = |c: char| match c.is_control() {
        true => c.escape_default().collect(),
        false => String::from(c),
    };
    text.chars().map(escape).collect()
}
