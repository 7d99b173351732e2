//! `portreeve forward`: what is forwarded, and what would be sent for a request.

use clap::{Arg, ArgAction, ArgMatches, Command};
use http::{HeaderName, HeaderValue, Method, Request};
use portreeve::gateway::forward::Forward;
use portreeve::gateway::{Endpoint, Settings, User};
use serde_json::Value;

use super::Failure;
use super::commands::{Row, argument, option, text};
use super::output::{Records, list_command, print};
use crate::config::setting::{self, FORWARD, FORWARD_SCOPE_PREFIX, GROUPWARE_URL, Group};
use crate::config::{ConfigError, Sources};

const SETTINGS: &[Group] = &[Group::Server, Group::Forward];

pub(super) const COMMANDS: &[Row] = &[
    Row::WithSettings(
        || list_command("List what is opened, and the scopes that it needs"),
        SETTINGS,
        list,
    ),
    Row::WithSettings(explain_command, SETTINGS, explain),
];

pub(super) fn command() -> Command {
    Command::new("forward").about(
        "List the APIs of Nextcloud that are forwarded, and show what would be sent for a request; used with forward",
    )
}

fn forward(sources: &Sources<'_>) -> Result<Forward, Failure> {
    let nothing = || ConfigError::of(FORWARD, "is not set, so that nothing is forwarded");
    Ok(Forward::new(sources.get_opt(FORWARD)?.ok_or_else(nothing)?))
}

fn list(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let forward = forward(sources)?;
    let mut records = Records::new(matches, ["path", "methods", "scopes"])?;
    for route in forward.routes() {
        records.add([route.path, route.methods, route.scopes.to_string()].map(Value::from))?;
    }
    records.end()
}

fn explain_command() -> Command {
    let many = |arg: Arg| arg.action(ArgAction::Append);
    Command::new("explain")
        .about("Show what would be sent for a request, or why nothing; exits with 1 then. Limits of users are not looked at")
        .arg(argument("method", "METHOD", "The method").value_parser(str::parse::<Method>))
        .arg(argument("path", "PATH", "The path, as a client sends it, with its query"))
        .arg(option("user", "USER", "The account; alice if it is left out").default_value("alice"))
        .arg(many(option("scope", "SCOPE", "A scope of the token; can be repeated")))
        .arg(
            many(option("header", "FIELD", "A field, as in 'Destination: /…'; can be repeated"))
                .value_parser(field),
        )
}

fn field(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = text.split_once(':').ok_or("write it as NAME: VALUE")?;
    let name = name.trim().parse().map_err(|_| format!("{name:?} is no name of a field"))?;
    let value = value.trim().parse().map_err(|_| "its value has a character that no field has")?;
    Ok((name, value))
}

fn explain(matches: &ArgMatches, sources: &Sources<'_>) -> Result<(), Failure> {
    let forward = forward(sources)?;
    let missing = || ConfigError::of(GROUPWARE_URL, "is needed to say where requests are sent");
    let server = sources.get_opt(GROUPWARE_URL)?.ok_or_else(missing)?;
    let mut settings = Settings::default();
    settings.scope_prefix = sources.get_opt(FORWARD_SCOPE_PREFIX)?.map(Into::into);
    settings.public_url = sources.get_opt(setting::PUBLIC_URL)?;
    settings.groupware_public_url = sources.get_opt(setting::GROUPWARE_PUBLIC_URL)?;
    let method: &Method = matches.get_one("method").expect("clap asks for it");
    let (mut head, ()) = Request::new(()).into_parts();
    head.method = method.clone();
    let path = text(matches, "path");
    head.uri = path.parse().map_err(|error| Failure::new(format_args!("{path:?}: {error}")))?;
    if Endpoint::at(head.uri.path()) != Endpoint::Other {
        return Err(Failure::new(format_args!("{path} is the gateway's own, and not forwarded")));
    }
    let fields = matches.get_many::<(HeaderName, HeaderValue)>("header").unwrap_or_default();
    head.headers.extend(fields.cloned());
    let scopes = matches.get_many::<String>("scope").unwrap_or_default();
    let user = User::new(text(matches, "user")).with_scopes(scopes.map(String::as_str));
    let sent = forward
        .explain(&head, &server, &user, &settings)
        .map_err(|error| Failure::new(format_args!("{} is answered: {error}", error.status())))?;
    let mut shown = format!("{} {}\n", sent.method(), sent.uri());
    for (name, value) in sent.headers() {
        shown += &format!("{name}: {}\n", String::from_utf8_lossy(value.as_bytes()));
    }
    print(shown.as_bytes())
}
