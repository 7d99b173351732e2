//! `portreeve credentials`: the vault from a shell. A running gateway sees each change immediately.

use clap::{ArgMatches, Command};
use portreeve::audit::{Action, Attempt};
use portreeve::gateway::BearerLogins;
use portreeve::groupware::{GroupwareError, LoginEvidence};
use portreeve::vault::{AppPassword, Metadata};

use super::commands::{CHANGES, Row, VAULT, option, switch, text, user_option};
use super::output::{Records, count, list_command, print, say, time};
use super::{Failure, audit, block_on, open, password};
use crate::causes::with_causes;
use crate::config::setting::{GROUPWARE_BEARER, Group};
use crate::config::{GroupwareConfig, Sources, VaultConfig};

const UNCHECKED: &str = "unchecked";

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(put_command, &[Group::Vault, Group::Server, Group::Audit], put),
    Row::WithSettings(|| list_command("List the users with a stored app password"), VAULT, list),
    Row::WithSettings(remove_command, CHANGES, remove),
    Row::WithSettings(rotate_keys_command, CHANGES, rotate_keys),
];

pub(super) fn command() -> Command {
    Command::new("credentials")
        .about("Store, list and remove app passwords, and rotate the keys that encrypt them")
}

fn put_command() -> Command {
    let login_name = option(
        "login-name",
        "NAME",
        "The login name that the app password was created with, if it is not the account id, such as \
         an e-mail address",
    );
    let unchecked = switch(
        UNCHECKED,
        "Store it without checking it at Nextcloud, even if groupware_url is set",
    );
    Command::new("put")
        .about("Store an app password, typed or read from standard input; it replaces the user's previous one")
        .after_help(
            "If groupware_url is set, the password is first checked at Nextcloud; unless \
             it belongs to the user's account, nothing is stored.",
        )
        .arg(user_option())
        .arg(login_name)
        .arg(unchecked)
}

fn put(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = VaultConfig::read(sources)?;
    let mut groupware = None;
    if !matches.get_flag(UNCHECKED) {
        groupware = GroupwareConfig::read(sources)?;
    }
    audited_for_user(matches, sources, Action::StoreCredential, async |user, attempt| {
        let login_name = matches.get_one::<String>("login-name");
        let login_name = login_name.map_or(user, String::as_str);
        let password = password::read(user).await?;
        // Before the vault is opened, so that a refusal creates no database.
        if let Some(groupware) = &groupware {
            check(groupware, user, login_name, &password, attempt).await?;
        }
        let is_new = config.database.file().is_some_and(open::is_missing);
        let vault = open::vault(&config).await?;
        vault.put(user, login_name, &password).await?;
        if let Some(groupware) = groupware.filter(|it| it.bearer != BearerLogins::Off) {
            vault.put_bearer_server(&groupware.url.to_string()).await?;
        }
        // A gateway with another data directory does not see it.
        let database = match config.database.file() {
            Some(path) => std::path::absolute(path)?.display().to_string(),
            None => config.database.to_string(),
        };
        let new = if is_new { ", a new database" } else { "" };
        say(format_args!("stored the app password of {user} in {database}{new}"));
        Ok(())
    })
}

/// Asks the groupware server whether this password is that of `user`, like docs/API.md, section 5.1.
async fn check(
    config: &GroupwareConfig,
    user: &str,
    login_name: &str,
    password: &AppPassword,
    attempt: &Attempt,
) -> Result<(), Failure> {
    let reply = open::access(config, config.bearer, user, login_name, password)?.user().await;
    if reply.login == LoginEvidence::Refused {
        let line = format_args!(
            "the groupware server does not accept this as an app password; nothing was stored; \
             create one in its settings under Security (if the server does not accept bearer tokens, \
             set {} = \"off\")",
            GROUPWARE_BEARER.key
        );
        return Err(audit::refused(attempt, line));
    }
    match reply.result {
        Ok(_) => Ok(()),
        Err(GroupwareError::OtherAccount) => {
            let line = "the app password belongs to an account other than";
            Err(audit::refused(attempt, format_args!("{line} {user}; nothing was stored")))
        }
        Err(error) => Err(Failure::new(format_args!(
            "{}; nothing was stored; --{UNCHECKED} stores it without this check",
            with_causes(&error)
        ))),
    }
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    block_on(async {
        let vault = open::vault_as_it_is(&config).await?;
        let columns = ["user", "login_name", "provisioned_at", "state"];
        let mut records = Records::new(matches, columns)?;
        let values = |record: &Metadata| {
            let state = record.suspended_at.map_or("active", |_| "suspended");
            [
                (*record.user_id).into(),
                (*record.login_name).into(),
                time(record.provisioned_at),
                state.into(),
            ]
        };
        records.add_all(vault.list(), values).await
    })
}

fn remove_command() -> Command {
    Command::new("remove").about("Remove a user's stored app password").arg(user_option())
}

fn remove(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    audited_for_user(matches, sources, Action::RemoveCredential, async |user, attempt| {
        if !open::vault_as_it_is(&config).await?.remove(user).await? {
            let line = format_args!("no app password of {user} is stored");
            return Err(audit::refused(attempt, line));
        }
        say(format_args!("removed the app password of {user}"));
        Ok(())
    })
}

fn rotate_keys_command() -> Command {
    Command::new("rotate-keys")
        .about("Let the first key encrypt from now on, and re-encrypt all records with it, even while gateways run")
        .after_help(
            "First put the new key before the old ones, in the key file or in \
             PORTREEVE_ENCRYPTION_KEYS, of all gateways. Remove the old keys once this command reports that no record \
             needs them. It can be interrupted at any time and run again.",
        )
}

fn rotate_keys(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    let work = async |attempt: &Attempt| {
        // Of which no key opens any, none is to seal either.
        let vault = open::vault(&config).await?;
        let records = vault.rotate_keys().await?;
        let targets = open::deliveries(&config).await?.rotate_keys().await?;
        let unopened = records.unopened + targets.unopened;
        if unopened == 0 {
            attempt.done();
        }
        let line = format!(
            "re-encrypted {} with the key {}; {} had it already; {unopened} could not be decrypted\n",
            count(records.resealed + targets.resealed, "record"),
            vault.sealing_key().await?,
            records.up_to_date + targets.up_to_date,
        );
        print(line.as_bytes())?;
        if unopened == 0 {
            return Ok(());
        }
        Err(Failure::new(format_args!(
            "{} cannot be decrypted with any of the keys: add the missing key, or have the users \
             provision again whom `portreeve credentials list` and `portreeve accounts list` name",
            count(unopened, "record")
        )))
    };
    audit::audited(sources, Action::RotateKeys, |attempt| block_on(work(attempt)))
}

fn audited_for_user(
    matches: &ArgMatches,
    sources: &Sources<'_>,
    action: Action,
    work: impl AsyncFnOnce(&str, &Attempt) -> Result<(), Failure>,
) -> Result<(), Failure> {
    audit::audited(sources, action, |attempt| match text(matches, "user") {
        "" => {
            Err(Failure::new("--user: is empty; set it to the account id at the groupware server"))
        }
        user => {
            attempt.found_user(user);
            block_on(work(user, attempt))
        }
    })
}
