//! Prints the parts of docs/CONFIGURATION.md that are generated from the table of settings, and checks the page.
//!
//! `PORTREEVE_PRINT_DOCS=1 cargo test --test source settings_page` updates the page; without the variable the test
//! fails if the page differs from the table, a module of the binary that is compiled into this test as it stands.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use clap::Command;
use portreeve::gateway::Settings;
use portreeve::identity::CacheLimits;
use portreeve::server::Bounds;

use self::config::arguments::group;
use self::config::setting::{ALL, Effect, Fallback, Setting};
use self::config::{Config, Notation, Sources, config_file, with_settings};

#[allow(dead_code, unused_imports, unreachable_pub)]
#[path = "../../src/config/mod.rs"]
mod config;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/CONFIGURATION.md");

#[test]
fn the_page_says_what_the_table_says() {
    let page = std::fs::read_to_string(PAGE).expect("docs/CONFIGURATION.md is there");
    let printed = with_part(&page, "settings", &tables());
    let printed = with_part(&printed, "reloaded", &reloaded());
    if std::env::var_os("PORTREEVE_PRINT_DOCS").is_some() {
        std::fs::write(PAGE, &printed).expect("docs/CONFIGURATION.md can be written");
    } else {
        assert!(
            page == printed,
            "docs/CONFIGURATION.md is not what the table of the settings says; print it with \
             PORTREEVE_PRINT_DOCS=1 cargo test --test source settings_page"
        );
    }
}

#[test]
fn every_line_of_the_example_file_is_accepted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("portreeve.toml");
    let mut text = String::new();
    for line in config_file(|_| None).lines() {
        if !line.starts_with("# ") {
            let line = line.strip_prefix('#').unwrap_or(line);
            writeln!(text, "{line}").unwrap();
        }
    }
    std::fs::write(&path, &text).unwrap();
    let environment =
        |name: &str| name.ends_with("_SECRET").then(|| OsString::from("given-by-the-environment"));

    let (config, found) = read(&["--config".as_ref(), path.as_os_str()], &environment);
    assert!(config.groupware.is_some() && config.gateway.delivery.is_some());
    assert!(config.identity.issuer.is_some() && config.identity.introspection.is_some());
    for setting in ALL {
        let is_shown = setting.is_in_toml() && setting.notation != Notation::Secret;
        assert!(!is_shown || found.contains(&setting.key), "{}", setting.key);
    }
}

#[test]
fn the_defaults_of_the_table_are_those_of_the_library() {
    let arguments = ["--tokens-file", "tokens", "--data-dir", "data"].map(str::as_ref);
    let (config, _) = read(&arguments, &|_| None);
    // Neither has a secret, which would not be shown.
    let default = format!("{:?}", Settings::default());
    assert_eq!(format!("{:?}", config.gateway), default);
    assert_eq!(config.bounds, Bounds::default());
    assert_eq!(config.identity.cache, CacheLimits::default());
    assert_eq!(config.vault.database.file(), Some(Path::new("data/portreeve.db")));
}

/// The settings for `serve`, and the keys of those that are set.
fn read(
    arguments: &[&std::ffi::OsStr],
    environment: &dyn Fn(&str) -> Option<OsString>,
) -> (Config, Vec<&'static str>) {
    let matches = with_settings(Command::new("serve").no_binary_name(true), ALL.iter().copied())
        .try_get_matches_from(arguments)
        .unwrap();
    let read = |path: &std::path::Path, _| std::fs::read_to_string(path).map(Into::into);
    let sources = Sources::new(&matches, environment, read).unwrap();
    let is_set = |setting: &&&'static Setting| sources.raw(setting).unwrap().is_some();
    let found = ALL.iter().filter(is_set).map(|it| it.key).collect();
    (Config::read(&sources).unwrap(), found)
}

/// `page` with `printed` between the comments that begin and end the part `name`.
fn with_part(page: &str, name: &str, printed: &str) -> String {
    let begin = format!("<!-- {name}: printed from the table of the settings -->\n");
    let end = format!("<!-- {name}: end -->\n");
    let (before, rest) = page.split_once(&begin).expect("the part begins");
    let (_, after) = rest.split_once(&end).expect("the part ends");
    format!("{before}{begin}\n{printed}\n{end}{after}")
}

/// A table for each group of `--help`.
fn tables() -> String {
    let (mut out, mut last) = (String::new(), "");
    for setting in ALL {
        let name = group(setting);
        if name != last {
            let separator = if last.is_empty() { "" } else { "\n" };
            write!(
                out,
                "{separator}### {name}\n\n| setting | default | meaning |\n|---|---|---|\n"
            )
            .unwrap();
            last = name;
        }
        let value = match setting.notation {
            Notation::Value(name) | Notation::List(name) | Notation::Tables(name) => name.into(),
            Notation::OneOf(values) => values.join("\\|"),
            Notation::Switch => "BOOL".to_owned(),
            Notation::Secret => "SECRET".to_owned(),
        };
        let key = match setting.is_in_toml() {
            true => setting.key,
            false => setting.env,
        };
        let default = setting.default(None);
        let default = match setting.fallback {
            Fallback::Words { .. } => default.into_owned(),
            _ => format!("`{default}`"),
        };
        let meaning = setting.help.replace('|', "\\|");
        writeln!(out, "| `{key}` {value} | {default} | {meaning} |").unwrap();
    }
    out
}

/// The settings that SIGHUP reloads.
fn reloaded() -> String {
    let keys: Vec<_> = ALL
        .iter()
        .filter(|setting| setting.takes_effect == Effect::AtReload)
        .map(|setting| format!("`{}`", setting.key))
        .collect();
    format!("{}\n", keys.join(", "))
}
