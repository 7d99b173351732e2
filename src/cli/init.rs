//! `portreeve init`: the first configuration file, from a few answers that are checked before it is written.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, IsTerminal as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::{Arg, ArgMatches, Command, ValueHint, value_parser};
use portreeve::identity::discovery_url;
use portreeve::outbound::PlainHttp;
use zeroize::Zeroizing;

use super::Failure;
use super::check_config;
use super::commands::switch;
use super::output::{print, say};
use super::preflight::{Verdict, Verdicts};
use crate::config::setting::{
    self, ALLOWED_CLIENT, AUDIENCE, GROUPWARE_URL, Group, ISSUER, Setting, TOKENS_FILE,
    WEBHOOK_SECRET,
};
use crate::config::{
    CONFIG_ENV, Config, Notation, Sources, config_file, data_dir, refuse_unknown, with_flags,
};
use crate::files;

const FILE: &str = "file";
/// The file that is written by default, and found by every command.
const FILE_NAME: &str = "portreeve.toml";
const UNCHECKED: &str = "unchecked";

/// For owner and group: the file may hold secrets later, and the group of the service has to read it.
const MODE: u32 = 0o640;

const TOKENS: &str = "tokens";

const ATTEMPTS: usize = 3;

/// The answers, by the variable of the setting.
type Answers = BTreeMap<&'static str, String>;

pub(super) fn command() -> Command {
    let command = Command::new("init")
        .about("Create a first configuration file: ask for missing settings, and check them online")
        .after_help(
            "On a terminal it asks for the server's address and the source of tokens, unless flags \
             or variables provide them. It also creates a secret for the deliveries of webhooks. Every \
             other setting is in the file as a comment. An existing file is never overwritten.",
        )
        .arg(
            Arg::new(FILE)
                .long("config")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help(format!("The file to write [env: {CONFIG_ENV}] [default: portreeve.toml]")),
        )
        .arg(switch(
            UNCHECKED,
            "Write it without checking it at the server and the identity provider",
        ));
    with_flags(command, settings())
}

fn settings() -> impl Iterator<Item = &'static Setting> {
    setting::of(&[Group::Init])
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let path = path(matches);
    // A dangling link exists as well.
    if path.symlink_metadata().is_ok() {
        return Err(exists(&path));
    }
    refuse_unknown(std::env::vars_os())?;
    let mut answers = BTreeMap::new();
    for attempt in 1.. {
        answers = ask_for_missing(matches, &answers)?;
        match complete(matches, &answers, &path) {
            // What was answered can be corrected, and Enter keeps it.
            Err(failure) if !answers.is_empty() && attempt < ATTEMPTS => {
                failure.line.lines().for_each(say);
            }
            completed => return completed,
        }
    }
    Ok(())
}

fn complete(matches: &ArgMatches, answers: &Answers, path: &Path) -> Result<(), Failure> {
    let environment = |name: &str| variable(answers, name);
    let sources = Sources::new(matches, &environment, files::read_text_or_pipe)?;
    let config = Config::read(&sources).map_err(|faults| Failure::all(faults.0))?;
    if !matches.get_flag(UNCHECKED) {
        check(&config)?;
    }
    let data_dir = std::path::absolute(data_dir(&sources)?)?;
    let secret = match sources.raw(WEBHOOK_SECRET)? {
        Some(_) => None,
        None => Some(webhook_secret(&data_dir)?),
    };
    write(path, &text(&sources, secret)?)?;
    let (shown, data_dir) = (path.display(), data_dir.display());
    say(format_args!("wrote {shown}, mode {MODE:04o}; it has every other setting as a comment"));
    say(format_args!("the database and its keys will be in {data_dir}"));
    print(next_commands(path, sources.raw(ISSUER)?.is_some()).as_bytes())
}

/// Creates the file of the webhook secret in `data_dir`, unless it is there already.
fn webhook_secret(data_dir: &Path) -> Result<String, Failure> {
    let mut secret = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *secret)?;
    let text = Zeroizing::new(BASE64_STANDARD.encode(*secret) + "\n");
    let path = data_dir.join(WEBHOOK_SECRET.key);
    files::create_whole(&path, text.as_bytes()).map_err(Failure::cannot("write", &path))?;
    Ok(path.display().to_string())
}

fn path(matches: &ArgMatches) -> PathBuf {
    let named = matches.get_one::<PathBuf>(FILE).cloned().map(Into::into);
    let named = named.or_else(|| std::env::var_os(CONFIG_ENV).filter(|path| !path.is_empty()));
    named.map_or_else(|| FILE_NAME.into(), PathBuf::from)
}

/// An answer, or otherwise the environment variable with that name. The file to be written is not a source.
fn variable(answers: &Answers, name: &str) -> Option<OsString> {
    match answers.get(name) {
        Some(answer) => Some(answer.into()),
        None if name == CONFIG_ENV => None,
        None => std::env::var_os(name),
    }
}

/// Asks for the settings without a flag or an environment variable, with the `former` answers as defaults.
fn ask_for_missing(matches: &ArgMatches, former: &Answers) -> Result<Answers, Failure> {
    let environment = |name: &str| variable(&Answers::new(), name);
    let sources = Sources::new(matches, &environment, files::read_text_or_pipe)?;
    let faults = sources.faults(settings());
    if !faults.is_empty() {
        return Err(Failure::all(faults.0));
    }
    let is_set = |setting| sources.raw(setting).map(|found| found.is_some());
    let former = |setting: &Setting| former.get(setting.env).map(String::as_str);
    let mut answers = Answers::new();
    if !is_set(GROUPWARE_URL)? {
        let question = "Address of the Nextcloud, such as https://cloud.example.org";
        let answer = ask(&[GROUPWARE_URL], question, former(GROUPWARE_URL))?;
        answers.insert(GROUPWARE_URL.env, answer);
    }
    if !is_set(TOKENS_FILE)? && !is_set(ISSUER)? {
        let question = "OpenID provider that issues the tokens, such as \
             https://id.example.org/realms/office; empty for tokens created by `portreeve token \
             new`";
        // Enter means the same each time, also after a mistyped issuer.
        match ask(&[ISSUER, TOKENS_FILE], question, Some(""))? {
            answer if answer.is_empty() => {
                let file = data_dir(&sources)?.join(TOKENS);
                let file = file.into_os_string().into_string().map_err(|path| {
                    Failure::new(format_args!("{} is not UTF-8 text", path.display()))
                })?;
                answers.insert(TOKENS_FILE.env, file);
            }
            answer => _ = answers.insert(ISSUER.env, answer),
        }
    }
    let has_issuer = answers.contains_key(ISSUER.env) || is_set(ISSUER)?;
    if has_issuer && !is_set(AUDIENCE)? && !is_set(ALLOWED_CLIENT)? {
        let question = "Audience of its access tokens (their `aud`)";
        let default = former(AUDIENCE).unwrap_or("portreeve");
        let answer = ask(&[AUDIENCE], question, Some(default))?;
        answers.insert(AUDIENCE.env, answer);
    }
    Ok(answers)
}

/// Asks for the first of `settings`, or takes another that is set, until there is a value; `default` if it is empty.
fn ask(settings: &[&Setting], question: &str, default: Option<&str>) -> Result<String, Failure> {
    let setting = settings[0];
    if !io::stdin().is_terminal() {
        let flags: Vec<_> = settings.iter().filter_map(|it| it.flag()).collect();
        return Err(Failure::usage(format_args!(
            "{}: is not set, and there is no terminal to ask for it; nothing was written",
            flags.join(" or ")
        )));
    }
    for _ in 0..ATTEMPTS {
        let shown = default.filter(|default| !default.is_empty());
        let shown = shown.map_or_else(String::new, |default| format!(" [{default}]"));
        // Even if the prompt cannot be written, an answer can be typed.
        let _ = write!(io::stderr(), "{question}{shown}: ");
        let mut line = String::new();
        if io::stdin().read_line(&mut line)? == 0 {
            // The line of the prompt ends here.
            say("");
            break;
        }
        match (line.trim(), default) {
            ("", Some(default)) => return Ok(default.to_owned()),
            ("", None) => {}
            (answer, _) => {
                let answer = match setting.notation {
                    Notation::Value("URL") if !answer.contains("://") => {
                        format!("https://{answer}")
                    }
                    _ => answer.to_owned(),
                };
                let mut form = (setting.check)(&answer);
                if form.is_ok() && setting.key == ISSUER.key {
                    let url = discovery_url(&answer, PlainHttp::Anywhere);
                    form = url.map(drop).map_err(|error| error.to_string());
                }
                match form {
                    Ok(()) => return Ok(answer),
                    Err(problem) => say(format_args!("{answer}: {problem}")),
                }
            }
        }
    }
    Err(Failure::new(format_args!("no valid answer for {}; nothing was written", setting.key)))
}

fn check(config: &Config) -> Result<(), Failure> {
    let mut verdicts = Verdicts::default();
    verdicts.ask(config, check_config::groupware);
    if config.identity.issuer.is_some() {
        verdicts.ask(config, check_config::provider);
    }
    let mut faults = Vec::new();
    for verdict in verdicts.0.drain(..) {
        match verdict {
            Verdict::Fine(line) => say(format_args!("\u{2713} {line}")),
            Verdict::Warning(line) => say(format_args!("! {line}")),
            Verdict::Fault(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    let mut failure = Failure::all(faults);
    failure.line += "\nnothing was written; --unchecked writes the file without these checks";
    Err(failure)
}

/// The content of the file: the settings that are set, and all others as comments.
fn text(sources: &Sources<'_>, webhook_secret: Option<String>) -> Result<String, Failure> {
    let secret = webhook_secret.map(|path| (WEBHOOK_SECRET.key, path));
    let mut values: BTreeMap<_, _> = secret.into_iter().collect();
    for setting in settings() {
        if let Some(written) = sources.raw(setting)? {
            let text = written.text.trim();
            let text = match setting.notation {
                // A service does not start in the current directory of this shell.
                Notation::Value("FILE" | "DIR") => std::path::absolute(text)?.display().to_string(),
                _ => text.to_owned(),
            };
            values.insert(setting.key, text);
        }
    }
    Ok(config_file(|setting| values.get(setting.key).cloned()))
}

/// Creates the file atomically.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    // A mistyped directory is not made.
    let written = files::parent(path).metadata().and_then(|_| {
        files::create_whole_with(path, |draft| {
            fs::write(draft, text)?;
            fs::set_permissions(draft, Permissions::from_mode(MODE))
        })
    });
    match written {
        Ok(true) => Ok(()),
        Ok(false) => Err(exists(path)),
        Err(error) => Err(Failure::cannot("write", path)(error)),
    }
}

fn exists(path: &Path) -> Failure {
    let path = path.display();
    Failure::new(format_args!(
        "{path} already exists, and init does not overwrite files; `portreeve check-config --config \
         {path}` checks it"
    ))
}

fn next_commands(path: &Path, has_issuer: bool) -> String {
    let mut config = String::new();
    // There it is found.
    if path != Path::new(FILE_NAME) {
        config = format!(" --config {}", quoted(&path.display().to_string()));
    }
    let first = if has_issuer {
        format!("check-config{config} --online --token-stdin")
    } else {
        format!("token new{config} --user alice")
    };
    format!(
        "Next:\n  portreeve {first}\n  portreeve credentials put{config} --user alice\n  portreeve serve{config}\n"
    )
}

/// `text`, quoted as one word of a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
