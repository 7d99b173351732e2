//! Checks the files in the settings: who else has access, and whether they can be used.

use std::path::{Path, PathBuf};

use portreeve::identity::TokensFile;
use portreeve::vault::SqliteStore;
use rustix::fs::{Access as Wanted, AtFlags, CWD, accessat};

use super::exposure::Exposure;
use super::{CheckInput, Purpose, Verdicts};
use crate::cli::{open, tls};
#[cfg(feature = "postgres")]
use crate::config::Database;
use crate::config::setting::{
    AUDIT_LOG, DATABASE_URL, GROUPWARE_CA, KEY_FILE, OPERATION_SCOPES, TLS_CERT, TLS_CLIENT_CA,
    TLS_KEY, TOKENS_FILE,
};
use crate::config::{ConfigError, Keys, ListenConfig, Sources, VaultConfig};
use crate::files::{beside, in_time, metadata, parent};

/// Checks what others can do with the files. One rule for all: if others can write, the start is refused; if they
/// can read a secret, that is a warning.
pub(super) fn others(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let secrets = input.sources.secret_files();
    let secrets = secrets.into_iter().map(|(name, path)| (name, path, false, true));
    let others = guarded(input.sources).into_iter();
    let others = others.map(|(name, path, is_public)| (name.to_owned(), path, is_public, false));
    let guarded: Vec<_> = secrets.chain(others).collect();
    let mut is_fine = !guarded.is_empty();
    for (name, path, is_public, is_read) in guarded {
        match Exposure::find(&path) {
            // The file of a secret has been refused when it was read.
            Some(exposure) if exposure.can_write && is_read => {}
            Some(exposure) if exposure.can_write => {
                verdicts.fault(ConfigError::named(name, exposure.problem));
            }
            Some(exposure) if !is_public => {
                verdicts.warning(format!("{name}: {}", exposure.problem));
            }
            _ => continue,
        }
        is_fine = false;
    }
    if is_fine {
        verdicts.fine("files: no other user can write to them or read a secret");
    }
}

/// The files that determine who has access, or where secrets are sent, beside those of secrets: the setting that names
/// each, and whether others may read it.
fn guarded(sources: &Sources<'_>) -> Vec<(&'static str, PathBuf, bool)> {
    let mut files = Vec::new();
    for (setting, is_public) in [
        (TOKENS_FILE, false),
        (AUDIT_LOG, false),
        (GROUPWARE_CA, true),
        (TLS_KEY, false),
        (TLS_CERT, true),
        (TLS_CLIENT_CA, true),
    ] {
        if let Ok(Some(path)) = sources.get_opt(setting) {
            files.push((setting.key, path, is_public));
        }
    }
    let Ok(vault) = VaultConfig::read(sources) else {
        return files;
    };
    if let Keys::File(path) = &vault.keys {
        files.push((KEY_FILE.key, path.clone(), false));
    }
    if let Some(database) = vault.database.file() {
        files.extend(of_database(database).map(|path| (DATABASE_URL.key, path, false)));
    }
    #[cfg(feature = "postgres")]
    if let Database::Postgres(options) = &vault.database {
        // The first one is the private key, if there is one.
        let named = options.tls_files().enumerate();
        files.extend(named.map(|(at, path)| (DATABASE_URL.key, path.to_owned(), at > 0)));
    }
    files
}

/// Whether others may have changed one of the files: that is reported by its mode ([`others`]), and it is not opened.
pub(super) fn is_suspect<'p>(paths: impl IntoIterator<Item = &'p Path>) -> bool {
    let mut exposed = paths.into_iter().filter_map(Exposure::find);
    exposed.any(|exposure| exposure.can_write)
}

pub(super) fn of_database(path: &Path) -> impl Iterator<Item = PathBuf> {
    let files = [path.to_owned(), SqliteStore::deliveries_of(path)];
    let of_file = |file: PathBuf| ["", "-wal", "-shm"].map(|suffix| beside(&file, suffix));
    files.into_iter().flat_map(of_file)
}

pub(super) fn certificates(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(listen) = ListenConfig::read(input.sources) else {
        return;
    };
    let Some(files) = listen.tls else {
        return;
    };
    let cert = &files.cert;
    if is_suspect([cert, &files.key].into_iter().chain(&files.client_ca).map(|path| &**path)) {
        return;
    }
    let read = tls::read(&files);
    let end = read.is_ok().then(|| tls::end_of_certificate(&files));
    verdicts.add(read.map(|_| format!("{}: {} and its key", TLS_CERT.key, cert.display())));
    if let Some(Ok(Some(line))) = end {
        verdicts.warning(line);
    }
}

/// Additional certificates, and the verifiers of tokens that use them.
pub(super) fn authorities(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    if let Ok(Some(path)) = input.sources.get_opt(GROUPWARE_CA)
        && !is_suspect([&*path])
    {
        let (key, shown) = (GROUPWARE_CA.key, path.display());
        let read = tls::authorities(&path).map(|read| read.len());
        verdicts.add(read.map(|count| format!("{key}: {shown} has {count} certificates")));
    }
}

pub(super) fn tokens(input: &CheckInput<'_, '_>, verdicts: &mut Verdicts) {
    let Ok(Some(path)) = input.sources.get_opt(TOKENS_FILE) else {
        return;
    };
    if is_suspect([&*path]) {
        return;
    }
    let shown = path.display();
    if !open::is_missing(&path) {
        let read = TokensFile::new(&path).list();
        let is_bare = read.iter().flatten().any(|token| token.scopes.is_empty());
        let read = read.map_err(|error| ConfigError::of(TOKENS_FILE, error));
        verdicts.add(read.map(|_| format!("{}: {shown}", TOKENS_FILE.key)));
        if is_bare && matches!(input.sources.get(OPERATION_SCOPES), Ok(true)) {
            let danger = "has tokens without scopes, which open nothing with operation_scopes; make new ones by `portreeve token new --scope`";
            verdicts.warn(TOKENS_FILE, format_args!("{shown} {danger}"));
        }
    } else if let Purpose::Report = input.purpose {
        // Otherwise, opening it reports that.
        let danger = "does not exist yet: no static token is accepted until `portreeve token new` creates it";
        verdicts.warn(TOKENS_FILE, format_args!("{shown} {danger}"));
    }
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
    let usable = if path.exists() {
        check_access(&path, Wanted::WRITE_OK)
    } else {
        check_access(parent(&path), Wanted::WRITE_OK | Wanted::EXEC_OK)
    };
    let (key, shown) = (AUDIT_LOG.key, path.display());
    let advice = "name a file in a directory that the gateway may write to";
    let fault = |problem| ConfigError::of(AUDIT_LOG, format_args!("{shown}: {problem}; {advice}"));
    verdicts.add(usable.map(|()| format!("{key}: {shown}")).map_err(fault));
}

/// Whether the file at `path` can be created, with its directories.
pub(super) fn can_be_made(path: &Path) -> Result<(), String> {
    let mut directory = parent(path);
    while open::is_missing(directory) {
        directory = parent(directory);
    }
    match metadata(directory) {
        Ok(found) if !found.is_dir() => Err(format!("{} is not a directory", directory.display())),
        _ => check_access(directory, Wanted::WRITE_OK | Wanted::EXEC_OK),
    }
}

/// Whether the file at `path` can be changed, and other files created beside it.
pub(super) fn can_be_changed(path: &Path) -> Result<(), String> {
    check_access(path, Wanted::READ_OK | Wanted::WRITE_OK)?;
    check_access(parent(path), Wanted::WRITE_OK | Wanted::EXEC_OK)
}

fn check_access(path: &Path, wanted: Wanted) -> Result<(), String> {
    let owned = path.to_owned();
    let access = move || Ok(accessat(CWD, owned, wanted, AtFlags::EACCESS)?);
    in_time(path, access).map_err(|error| format!("{}: {error}", path.display()))
}
