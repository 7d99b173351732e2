//! `portreeve vault`: the store as a whole.

use clap::{ArgMatches, Command};
use indicatif::ProgressBar;
use portreeve::vault;

use super::commands::{Row, option, text};
use super::output::print;
use super::{Failure, block_on, open, sources};
use crate::config::setting::{self, Group};
use crate::config::{self, ConfigError, Database, Sources, with_settings};

pub(super) const COMMANDS: &[Row] = &[Row::One(copy_command, copy)];

pub(super) fn command() -> Command {
    Command::new("vault").about("Copy the stored credentials to another database")
}

fn copy_command() -> Command {
    let command = Command::new("copy")
        .about("Copy all records from one database to another, still encrypted, and compare the two")
        .after_help(
            "URLs are as for database_url: sqlite:/path or postgres://user@host/database. Stop the \
             gateways first; afterwards start them with the other database_url and the same keys. A \
             target with other records is refused; an interrupted copy can be continued by running \
             it again.",
        )
        .arg(option("from", "URL", "The database to copy from").required(true))
        .arg(
            option("to", "URL", "The database to copy to; a missing file is created")
                .required(true),
        );
    with_settings(command, setting::of(&[Group::Postgres]))
}

fn copy(matches: &ArgMatches) -> Result<(), Failure> {
    let sources = sources(matches)?;
    let (from, to) = (
        database(&sources, matches, "from")?,
        database(&sources, matches, "to")?,
    );
    open::must_exist(&from, "--from")?;
    if let (Some(from), Some(to)) = (from.file(), to.file())
        && let (Ok(from), Ok(to)) = (from.canonicalize(), to.canonicalize())
        && from == to
    {
        return Err(Failure::usage("--from and --to are the same file"));
    }
    block_on(async {
        let from = open::store(&from, |problem| named("from", problem)).await?;
        let to = open::store(&to, |problem| named("to", problem)).await?;
        // Only shown on a terminal.
        let bar = ProgressBar::new_spinner();
        let copied = vault::copy(from.as_ref(), to.as_ref(), |so_far| {
            bar.set_message(format!("{} credentials", so_far.credentials));
            bar.tick();
        });
        let copied = copied.await;
        bar.finish_and_clear();
        let copied = copied.map_err(Failure::new)?;
        let line = format!(
            "the target has all {} credentials, {} bindings, {} login flows and {} refused logins of \
             the source; {} of them were already there\n",
            copied.credentials,
            copied.bindings,
            copied.login_flows,
            copied.refused_logins,
            copied.already_there
        );
        print(line.as_bytes())
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
