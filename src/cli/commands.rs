//! Tables of commands: a row is everything that the program needs to know about a command.

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{Failure, sources};
use crate::config::setting::{self, ALL, Group, Setting};
use crate::config::{Notation, Sources, with_settings};

pub(super) enum Row {
    One(fn() -> Command, fn(&ArgMatches) -> Result<(), Failure>),
    /// The same, with the settings of these groups.
    WithSettings(fn() -> Command, &'static [Group], RunWithSettings),
    Group(fn() -> Command, &'static [Row]),
}

/// The settings of a command that reads the vault, and of one that changes it.
pub(super) const VAULT: &[Group] = &[Group::Vault];
pub(super) const CHANGES: &[Group] = &[Group::Vault, Group::Audit];

type RunWithSettings = fn(&ArgMatches, &Sources<'_>) -> Result<(), Failure>;

impl Row {
    fn command(&self) -> Command {
        match self {
            Self::One(command, _) => command(),
            Self::WithSettings(command, groups, _) => with_settings(command(), setting::of(groups)),
            Self::Group(command, rows) => with_commands(command(), rows),
        }
    }
}

pub(super) fn with_commands(command: Command, rows: &[Row]) -> Command {
    command
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(rows.iter().map(Row::command))
}

pub(super) fn run(rows: &[Row], matches: &ArgMatches) -> Result<(), Failure> {
    let (name, matches) = matches.subcommand().expect("clap asks for a command");
    match rows.iter().find(|row| row.command().get_name() == name) {
        Some(Row::One(_, run)) => run(matches),
        Some(Row::WithSettings(_, _, run)) => run(matches, &sources(matches)?),
        Some(Row::Group(_, rows)) => run(rows, matches),
        None => unreachable!("clap knows no other command"),
    }
}

/// What to do instead of giving a secret as a flag, if that is the error.
pub(super) fn secret_flag(error: &clap::Error) -> Option<String> {
    let ContextValue::String(argument) = error.get(ContextKind::InvalidArg)? else {
        return None;
    };
    let flag = argument.split('=').next()?;
    let key = flag.strip_prefix("--")?.replace('-', "_");
    let is_it = |it: &&&Setting| it.notation == Notation::Secret && it.key == key;
    let env = ALL.iter().find(is_it)?.env;
    Some(format!(
        "{flag}: secrets have no flag, since other users can see command lines; set {env}, or {env}_FILE to the path \
         of a file that contains it"
    ))
}

/// The arguments of a command whose definition has those of `T`.
#[cfg(feature = "game-client")]
pub(super) fn arguments<T: clap::FromArgMatches>(matches: &ArgMatches) -> T {
    T::from_arg_matches(matches).expect("clap has checked them")
}

pub(super) fn option(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

pub(super) fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help).action(ArgAction::SetTrue)
}

/// The required argument that is shown as `VALUE`.
pub(super) fn argument(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).value_name(value).help(help).required(true)
}

pub(super) fn user_option() -> Arg {
    option("user", "USER", "The account id in Nextcloud").required(true)
}

/// The value of a required argument that is a text.
pub(super) fn text<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    matches.get_one::<String>(name).expect("clap asks for it")
}
