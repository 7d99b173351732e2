//! A TOML file of settings is read or refused, whatever its bytes. What refuses it is one line.
//!
//! The module belongs to the binary, and is compiled into this target as it stands.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use self::config::{Config, ConfigError, Sources, with_settings};

#[allow(dead_code, unused_imports, unreachable_pub)]
#[path = "../../src/config/mod.rs"]
mod config;

/// Written anew for each input.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    std::env::temp_dir().join(format!("portreeve-fuzz-{}.toml", std::process::id()))
});

pub(crate) fn run(data: &[u8]) {
    std::fs::write(&*FILE, data).unwrap();
    let read = read();
    match data {
        [] => assert!(read.is_ok(), "{read:?}"),
        _ => assert!(read.is_err() || std::str::from_utf8(data).is_ok()),
    }
    std::fs::remove_file(&*FILE).unwrap();
    for error in read.err().into_iter().flatten() {
        let error = error.to_string();
        assert!(!error.is_empty() && !error.chars().any(char::is_control), "{error:?}");
    }
}

/// Everything that is wrong, if anything is.
fn read() -> Result<(), Vec<ConfigError>> {
    let command = with_settings(clap::Command::new("portreeve"), &[]);
    let flags =
        command.get_matches_from(["portreeve".into(), "--config".into(), OsString::from(&*FILE)]);
    // With it, a file without settings is a whole configuration.
    let environment = |name: &str| (name == "PORTREEVE_TOKENS_FILE").then(|| "/tokens".into());
    let read = |path: &Path, _| std::fs::read_to_string(path).map(zeroize::Zeroizing::new);
    let sources = Sources::new(&flags, &environment, read).map_err(|fault| vec![fault])?;
    let config = Config::read(&sources).map(drop);
    config.map_err(|faults| faults.0.into_iter().collect())
}
