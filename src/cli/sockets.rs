//! The sockets that `serve` listens on: those of its settings, or those that systemd passes.

use std::fmt;
use std::fs;
use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener as StdUnixListener, UnixStream};
use std::path::{Path, PathBuf};

use listenfd::ListenFd;
use portreeve::server::{Listeners, Tls};
use rustix::fs::{Access, AtFlags, CWD, Mode, accessat};
use rustix::net::sockopt::socket_acceptconn;
use rustix::process::umask;
use tokio::net::{TcpListener, UnixListener};

use super::Failure;
use crate::config::{Listen, ListenConfig};
use crate::files::parent;

/// A socket that systemd created and passed on (`sd_listen_fds(3)`).
pub(super) enum Inherited {
    Tcp(std::net::TcpListener),
    Unix(StdUnixListener),
}

pub(super) struct Sockets {
    pub(super) listeners: Listeners,
    pub(super) addresses: Vec<Listen>,
    /// The files of its own unix sockets, removed with this value.
    pub(super) files: Vec<SocketFile>,
}

/// The file of a unix socket, removed with this value.
pub(super) struct SocketFile {
    path: PathBuf,
    /// Device and inode: another process may have put its own there.
    id: (u64, u64),
}

/// The sockets that systemd passed to this process; empty if it was not socket-activated.
///
/// Call it before any other thread exists, since it removes the environment variables about them.
pub(super) fn inherited() -> Result<Vec<Inherited>, Failure> {
    let mut handed = ListenFd::from_env();
    let mut sockets = Vec::new();
    for at in 0..handed.len() {
        let unusable = |error: &dyn std::fmt::Display| {
            Failure::new(format_args!(
                "socket {at} of those passed by systemd (LISTEN_FDS) is not a listening TCP or unix \
                 stream socket: {error}; use ListenStream= in the .socket unit, with Accept=no"
            ))
        };
        // A socket of another kind is left for the next attempt.
        let socket = match handed.take_tcp_listener(at) {
            Ok(Some(listener)) => Inherited::Tcp(listener),
            Ok(None) => continue,
            Err(_) => match handed.take_unix_listener(at) {
                Ok(Some(listener)) => Inherited::Unix(listener),
                Ok(None) => continue,
                Err(error) => return Err(unusable(&error)),
            },
        };
        let listens = match &socket {
            Inherited::Tcp(listener) => socket_acceptconn(listener),
            Inherited::Unix(listener) => socket_acceptconn(listener),
        };
        if !listens.map_err(|error| unusable(&error))? {
            return Err(unusable(&"it does not listen"));
        }
        sockets.push(socket);
    }
    Ok(sockets)
}

pub(super) fn tcp_addresses(listen: &[Listen], inherited: &[Inherited]) -> Vec<SocketAddr> {
    if inherited.is_empty() {
        return listen.iter().filter_map(Listen::tcp).copied().collect();
    }
    let address = |socket: &Inherited| match socket {
        Inherited::Tcp(listener) => listener.local_addr().ok(),
        Inherited::Unix(_) => None,
    };
    inherited.iter().filter_map(address).collect()
}

// === impl Sockets ===

impl Sockets {
    /// Listens on `sockets` or, if there are none, on the addresses of `config`. `tls` applies to TCP.
    pub(super) fn open(
        config: &ListenConfig,
        mut sockets: Vec<Inherited>,
        tls: Option<&Tls>,
    ) -> Result<Self, Failure> {
        let (mut listeners, mut addresses, mut files) =
            (Listeners::default(), Vec::new(), Vec::new());
        if sockets.is_empty() {
            for address in &config.addresses {
                sockets.push(match address {
                    Listen::Tcp(address) => {
                        let bound = std::net::TcpListener::bind(address);
                        Inherited::Tcp(bound.map_err(|error| unbound(error, address, "address"))?)
                    }
                    Listen::Unix(path) => {
                        let (listener, file) = bind_unix(path, config.unix_mode)?;
                        files.push(file);
                        Inherited::Unix(listener)
                    }
                });
            }
        }
        for socket in sockets {
            match socket {
                Inherited::Tcp(listener) => {
                    listener.set_nonblocking(true)?;
                    let listener = TcpListener::from_std(listener)?;
                    addresses.push(Listen::Tcp(listener.local_addr()?));
                    listeners = match tls {
                        Some(tls) => listeners.tls(listener, tls.clone()),
                        None => listeners.tcp(listener),
                    };
                }
                Inherited::Unix(listener) => {
                    listener.set_nonblocking(true)?;
                    let address = listener.local_addr()?;
                    let path = address.as_pathname().unwrap_or(Path::new("(no path)"));
                    addresses.push(Listen::Unix(path.to_owned()));
                    listeners = listeners.unix(UnixListener::from_std(listener)?);
                }
            }
        }
        Ok(Self { listeners, addresses, files })
    }
}

// === impl SocketFile ===

impl Drop for SocketFile {
    fn drop(&mut self) {
        if id_of(&self.path).is_ok_and(|id| id == self.id) {
            // It is stale then, which the next start detects.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn unbound(error: io::Error, address: impl fmt::Display, what: &str) -> Failure {
    Failure::new(format_args!("cannot listen on {address}: {error}; --listen takes another {what}"))
}

/// Listens at `path`, replacing a socket whose process is gone.
fn bind_unix(path: &Path, mode: u32) -> Result<(StdUnixListener, SocketFile), Failure> {
    let failed = |error| unbound(error, format_args!("unix:{}", path.display()), "path");
    // Serialises processes that find the same stale socket. Dropping the file releases the lock.
    let dir = fs::File::open(parent(path)).map_err(failed)?;
    dir.lock().map_err(failed)?;
    if is_stale(path).map_err(failed)? {
        fs::remove_file(path).map_err(failed)?;
    }
    // Nobody else can connect before the mode is set.
    let mask = umask(Mode::from_raw_mode(0o177));
    let bound = StdUnixListener::bind(path);
    umask(mask);
    let listener = bound.map_err(failed)?;
    let file = SocketFile { path: path.to_owned(), id: id_of(path).map_err(failed)? };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)?;
    Ok((listener, file))
}

/// Whether there is a socket at `path` on which no process listens; `false` if there is none.
fn is_stale(path: &Path) -> io::Result<bool> {
    let metadata = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        metadata => metadata?,
    };
    if !metadata.file_type().is_socket() {
        return Err(io::Error::other("the file there is not a socket"));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(true),
        // It is listening, or that is unknown.
        Ok(_) => {
            Err(io::Error::new(io::ErrorKind::AddrInUse, "another process is listening there"))
        }
        Err(error) => Err(error),
    }
}

/// Whether a unix socket can be created at `path`. Nothing is created or removed.
pub(super) fn check_socket(path: &Path) -> io::Result<()> {
    std::os::unix::net::SocketAddr::from_pathname(path)?;
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    accessat(CWD, parent(path), wanted, AtFlags::EACCESS)?;
    is_stale(path).map(drop)
}

fn id_of(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}
