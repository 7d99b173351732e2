//! `portreeve credentials`: the vault from a shell. A running gateway sees each change immediately.

use clap::{ArgMatches, Command};
use portreeve::audit::{Action, Attempt};
use portreeve::gateway::BearerLogins;
use portreeve::groupware::{Account, GroupwareError, LoginEvidence};
use portreeve::vault::{AppPassword, Metadata};

use super::commands::{Row, option, switch, text, user_option};
use super::output::{Records, json_switch, print, say, time};
use super::{Failure, audit, block_on, open, password};
use crate::causes::with_causes;
use crate::config::setting::{GROUPWARE_BEARER, Group};
use crate::config::{GroupwareConfig, Sources, VaultConfig};

/// The argument that skips the check of a password.
const UNCHECKED: &str = "unchecked";

/// The settings of the commands that change what is stored.
const CHANGES: &[Group] = &[Group::Vault, Group::Audit];

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(
        put_command,
        &[Group::Vault, Group::Server, Group::Audit],
        put,
    ),
    Row::WithSettings(list_command, &[Group::Vault], list),
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
    let groupware = match matches.get_flag(UNCHECKED) {
        true => None,
        false => GroupwareConfig::read(sources)?,
    };
    audit::audited(sources, Action::StoreCredential, |attempt| {
        block_on(store(&config, groupware.as_ref(), matches, attempt))
    })
}

async fn store(
    config: &VaultConfig,
    groupware: Option<&GroupwareConfig>,
    matches: &ArgMatches,
    attempt: &Attempt,
) -> Result<(), Failure> {
    let user = user(matches)?;
    attempt.found_user(user);
    let login_name = matches
        .get_one::<String>("login-name")
        .map_or(user, String::as_str);
    let password = password::read(user).await?;
    // Before the vault is opened, so that a refusal creates no database.
    let mut bearer_server = None;
    if let Some(groupware) = groupware {
        check(groupware, user, login_name, &password, attempt).await?;
        bearer_server = (groupware.bearer != BearerLogins::Off).then(|| groupware.url.to_string());
    }
    let is_new = config.database.file().is_some_and(open::is_missing);
    let vault = open::vault(config).await?;
    vault.put(user, login_name, &password).await?;
    if let Some(server) = bearer_server {
        vault.put_bearer_server(&server).await?;
    }
    // A gateway with another data directory does not see it.
    let database = match config.database.file() {
        Some(path) => std::path::absolute(path)?.display().to_string(),
        None => config.database.to_string(),
    };
    say(format_args!(
        "stored the app password of {user} in {database}{}",
        if is_new { ", a new database" } else { "" },
    ));
    Ok(())
}

/// Asks the groupware server whether this password belongs to `user`, like the route that stores a password
/// (docs/API.md, section 5.1).
async fn check(
    config: &GroupwareConfig,
    user: &str,
    login_name: &str,
    password: &AppPassword,
    attempt: &Attempt,
) -> Result<(), Failure> {
    // As a bearer token, since the server does not count wrong ones. Then the first use tries the login
    // name.
    let account = match config.bearer {
        BearerLogins::Off => Account::new(user, login_name, password.expose()),
        _ => Account::bearer(user, password.expose()),
    }?;
    let reply = open::groupware(config, None)?.access(account).user().await;
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
        Err(GroupwareError::OtherAccount) => Err(audit::refused(
            attempt,
            format_args!(
                "the app password belongs to an account other than {user}; nothing was stored"
            ),
        )),
        Err(error) => {
            let cause = with_causes(&error);
            Err(Failure::new(format_args!(
                "{cause}; nothing was stored; --{UNCHECKED} stores it without this check"
            )))
        }
    }
}

fn list_command() -> Command {
    let command = Command::new("list").about("List the users with a stored app password");
    command.arg(json_switch())
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    block_on(async {
        let vault = open::vault_as_it_is(&config).await?;
        let columns = ["user", "login_name", "provisioned_at", "state"];
        let mut records = Records::new(matches, columns)?;
        let values = |record: &Metadata| {
            let state = record.suspended_at().map_or("active", |_| "suspended");
            [
                record.user_id().into(),
                record.login_name().into(),
                time(record.provisioned_at()),
                state.into(),
            ]
        };
        records.add_all(vault.list(), values).await
    })
}

fn remove_command() -> Command {
    let command = Command::new("remove").about("Remove a user's stored app password");
    command.arg(user_option())
}

fn remove(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    audit::audited(sources, Action::RemoveCredential, |attempt| {
        let user = user(matches)?;
        attempt.found_user(user);
        let removed = block_on(async {
            let vault = open::vault_as_it_is(&config).await?;
            Ok(vault.remove(user).await?)
        });
        if !removed? {
            let line = format_args!("no app password of {user} is stored");
            return Err(audit::refused(attempt, line));
        }
        say(format_args!("removed the app password of {user}"));
        Ok(())
    })
}

fn rotate_keys_command() -> Command {
    Command::new("rotate-keys")
        .about("Re-encrypt all stored app passwords with the first key, even while a gateway is running")
        .after_help(
            "First put the new key before the old ones, in the key file or in \
             PORTREEVE_ENCRYPTION_KEYS. Remove the old keys once this command reports that no record \
             needs them. It can be interrupted at any time and run again.",
        )
}

fn rotate_keys(_: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    audit::audited(sources, Action::RotateKeys, |attempt| {
        block_on(reseal(&config, attempt))
    })
}

async fn reseal(config: &VaultConfig, attempt: &Attempt) -> Result<(), Failure> {
    let vault = open::vault_as_it_is(config).await?;
    let mut report = vault.rotate_keys().await?;
    let targets = open::deliveries(config).await?.rotate_keys().await?;
    report.resealed += targets.resealed;
    report.up_to_date += targets.up_to_date;
    report.unopened += targets.unopened;
    if report.unopened == 0 {
        attempt.done();
    }
    let line = format!(
        "re-encrypted {} records with the first key; {} were already; {} could not be decrypted\n",
        report.resealed, report.up_to_date, report.unopened
    );
    print(line.as_bytes())?;
    match report.unopened {
        0 => Ok(()),
        unopened => Err(Failure::new(format_args!(
            "{unopened} records cannot be decrypted with any of the keys, and were left unchanged; \
             add the key that they were encrypted with, or have these users provision again \
             (`portreeve credentials list` and `portreeve accounts list` name them)"
        ))),
    }
}

fn user(matches: &ArgMatches) -> Result<&str, Failure> {
    let user = text(matches, "user");
    match user.is_empty() {
        true => Err(Failure::new(
            "--user: is empty; set it to the account id at the groupware server",
        )),
        false => Ok(user),
    }
}
