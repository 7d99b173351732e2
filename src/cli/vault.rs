//! `portreeve vault`: the store as a whole.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use portreeve::vault::{self, SqliteStore};

use super::commands::{Row, option, text};
use super::output::{count, print, say};
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
            "Deliveries, if there are any, are copied to deliveries.db beside the new file. With the database and the \
             keys, anybody can read every password: keep them in two places. PostgreSQL has pg_dump for this (docs/OPERATIONS.md, \"Backup\").",
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
    // All is read before anything is written, and what is not there is no reason to have no backup.
    let (mut copies, mut notes) = (Vec::new(), Vec::new());
    if let Some(to) = file("keys") {
        match &config.keys {
            Keys::File(path) => copies.push((to, read(path)?)),
            Keys::Given(_) => notes
                .push("no keys are copied: they are in a variable, and not in a file".to_owned()),
        }
    }
    if let Some(to) = file("tokens") {
        match sources.get_opt(TOKENS_FILE)? {
            Some(path) if path.exists() => copies.push((to, read(&path)?)),
            Some(path) => notes
                .push(format!("no tokens are copied: {} has not been made yet", path.display())),
            None => notes.push("no tokens are copied: tokens_file is not set".to_owned()),
        }
    }
    let target = file("file").expect("clap asks for it");
    let deliveries = SqliteStore::deliveries_of(target);
    let has_deliveries = !open::is_missing(&SqliteStore::deliveries_of(database));
    let mut targets: Vec<_> = ["file", "keys", "tokens"]
        .into_iter()
        .filter_map(file)
        .chain(has_deliveries.then_some(&*deliveries))
        .collect();
    if let Some(there) = targets.iter().find(|to| to.symlink_metadata().is_ok()) {
        return Err(exists(there));
    }
    targets.sort_unstable();
    if targets.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Failure::usage("each copy needs a file of its own: two have the same name"));
    }
    SqliteStore::back_up_blocking(database, target)?;
    let mut made = vec![target];
    for (to, content) in &copies {
        let failure = match files::create_whole(to, &content.bytes) {
            Ok(true) => {
                made.push(to);
                continue;
            }
            Ok(false) => exists(to),
            Err(error) => Failure::cannot("write", to)(error),
        };
        // Half of a backup would be taken for one, and stand in the way of the next.
        made.iter().for_each(|path| drop(std::fs::remove_file(path)));
        return Err(failure);
    }
    // Last, and by themselves: whatever is wrong with them, the vault has its backup.
    let mut copied = Ok(());
    if has_deliveries {
        copied = SqliteStore::back_up_deliveries_blocking(database, target);
        made.extend(copied.is_ok().then_some(&*deliveries));
    }
    notes.extend(made.iter().map(|path| format!("wrote {}", path.display())));
    notes.iter().for_each(say);
    copied.map_err(|error| Failure::new(format_args!("no deliveries are copied: {error}")))
}

fn read(path: &Path) -> Result<files::Content, Failure> {
    files::read(path, MAX_FILE_LEN).map_err(Failure::cannot("read", path))
}

fn exists(path: &Path) -> Failure {
    let advice = "name a new file, in a directory without deliveries.db";
    Failure::new(format_args!("{} already exists; {advice}", path.display()))
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
        .args([
            option("from", "URL", "The database to copy from").required(true),
            option("to", "URL", "The database to copy to; a missing file is created").required(true),
        ])
}

fn copy(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let from = database(sources, matches, "from")?;
    let to = database(sources, matches, "to")?;
    open::must_exist(&from, "--from")?;
    let directory = |database: &Database| files::parent(database.file()?).canonicalize().ok();
    if directory(&from).is_some_and(|from| directory(&to) == Some(from)) {
        return Err(Failure::usage(
            "--from and --to would have the same deliveries.db: name a file in another directory",
        ));
    }
    block_on(async {
        let fault_of =
            |name: &'static str| move |problem| ConfigError::named(name.to_owned(), problem);
        let (from, all) = open::store_and_records(&from, fault_of("--from")).await?;
        let (_, to) = open::store_and_records(&to, fault_of("--to")).await?;
        if vault::is_unfinished_copy(from.as_ref()).await? {
            return Err(Failure::new(format_args!("--from: it {UNFINISHED}")));
        }
        let copied = vault::copy(&all, &to).await?;
        let rows = |table: &str| copied.rows.get(table).copied().unwrap_or_default();
        let mut lines = format!(
            "the copy has all of the source: {}, {}, {} and {}; {} of all rows were already there\n",
            count(rows("credential"), "credential"),
            count(rows("binding"), "binding"),
            count(rows("login_flow"), "login flow"),
            count(rows("refused_login"), "refused login"),
            copied.already_there
        );
        if rows("receipt") > 0 {
            let events = count(rows("receipt"), "event");
            lines += &format!("the copy has {events} of deliveries, too, and their targets\n");
        }
        print(lines.as_bytes())
    })
}

pub(super) const UNFINISHED: &str = "is a copy that was interrupted: complete it with the same `portreeve vault copy`, or begin again with an empty database";

fn database(
    sources: &Sources<'_>,
    matches: &ArgMatches,
    name: &'static str,
) -> Result<Database, Failure> {
    let database = config::database(text(matches, name))
        .map_err(|problem| Failure::usage(format_args!("--{name}: {problem}")))?;
    Ok(database.with_settings(sources)?)
}
