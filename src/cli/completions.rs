//! `portreeve completions`: completion scripts for shells.

use clap::{ArgMatches, Command, value_parser};
use clap_complete::{Shell, generate};

use super::Failure;
use super::commands::argument;
use super::output::print;

/// Initialises completion in a zsh that has not done so.
const COMPINIT: &str = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n";

pub(super) fn command() -> Command {
    Command::new("completions")
        .about("Print a shell script that completes commands and settings")
        .after_help(
            "For this session of bash, zsh or fish:\n  \
             source <(portreeve completions bash)\n  \
             source <(portreeve completions zsh)\n  \
             portreeve completions fish | source\n\n\
             For all sessions:\n  \
             portreeve completions bash > ~/.local/share/bash-completion/completions/portreeve\n  \
             portreeve completions zsh > \"${fpath[1]}/_portreeve\"\n  \
             portreeve completions fish > ~/.config/fish/completions/portreeve.fish",
        )
        .arg(argument("shell", "SHELL", "The shell").value_parser(value_parser!(Shell)))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let shell = *matches.get_one::<Shell>("shell").expect("clap asks for it");
    let mut out = Vec::new();
    generate(shell, &mut super::command(), "portreeve", &mut out);
    if shell == Shell::Zsh {
        // A session whose start-up files do not complete has no `compdef` to end the script with.
        let script = String::from_utf8(out)?;
        out = script.replacen('\n', &format!("\n{COMPINIT}"), 1).into();
    }
    print(&out)
}
