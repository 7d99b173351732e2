//! The settings on the command line.

use std::path::PathBuf;

use clap::{Arg, ArgAction, Command, value_parser};

use super::setting::{Kind, Setting};

/// The argument that names the TOML file.
pub(super) const CONFIG: &str = "config";
/// The variable that names the TOML file.
pub(super) const CONFIG_ENV: &str = "PORTREEVE_CONFIG";

const HEADING: &str = "Settings";

/// Adds `--config` and the flags of `settings` to a command.
pub(crate) fn with_settings(command: Command, settings: &[&'static Setting]) -> Command {
    let config = Arg::new(CONFIG)
        .long(CONFIG)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help(format!("TOML file with settings [env: {CONFIG_ENV}]"))
        .help_heading(HEADING);
    command
        .arg(config)
        .args(settings.iter().filter_map(|setting| argument(setting)))
}

/// The argument of `setting`; `None` for a secret.
fn argument(setting: &Setting) -> Option<Arg> {
    let value_name = match setting.kind {
        Kind::Value(name) | Kind::List(name) | Kind::Tables(name) => name,
        Kind::Switch => "BOOL",
        Kind::Secret => return None,
    };
    let default = setting.default(None);
    let several = match setting.kind {
        Kind::List(_) => "; several separated by commas, or the flag again",
        _ => "",
    };
    let help = format!(
        "{}{several} [env: {}] [default: {default}]",
        setting.help, setting.env
    );
    let argument = Arg::new(setting.key)
        .long(setting.key.replace('_', "-"))
        .value_name(value_name)
        .action(ArgAction::Set)
        .help(help)
        .help_heading(HEADING);
    Some(match setting.kind {
        Kind::Switch => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true"),
        Kind::List(_) => argument.action(ArgAction::Append),
        _ => argument,
    })
}
