//! `portreeve users`: what is kept of an account, and removing it when its user leaves.

use std::pin::pin;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, ArgMatches, Command};
use futures_util::TryStreamExt as _;
use portreeve::audit::Action;
use portreeve::gateway::BearerLogins;
use portreeve::groupware::LoginEvidence;
use portreeve::identity::TokensFile;
use portreeve::vault::Vault;

use super::accounts::person;
use super::commands::{Row, argument, switch, text};
use super::output::{print, say};
use super::{Failure, audit, block_on, open};
use crate::causes::with_causes;
use crate::config::setting::{Group, TOKENS_FILE};
use crate::config::{GroupwareConfig, Sources};

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(show_command, &[Group::Vault, Group::Tokens], show),
    Row::WithSettings(
        remove_command,
        &[Group::Vault, Group::Tokens, Group::Server, Group::Audit],
        remove,
    ),
];

/// What the gateway cannot do.
const LEFT: &str = "left to do: disable the account at the identity provider, whose tokens are accepted as long as it issues \
    them, and at Nextcloud";

pub(super) fn command() -> Command {
    Command::new("users")
        .about("Show what is kept of an account, and remove it when its user leaves")
}

fn account() -> Arg {
    // The empty text is that of no account, and of all of them.
    argument("who", "ACCOUNT", "The account id in Nextcloud")
        .value_parser(NonEmptyStringValueParser::new())
}

fn show_command() -> Command {
    let about = "Show what is kept of an account: app password, binding, tokens, targets, events";
    Command::new("show").about(about).arg(account())
}

fn show(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let user = text(matches, "who");
    let config = open::existing(sources)?;
    let tokens = tokens_of(sources, user)?;
    block_on(async {
        let vault = open::vault_as_it_is(&config).await?;
        let deliveries = open::deliveries(&config).await?;
        let state = match vault.metadata(user).await? {
            Some(stored) if stored.suspended_at.is_some() => "suspended",
            Some(_) => "active",
            None => "none",
        };
        let mut lines = format!("app_password\t{state}\n");
        let mut bindings = pin!(vault.bindings());
        while let Some(bound) = bindings.try_next().await? {
            if *bound.user_id == *user {
                lines += &format!("binding\t{}\n", person(&bound.issuer, &bound.subject));
            }
        }
        for (_, id) in &tokens {
            lines += &format!("token\t{id}\n");
        }
        let found = deliveries.queue().of_account(user).await?;
        lines += &format!("targets\t{}\nevents\t{}\n", found.targets, found.events);
        for id in found.for_others {
            lines += &format!("target_for_others\t{id}\n");
        }
        print(lines.as_bytes())
    })
}

fn remove_command() -> Command {
    Command::new("remove")
        .about("Remove what is kept of an account; a running gateway sees it immediately")
        .after_help(
            "What cannot be removed is named, and the rest is removed all the same: run it again. Targets for others that the \
             user made as an administrator are suspended, until another one adopts them.",
        )
        .arg(account())
        .arg(switch("revoke", "Destroy the app password at Nextcloud, too"))
}

fn remove(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let user = text(matches, "who");
    let config = open::existing(sources)?;
    let groupware = if matches.get_flag("revoke") {
        let unset = || Failure::new("--revoke: groupware_url is not set");
        Some(GroupwareConfig::read(sources)?.ok_or_else(unset)?)
    } else {
        None
    };
    audit::audited(sources, Action::RemoveUser, |attempt| {
        attempt.found_user(user);
        let mut done = Vec::new();
        let mut failed = Vec::new();
        let mut note = |what: &str, result: Result<String, Failure>| match result {
            Ok(there_was) => done.push(format!("{what}: {there_was}")),
            Err(failure) => failed.push(format!("{what}: {}", failure.line)),
        };
        block_on(async {
            let vault = open::vault_as_it_is(&config).await?;
            note("app password", forget(&vault, user, groupware.as_ref()).await);
            let person = vault.remove_person(user).await.map(|(flows, bound)| {
                let was = if bound { "bound, removed" } else { "none" };
                format!("{was}; {flows} login flows ended")
            });
            note("binding", person.map_err(Into::into));
            note("tokens", revoke_tokens(sources, user));
            let deliveries = open::deliveries(&config).await?.auditor(audit::auditor(sources)?);
            let removed = deliveries.remove_account(user).await.map(|it| {
                let removed = format!("{} targets and {} events removed", it.targets, it.events);
                it.left().fold(removed, |text, left| format!("{text}; {left}"))
            });
            note("deliveries", removed.map_err(Into::into));
            Ok::<_, Failure>(())
        })?;
        done.iter().for_each(say);
        say(LEFT);
        if failed.is_empty() {
            return Ok(());
        }
        let failed = failed.join("; ");
        Err(Failure::new(format_args!("not all was removed: {failed}; run this again")))
    })
}

/// Removes the app password, after it was destroyed at the server if that is wanted.
async fn forget(
    vault: &Vault,
    user: &str,
    groupware: Option<&GroupwareConfig>,
) -> Result<String, Failure> {
    let Some(config) = groupware else {
        let was_there = vault.remove(user).await?;
        let removed = "removed; without --revoke it stays valid at Nextcloud";
        return Ok(if was_there { removed } else { "none" }.to_owned());
    };
    let Some(credential) = vault.credential(user).await? else {
        return Ok("none".to_owned());
    };
    let (name, password) = (&credential.login_name, &credential.password);
    let access = |bearer| open::access(config, bearer, user, name, password);
    let mut reply = access(config.bearer)?.delete_app_password().await;
    let is_believed = config.bearer == BearerLogins::Off
        || vault.is_bearer_server(&config.url.to_string()).await?;
    if reply.login == LoginEvidence::Refused && !is_believed {
        // The server may take no bearer tokens.
        reply = access(BearerLogins::Off)?.delete_app_password().await;
    }
    let was_refused = reply.login == LoginEvidence::Refused;
    if !was_refused {
        reply.result.map_err(|error| Failure::new(with_causes(&error)))?;
    }
    if !vault.remove_revision(user, credential.revision).await? {
        return Err(Failure::new("another one was stored meanwhile"));
    }
    let was = if was_refused { "refused by Nextcloud already, and" } else { "destroyed and" };
    Ok(format!("{was} removed"))
}

fn revoke_tokens(sources: &Sources<'_>, user: &str) -> Result<String, Failure> {
    let tokens = tokens_of(sources, user)?;
    for (file, id) in &tokens {
        file.revoke(id)?;
    }
    Ok(format!("{} static ones revoked", tokens.len()))
}

/// The static tokens of an account, and their file.
fn tokens_of(sources: &Sources<'_>, user: &str) -> Result<Vec<(TokensFile, String)>, Failure> {
    let Some(path) = sources.get_opt(TOKENS_FILE)? else {
        return Ok(Vec::new());
    };
    if open::is_missing(&path) {
        say(format_args!(
            "portreeve: the tokens file {} does not exist; a gateway that read it before accepts its tokens until it restarts",
            path.display()
        ));
        return Ok(Vec::new());
    }
    let file = TokensFile::new(path);
    let own = file.list()?.into_iter().filter(|token| *token.user_id == *user);
    Ok(own.map(|token| (file.clone(), token.id.to_string())).collect())
}
