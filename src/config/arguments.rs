//! The settings on the command line.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::PathBuf;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};

use super::setting::{
    ADMIN_SCOPE, ALL, DATA_DIR, DELIVERIES, GROUPWARE_URL, Group, LISTEN, MAX_IN_FLIGHT,
    MCP_SERVER_API_KEY, METRICS_LISTEN, Setting, TOKENS_FILE, WEBHOOK_SECRET,
};
use super::syntax::Notation;

pub(super) const CONFIG: &str = "config";
pub(crate) const CONFIG_ENV: &str = "PORTREEVE_CONFIG";

/// The groups in `--help`, each with its first setting in the order of the table.
const GROUPS: &[(&Setting, &str)] = &[
    (&LISTEN.setting, "Listening"),
    (&GROUPWARE_URL.setting, "The Nextcloud server"),
    (&DATA_DIR.setting, "Database and keys"),
    (&TOKENS_FILE.setting, "Tokens and accounts"),
    (&ADMIN_SCOPE.setting, "Administrators and refused logins"),
    (&WEBHOOK_SECRET.setting, "Webhooks"),
    (&DELIVERIES.setting, "Deliveries that arrive"),
    (&MCP_SERVER_API_KEY.setting, "Callers and proxies"),
    (&MAX_IN_FLIGHT.setting, "Limits"),
    (&METRICS_LISTEN.setting, "Metrics and logs"),
];

/// Adds `--config` and the flags of `settings` to a command.
pub(crate) fn with_settings(
    command: Command,
    settings: impl IntoIterator<Item = &'static Setting>,
) -> Command {
    let config = Arg::new(CONFIG)
        .long(CONFIG)
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help(format!("TOML file with settings [env: {CONFIG_ENV}]"));
    with_flags(command.arg(config), settings)
}

pub(crate) fn with_flags(
    command: Command,
    settings: impl IntoIterator<Item = &'static Setting>,
) -> Command {
    command.args(settings.into_iter().filter_map(argument))
}

pub(crate) fn group(setting: &Setting) -> &'static str {
    let place = |key| ALL.iter().position(|it| it.key == key);
    let begun = |(first, _): &&(&Setting, _)| place(first.key) <= place(setting.key);
    let (_, name) = GROUPS.iter().rev().find(begun).unwrap_or(&GROUPS[0]);
    name
}

/// The argument of `setting`; `None` for a secret.
fn argument(setting: &Setting) -> Option<Arg> {
    let value_name: Cow<'static, str> = match setting.notation {
        Notation::Value(name) | Notation::List(name) | Notation::Tables(name) => name.into(),
        Notation::OneOf(values) => values.join("|").into(),
        Notation::Switch => "BOOL".into(),
        Notation::Secret => return None,
    };
    let default = setting.default(None);
    let several = match setting.notation {
        Notation::List(_) => "; separate several by commas, or repeat the flag",
        _ => "",
    };
    let help = format!("{}{several} [env: {}] [default: {default}]", setting.help, setting.env);
    let hint = match &*value_name {
        "FILE" => ValueHint::FilePath,
        "DIR" => ValueHint::DirPath,
        "URL" => ValueHint::Url,
        _ => ValueHint::Other,
    };
    let argument = Arg::new(setting.key)
        .long(setting.key.replace('_', "-"))
        .value_name(value_name.into_owned())
        .value_hint(hint)
        .action(ArgAction::Set)
        .help(help)
        .help_heading(group(setting))
        // `-h` shows what a first configuration needs.
        .hide_short_help(!setting.is_in(Group::Init));
    Some(match setting.notation {
        Notation::Switch => argument
            .num_args(0..=1)
            .default_missing_value("true")
            .value_parser(Suggested::from_names(&["true", "false"]))
            .hide_possible_values(true),
        Notation::OneOf(values) => {
            argument.value_parser(Suggested::from_names(values)).hide_possible_values(true)
        }
        Notation::List(_) => argument.action(ArgAction::Append),
        _ => argument,
    })
}

/// Any text, with suggested values for completion. Invalid values are reported later, like those in a variable or the file.
#[derive(Clone)]
pub(crate) struct Suggested(Vec<PossibleValue>);

impl Suggested {
    pub(crate) fn from_names<T: Into<PossibleValue> + Clone>(values: &[T]) -> Self {
        Self(values.iter().cloned().map(Into::into).collect())
    }
}

impl TypedValueParser for Suggested {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}
