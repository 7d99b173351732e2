//! `portreeve vault`: the store as a whole.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use portreeve::deliveries::queue;
use portreeve::vault::{self, SqliteStore};

use super::commands::{Row, option, text};
use super::output::{print, say};
use super::{Failure, block_on, open};
use crate::config::setting::{Group, TOKENS_FILE};
use crate::config::{self, ConfigError, Database, Keys, Sources};
use crate::files;

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(backup_command, &[Group::Vault, Group::Tokens], back_up),
    Row::WithSettings(copy_command, &[Group::Postgres], copy),
];

/// Bytes of the largest key or tokens file, which have lower limits of their own.
const MAX_FILE_LEN: u64 = 16 << 20;

pub(super) fn command() -> Command {
    Command::new("vault").about("Back up the stored credentials, or copy them to another database")
}

fn backup_command() -> Command {
    Command::new("backup")
        .about("Write a consistent copy of the database to a new file, even while a gateway is running")
        .after_help(
            "With the database and the keys, anybody can read every password: keep them in two places. \
             PostgreSQL has pg_dump for this (docs/OPERATIONS.md, \"Backup\").",
        )
        .arg(new_file("file", "The new file").required(true))
        .arg(new_file("keys", "Also copy the key file to this new file").long("keys"))
        .arg(new_file("tokens", "Also copy the tokens file to this new file").long("tokens"))
}

fn new_file(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .value_name("FILE")
        .help(help)
        .value_parser(value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
}

fn back_up(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let config = open::existing(sources)?;
    let Some(database) = config.database.file() else {
        return Err(Failure::usage(format_args!(
            "{}: back up a PostgreSQL database with `pg_dump --schema=portreeve`",
            config.database
        )));
    };
    let file = |name| matches.get_one::<PathBuf>(name).map(PathBuf::as_path);
    let mut copies = Vec::new();
    if let Some(to) = file("keys") {
        match &config.keys {
            Keys::File(path) => copies.push((path.clone(), to)),
            Keys::Given(_) => {
                return Err(Failure::usage(
                    "--keys: the keys are in a variable, and not in a file",
                ));
            }
        }
    }
    if let Some(to) = file("tokens") {
        let path = sources.get_opt(TOKENS_FILE)?;
        let path = path.ok_or_else(|| ConfigError::of(TOKENS_FILE, "is not set"))?;
        copies.push((path, to));
    }
    let target = file("file").expect("clap asks for it");
    // So that it does all or nothing.
    let targets = copies.iter().map(|(_, to)| *to).chain([target]);
    if let Some(other) = targets.into_iter().find(|to| to.symlink_metadata().is_ok()) {
        return Err(exists(other));
    }
    SqliteStore::back_up_blocking(database, target)?;
    for (from, to) in copies {
        let copied = files::read(&from, MAX_FILE_LEN)
            .and_then(|content| files::create_whole(to, &content.bytes));
        match copied {
            Ok(true) => {}
            Ok(false) => return Err(exists(to)),
            Err(error) => {
                let (from, to) = (from.display(), to.display());
                return Err(Failure::new(format_args!(
                    "cannot copy {from} to {to}: {error}"
                )));
            }
        }
    }
    say(format_args!("wrote {}", target.display()));
    Ok(())
}

fn exists(path: &Path) -> Failure {
    Failure::new(format_args!(
        "{} already exists; name a new file",
        path.display()
    ))
}

fn copy_command() -> Command {
    Command::new("copy")
        .about("Copy all records from one database to another, still encrypted, and compare the two")
        .after_help(
            "URLs are as for database_url: sqlite:/path or postgres://user@host/database. Stop the \
             gateways first; afterwards start them with the other database_url and the same keys. A \
             database with other records is refused; an interrupted copy can be continued by running \
             it again.",
        )
        .arg(option("from", "URL", "The database to copy from").required(true))
        .arg(
            option("to", "URL", "The database to copy to; a missing file is created")
                .required(true),
        )
}

fn copy(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let from = database(sources, matches, "from")?;
    let to = database(sources, matches, "to")?;
    open::must_exist(&from, "--from")?;
    if let (Some(from), Some(to)) = (from.file(), to.file())
        && let (Ok(from), Ok(to)) = (from.canonicalize(), to.canonicalize())
        && from == to
    {
        return Err(Failure::usage("--from and --to are the same file"));
    }
    block_on(async {
        let (from, from_queue) =
            open::store_and_queue(&from, |problem| named("from", problem)).await?;
        let (to, to_queue) = open::store_and_queue(&to, |problem| named("to", problem)).await?;
        let copied = vault::copy(from.as_ref(), to.as_ref()).await?;
        let line = format!(
            "the copy has all {} credentials, {} bindings, {} login flows and {} refused logins of \
             the source; {} of them were already there\n",
            copied.credentials,
            copied.bindings,
            copied.login_flows,
            copied.refused_logins,
            copied.already_there
        );
        print(line.as_bytes())?;
        match queue::copy(&from_queue, &to_queue).await? {
            0 => Ok(()),
            receipts => print(
                format!("the copy has {receipts} events of deliveries, too, and their targets\n")
                    .as_bytes(),
            ),
        }
    })
}

/// The database named by an argument.
fn database(
    sources: &Sources<'_>,
    matches: &ArgMatches,
    name: &'static str,
) -> Result<Database, Failure> {
    let database = config::database(text(matches, name))
        .map_err(|problem| Failure::usage(format_args!("--{name}: {problem}")))?;
    Ok(database.with_settings(sources)?)
}

/// An error of a database, as opposed to the command line that names it.
fn named(argument: &str, problem: String) -> ConfigError {
    ConfigError::named(format!("--{argument}"), problem)
}
