//! A pgbouncer that a test starts before a PostgreSQL server, from the program of this machine (Debian's package
//! `pgbouncer`). It ends with the test, and with a test binary that is killed.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::postgres::{Postgres, ROLE, as_user, free_port, is_required};

const PROGRAM: &str = "/usr/sbin/pgbouncer";

/// A running pgbouncer.
pub struct PgBouncer {
    /// A shell that waits for the end of its input.
    child: Child,
    id: u32,
    port: u16,
    server: u16,
    directory: TempDir,
}

// === impl PgBouncer ===

impl PgBouncer {
    /// Starts one before `server`, in a pool mode of pgbouncer's; `None`, and a line that says so, if this machine
    /// has no pgbouncer.
    pub fn before(server: &Postgres, pool_mode: &str) -> Option<Self> {
        if !Path::new(PROGRAM).exists() {
            assert!(
                !is_required(),
                "PORTREEVE_POSTGRES_TESTS is set, and there is no {PROGRAM}: install pgbouncer"
            );
            eprintln!("left out: there is no pgbouncer on this machine");
            return None;
        }
        let directory = tempfile::tempdir().unwrap();
        // Its user has to reach it.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o711)).unwrap();
        let port = free_port();
        configure(directory.path(), port, server.port, pool_mode);
        let mut child = as_user(Path::new("/bin/sh"))
            .args([
                "-c",
                "\"$1\" -q \"$2\" </dev/null >/dev/null 2>&1 & echo $!; cat; kill -9 $!",
                "sh",
                PROGRAM,
            ])
            .arg(directory.path().join("ini"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut id = String::new();
        let mut told = BufReader::new(child.stdout.take().unwrap());
        told.read_line(&mut id).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < deadline, "pgbouncer does not answer");
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(Self { child, id: id.trim().parse().unwrap(), port, server: server.port, directory })
    }

    /// `url`, a database of the server, by way of this pooler.
    pub fn through(&self, url: &str) -> String {
        url.replace(&format!(":{}/", self.server), &format!(":{}/", self.port))
    }

    /// Gives it another pool mode while it serves.
    pub fn set_pool_mode(&self, pool_mode: &str) {
        configure(self.directory.path(), self.port, self.server, pool_mode);
        let mut reload = Command::new("kill");
        assert!(reload.args(["-HUP", &self.id.to_string()]).status().unwrap().success());
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

fn configure(directory: &Path, port: u16, server: u16, pool_mode: &str) {
    let text = format!(
        "[databases]\n* = host=127.0.0.1 port={server} user={ROLE}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
         listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {pool_mode}\n"
    );
    fs::write(directory.join("ini"), text).unwrap();
}
