//! Checks the files in the settings: who else has access, and whether they can be used.

use std::path::{Path, PathBuf};

use portreeve::identity::StaticTokens;
use rustix::fs::{Access as Wanted, AtFlags, CWD, accessat};

use super::exposure::{Access, Exposure};
use super::{CheckInput, Purpose, Verdicts};
use crate::cli::{open, tls};
#[cfg(feature = "postgres")]
use crate::config::Database;
use crate::config::setting::{
    AUDIT_LOG, DATABASE_URL, GROUPWARE_CA, KEY_FILE, TLS_CERT, TLS_CLIENT_CA, TLS_KEY, TOKENS_FILE,
};
use crate::config::{ConfigError, Keys, ListenConfig, Sources, TlsFiles, VaultConfig};
use crate::files::{in_time, metadata};

/// Checks what others can do with the files. One rule for all: if others can write, the start is refused; if they
/// can read a secret, that is a warning.
pub(super) fn others(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let guarded = guarded(input.sources);
    let mut is_fine = !guarded.is_empty();
    for (name, path, is_public) in guarded {
        let Some(exposure) = Exposure::find(&path) else {
            continue;
        };
        match exposure.to {
            Access::Write { .. } => verdicts.fault(ConfigError::named(name, exposure)),
            _ if is_public => continue,
            _ => verdicts.warning(format!("{name}: {exposure}")),
        }
        is_fine = false;
    }
    if is_fine {
        verdicts.fine("files: no other user can write to them or read a secret");
    }
}

/// The files that determine who has access, or where secrets are sent: the setting or variable that names each, and
/// whether others may read it.
fn guarded(sources: &Sources<'_>) -> Vec<(String, PathBuf, bool)> {
    // The configuration file and each of these have been checked for writers when they were read.
    let secrets = sources.secret_files().into_iter();
    let mut files: Vec<_> = secrets.map(|(name, path)| (name, path, false)).collect();
    let mut add = |name: &str, path: &Path, is_public| {
        files.push((name.to_owned(), path.to_owned(), is_public));
    };
    for (setting, is_public) in [
        (TOKENS_FILE, false),
        (AUDIT_LOG, false),
        (GROUPWARE_CA, true),
        (TLS_KEY, false),
        (TLS_CERT, true),
        (TLS_CLIENT_CA, true),
    ] {
        if let Ok(Some(path)) = sources.get_opt(setting) {
            add(setting.key, &path, is_public);
        }
    }
    let Ok(vault) = VaultConfig::read(sources) else {
        return files;
    };
    if let Keys::File(path) = &vault.keys {
        add(KEY_FILE.key, path, false);
    }
    if let Some(database) = vault.database.file() {
        for path in of_database(database) {
            add(DATABASE_URL.key, &path, false);
        }
    }
    #[cfg(feature = "postgres")]
    if let Database::Postgres(options) = &vault.database {
        for (at, path) in options.tls_files().enumerate() {
            // The first one is the private key, if there is one.
            add(DATABASE_URL.key, path, at > 0);
        }
    }
    files
}

/// Whether others may have changed one of the files: that is reported by its mode ([`others`]), and it is not opened.
pub(super) fn is_suspect<'p>(paths: impl IntoIterator<Item = &'p Path>) -> bool {
    let mut exposed = paths.into_iter().filter_map(Exposure::find);
    exposed.any(|exposure| matches!(exposure.to, Access::Write { .. }))
}

/// The files of a SQLite database.
pub(super) fn of_database(path: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|suffix| {
        let mut path = path.as_os_str().to_owned();
        path.push(suffix);
        path.into()
    })
}

/// The certificate of the listener.
pub(super) fn certificates(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(ListenConfig {
        tls: Some(files), ..
    }) = ListenConfig::read(input.sources)
    else {
        return;
    };
    let TlsFiles {
        cert,
        key,
        client_ca,
    } = &files;
    if is_suspect(
        [cert, key]
            .into_iter()
            .chain(client_ca)
            .map(PathBuf::as_path),
    ) {
        return;
    }
    let read = tls::read(&files);
    let is_read = read.is_ok();
    verdicts.add(read.map(|_| format!("{}: {} and its key", TLS_CERT.key, cert.display())));
    if let (true, Ok(Some(line))) = (is_read, tls::end_of_certificate(&files)) {
        verdicts.warning(line);
    }
}

/// Additional certificates, and the verifiers of tokens that use them.
pub(super) fn authorities(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    if let Ok(Some(path)) = input.sources.get_opt(GROUPWARE_CA)
        && !is_suspect([&*path])
    {
        let read = tls::authorities(&path);
        let line = |read: Vec<_>| {
            let (key, path, count) = (GROUPWARE_CA.key, path.display(), read.len());
            format!("{key}: {path} has {count} certificates")
        };
        verdicts.add(read.map(line));
    }
}

/// The static tokens.
pub(super) fn tokens(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(Some(path)) = input.sources.get_opt(TOKENS_FILE) else {
        return;
    };
    if is_suspect([&*path]) {
        return;
    }
    let line = format!("{}: {}", TOKENS_FILE.key, path.display());
    if open::is_missing(&path) {
        // Opening it reports that.
        if matches!(input.purpose, Purpose::Report) {
            verdicts.warning(format!(
                "{line} does not exist yet: no static token is accepted until `portreeve token new` creates it"
            ));
        }
        return;
    }
    let opened = StaticTokens::open(&path);
    verdicts.add(
        opened
            .map(|_| line)
            .map_err(|error| ConfigError::of(TOKENS_FILE, error)),
    );
}

/// Checks that the audit log can be appended to; a missing file is created later, its directory is not.
pub(super) fn audit_log(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    // One that is open stays open.
    if matches!(input.purpose, Purpose::Reload) {
        return;
    }
    let Ok(Some(path)) = input.sources.get_opt(AUDIT_LOG) else {
        return;
    };
    let usable = match path.exists() {
        true => check_access(&path, Wanted::WRITE_OK),
        false => check_access(directory_of(&path), Wanted::WRITE_OK | Wanted::EXEC_OK),
    };
    let shown = path.display();
    verdicts.add(
        usable
            .map(|()| format!("{}: {shown}", AUDIT_LOG.key))
            .map_err(|problem| {
                let advice = "name a file in a directory that the gateway may write to";
                ConfigError::of(AUDIT_LOG, format!("{shown}: {problem}; {advice}"))
            }),
    );
}

/// Whether the file at `path` can be created, with its directories.
pub(super) fn can_be_made(path: &Path) -> Result<(), String> {
    let mut directory = directory_of(path);
    while open::is_missing(directory) {
        directory = directory_of(directory);
    }
    match metadata(directory) {
        Ok(found) if !found.is_dir() => Err(format!("{} is not a directory", directory.display())),
        _ => check_access(directory, Wanted::WRITE_OK | Wanted::EXEC_OK),
    }
}

/// Whether the file at `path` can be changed, and other files created beside it.
pub(super) fn can_be_changed(path: &Path) -> Result<(), String> {
    check_access(path, Wanted::READ_OK | Wanted::WRITE_OK)?;
    check_access(directory_of(path), Wanted::WRITE_OK | Wanted::EXEC_OK)
}

fn check_access(path: &Path, wanted: Wanted) -> Result<(), String> {
    let owned = path.to_owned();
    let checked = in_time(path, move || {
        Ok(accessat(CWD, owned, wanted, AtFlags::EACCESS)?)
    });
    checked.map_err(|error| format!("{}: {error}", path.display()))
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        // The root exists, and so does the current directory.
        _ if path.has_root() => Path::new("/"),
        _ => Path::new("."),
    }
}
