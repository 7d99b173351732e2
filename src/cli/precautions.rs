//! What `serve` looks at before it opens anything, so that stored passwords stay with the gateway: who
//! else can reach its files, how secrets are chosen, what other processes can read of its memory.

use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, geteuid, getrlimit, setrlimit};

use super::{Failure, tls};
use crate::config::setting::{
    ALL, AUDIT_LOG, DATABASE_URL, ENCRYPTION_KEYS, KEY_FILE, Kind, LISTEN, PUBLIC_URL, Setting,
    TLS_CERT, TLS_CLIENT_CA, TLS_KEY, TOKENS_FILE,
};
use crate::config::{Config, ConfigError, Keys, Sources};

/// Bytes below which a secret can be found by trying.
const SHORT: usize = 16;

/// Bits of a file's mode that let its group or everybody write, and read.
const WRITE_BY_OTHERS: u32 = 0o022;
const READ_BY_OTHERS: u32 = 0o044;

/// Looks at the files and the secrets of `config`; returns a line for each thing that
/// works and is dangerous.
///
/// # Errors
/// Others can write to a file that decides who gets in or what is sent.
pub(super) fn warnings(sources: &Sources<'_>, config: &Config) -> Result<Vec<String>, Failure> {
    let mut warnings = Vec::new();
    for (setting, path) in files(config) {
        warnings.extend(exposure(setting, &path)?);
    }
    for (setting, path) in public_files(config) {
        // That others can read it is no harm.
        exposure(setting, path)?;
    }
    for setting in ALL {
        // The keys of the vault are of one length, and checked when they are read.
        if setting.kind != Kind::Secret || setting.key == ENCRYPTION_KEYS.key {
            continue;
        }
        if let Some(written) = sources.find(setting)?
            && written.text.len() < SHORT
        {
            warnings.push(format!(
                "{}: the secret is shorter than {SHORT} bytes and can be found by trying; make one \
                 with `openssl rand -base64 32`",
                written.origin
            ));
        }
    }
    #[cfg(feature = "postgres")]
    if let crate::config::Database::Postgres(options) = &config.vault.database
        && let Some(exposure) = options.exposure()
    {
        warnings.push(format!("{}: {exposure}", DATABASE_URL.key));
    }
    if let Some(files) = &config.listen.tls {
        warnings.extend(tls::end_of_certificate(files)?);
    }
    if let Some(url) = &config.public_url
        && !url.is_https()
        && !url.is_loopback()
    {
        warnings.push(format!(
            "{}: {url} is plain http, so callers are told to send their tokens unencrypted; RFC 9728 \
             wants https",
            PUBLIC_URL.key
        ));
    }
    Ok(warnings)
}

/// A line for each of `addresses` that others can reach without TLS.
pub(super) fn plain_http<'a>(
    addresses: impl IntoIterator<Item = &'a SocketAddr>,
    has_tls: bool,
) -> Vec<String> {
    let reached = |address: &&SocketAddr| !has_tls && !address.ip().to_canonical().is_loopback();
    let line = |address: &SocketAddr| {
        format!(
            "{}: {address} can be reached from other machines without TLS, so tokens and app passwords \
             can be read on the way; set {} and {}, or listen on 127.0.0.1 behind a proxy that speaks TLS",
            LISTEN.key, TLS_CERT.key, TLS_KEY.key
        )
    };
    addresses.into_iter().filter(reached).map(line).collect()
}

/// Denies the memory of this process, which has keys and passwords in it, to core dumps and to the
/// other processes of its user.
///
/// # Errors
/// If the system refuses it.
pub(super) fn hide_memory() -> io::Result<()> {
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    }
    Ok(())
}

/// Raises the soft limit of open files to the hard one: each connection is one, and many systems start
/// with a soft limit far below `max_connections`.
///
/// # Errors
/// If the system refuses it.
pub(super) fn raise_open_files() -> io::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    Ok(setrlimit(Resource::Nofile, raised)?)
}

/// The files that decide who gets in, those that hold passwords, and the record of who did what.
fn files(config: &Config) -> Vec<(&'static Setting, PathBuf)> {
    let mut files = Vec::new();
    if let Keys::File(path) = &config.vault.keys {
        files.push((KEY_FILE, path.clone()));
    }
    if let Some(path) = &config.identity.tokens_file {
        files.push((TOKENS_FILE, path.clone()));
    }
    // A terminal, a pipe or the like is for whoever made it to guard.
    if let Some(path) = config.audit_log.as_ref().filter(|path| path.is_file()) {
        files.push((AUDIT_LOG, path.clone()));
    }
    if let Some(tls) = &config.listen.tls {
        files.push((TLS_KEY, tls.key.clone()));
    }
    if let Some(database) = config.vault.database.file() {
        for suffix in ["", "-wal", "-shm"] {
            let mut path = database.as_os_str().to_owned();
            path.push(suffix);
            files.push((DATABASE_URL, path.into()));
        }
    }
    files
}

/// The files that decide who gets in, and hold no secret.
fn public_files(config: &Config) -> impl Iterator<Item = (&'static Setting, &Path)> {
    let tls = config.listen.tls.as_ref();
    let cert = tls.map(|files| (TLS_CERT, files.cert.as_path()));
    let client_ca = tls.and_then(|files| files.client_ca.as_deref());
    cert.into_iter()
        .chain(client_ca.map(|path| (TLS_CLIENT_CA, path)))
}

/// What others can do with the file at `path`; a file that is missing is made private later.
fn exposure(setting: &Setting, path: &Path) -> Result<Option<String>, ConfigError> {
    // Whatever else is wrong with it, opening it says so.
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(None);
    };
    let mode = metadata.mode() & 0o7777;
    let file = path.display();
    if mode & WRITE_BY_OTHERS != 0 {
        return Err(ConfigError::of(
            setting,
            format!(
                "others can write to {file} (mode {mode:04o}); make sure that nobody did, then \
                 `chmod go-w {file}`"
            ),
        ));
    }
    if mode & READ_BY_OTHERS != 0 {
        return Ok(Some(format!(
            "{}: others can read {file} (mode {mode:04o}); `chmod go= {file}`",
            setting.key
        )));
    }
    let (owner, this) = (metadata.uid(), geteuid().as_raw());
    Ok((owner != this && owner != 0).then(|| {
        format!(
            "{}: {file} belongs to the user {owner}, who can read and change it, and not to the \
             gateway's, {this}; `chown {this} {file}`",
            setting.key
        )
    }))
}
