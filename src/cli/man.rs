//! `portreeve man`: the manual pages.

use std::io;

use clap::{Arg, ArgAction, ArgMatches, Command};
use clap_mangen::Man;

use super::Failure;
use super::output::print;
use crate::config::Suggested;

/// Sections that are the same on each page that has them.
const SETTINGS: &str = include_str!("man/settings.txt");
const FILES: &str = include_str!("man/files.txt");
const EXIT_STATUS: &str = include_str!("man/exit_status.txt");

const COMMAND: &str = "command";

pub(super) fn command() -> Command {
    Command::new("man")
        .about("Print the manual page of the program or of a command")
        .after_help(
            "Examples:\n  \
             portreeve man > portreeve.1\n  \
             portreeve man credentials put > portreeve-credentials-put.1\n  \
             portreeve man serve | man -l -",
        )
        .arg(
            Arg::new(COMMAND).value_name("COMMAND").action(ArgAction::Append).help(
                "A command, such as `serve` or `credentials put`; by default the program itself",
            ),
        )
}

/// `program`, with the names of its commands as completions after `man`.
pub(super) fn with_names(program: Command) -> Command {
    let mut names: Vec<_> = program
        .get_subcommands()
        .flat_map(|command| std::iter::once(command).chain(command.get_subcommands()))
        .map(|command| command.get_name().to_owned())
        .collect();
    names.sort();
    names.dedup();
    program.mut_subcommand("man", |man| {
        man.mut_arg(COMMAND, |argument| {
            argument.value_parser(Suggested::from_names(&names)).hide_possible_values(true)
        })
    })
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let mut program = super::command();
    // Sets the full names of the commands.
    program.build();
    let mut command = &program;
    for name in matches.get_many::<String>(COMMAND).unwrap_or_default() {
        let parent = command;
        command = parent.find_subcommand(name).ok_or_else(|| {
            let names: Vec<_> = parent.get_subcommands().map(Command::get_name).collect();
            let rest = if names.is_empty() {
                "it has no commands".to_owned()
            } else {
                format!("its commands are {}", names.join(", "))
            };
            Failure::usage(format_args!("{} has no command {name:?}; {rest}", parent.get_name()))
        })?;
    }
    let is_program = command.get_name() == program.get_name();
    print(&page(command, is_program)?)
}

fn page(command: &Command, is_program: bool) -> io::Result<Vec<u8>> {
    // With `[OPTIONS]` for all of them: there are up to sixty.
    let usage = command.clone().render_usage().to_string();
    let complete = command
        .clone()
        .mut_args(|argument| argument.hide_short_help(false))
        .override_usage(usage.trim_start_matches("Usage: ").to_owned());
    let mut out = Vec::new();
    Man::new(complete)
        // It has none. Without the blank, the version would take its place in the title.
        .date(" ")
        .source(concat!("portreeve ", env!("CARGO_PKG_VERSION")))
        .manual("Portreeve Manual")
        .render(&mut out)?;
    if is_program {
        out.extend_from_slice(SETTINGS.as_bytes());
    }
    if command.get_arguments().any(|it| it.get_id() == "config") {
        out.extend_from_slice(FILES.as_bytes());
    }
    // A command with other exit statuses names them itself.
    let own = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if !own.contains("The exit code is 0") {
        out.extend_from_slice(EXIT_STATUS.as_bytes());
    }
    Ok(out)
}
