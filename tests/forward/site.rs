//! A server with the DAV interfaces of a Nextcloud, and the gateway in front of it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::binary::{Served, credentials, exchange, in_dir, serve_in, success};

/// The app password of alice.
pub(crate) const PASSWORD: &str = "FAKEAppPasswordalice0000000000000000000000";
const PASSWORD_OF_BOB: &str = "FAKEAppPasswordbob000000000000000000000000";

/// What a token has that may do everything here.
pub(crate) const ALL: [&str; 6] = [
    "files.read",
    "files.write",
    "calendar.read",
    "calendar.write",
    "contacts.read",
    "contacts.write",
];
/// What a token has that may change nothing.
pub(crate) const READS: [&str; 3] = ["files.read", "calendar.read", "contacts.read"];

/// The path of alice's files.
pub(crate) const FILES: &str = "/remote.php/dav/files/alice";
/// Where clients start that find the rest themselves.
pub(crate) const DAV: &str = "/remote.php/dav/";

/// What a client is told: where the server is, and how to log in.
pub(crate) struct Door {
    /// Also that of the folders that a test makes there.
    pub(crate) name: &'static str,
    pub(crate) url: String,
    pub(crate) login: Login,
}

pub(crate) enum Login {
    /// As alice, with [`PASSWORD`].
    Basic,
    Bearer(String),
}

/// The server and the gateway. They keep all that they have in a temporary folder.
pub(crate) struct Site {
    server: Child,
    server_url: String,
    gateway: Served,
    dir: TempDir,
}

// === impl Site ===

impl Site {
    /// `None` if one of these `programs`, or a package of Python, is missing and not mandatory.
    pub(crate) fn with(programs: &[&str]) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has = |name: &str| std::env::split_paths(&path).any(|it| it.join(name).is_file());
        if let Some(missing) = programs.iter().find(|name| !has(name)) {
            leave_out(missing);
            return None;
        }
        let packages = "import caldav, cheroot, radicale, vdirsyncer, wsgidav";
        let imported = Command::new(tool("python")).args(["-c", packages]).output();
        if !imported.is_ok_and(|imported| imported.status.success()) {
            leave_out(
                "python3 -m venv target/venv && target/venv/bin/pip install -r tests/forward/requirements.txt",
            );
            return None;
        }
        Some(Self::start())
    }

    fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(logins(dir.path()), format!("alice:{PASSWORD}\nbob:{PASSWORD_OF_BOB}\n"))
            .unwrap();
        let mut server = Command::new(tool("python"))
            .arg(program("server.py"))
            .arg(dir.path().join("server"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let mut server_url = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut server_url).unwrap();
        let server_url = server_url.trim_end().to_owned();
        assert!(server_url.starts_with("http://127.0.0.1:"), "the server did not start");

        credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
        credentials(dir.path(), &["put", "--user", "bob"], PASSWORD_OF_BOB);
        token(dir.path(), "alice", &ALL);
        let mut serve = serve_in(dir.path());
        serve.args(["--groupware-url", &server_url]);
        serve.env("PORTREEVE_FORWARD", "files,calendar,contacts");
        let gateway = Served::start(&mut serve);
        Self { server, server_url, gateway, dir }
    }

    /// Straight to the server, and through the gateway with a token that may do everything.
    pub(crate) fn doors(&self) -> [Door; 2] {
        let direct = Door { name: "direct", url: self.server_url.clone(), login: Login::Basic };
        [direct, self.gateway("alice", &ALL)]
    }

    /// Through the gateway with a new token of `user` that has these scopes.
    pub(crate) fn gateway(&self, user: &str, scopes: &[&str]) -> Door {
        let token = token(self.dir.path(), user, scopes);
        let url = format!("http://{}", self.gateway.address);
        Door { name: "gateway", url, login: Login::Bearer(token) }
    }

    /// The status of the gateway's answer to a request without a body.
    pub(crate) fn send(&self, user: &str, scopes: &[&str], method: &str, path: &str) -> u16 {
        let token = token(self.dir.path(), user, scopes);
        exchange(self.gateway.address, method, path, &token).map_or(0, |answer| answer.status)
    }

    /// A client, in an empty environment. It has ended after a minute.
    pub(crate) fn client(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new("timeout");
        command.arg("60").arg(program.as_ref()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path()).current_dir(self.dir.path());
        command
    }

    /// A path in the folder of this site.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file of random bytes, the same for each length.
    pub(crate) fn file(&self, name: &str, length: usize) -> PathBuf {
        let mut bytes = vec![0; length];
        fastrand::Rng::with_seed(length as u64).fill(&mut bytes);
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// From now on the server refuses every app password.
    pub(crate) fn revoke_app_passwords(&self) {
        std::fs::write(logins(self.dir.path()), "").unwrap();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
        if std::thread::panicking() {
            println!("the gateway said: {:#?}", self.gateway.lines());
        }
    }
}

/// A program that `requirements.txt` installs, or its Python.
pub(crate) fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/venv/bin").join(name)
}

/// A program of this folder.
pub(crate) fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/forward").join(name)
}

fn logins(dir: &Path) -> PathBuf {
    let folder = dir.join("server");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("logins")
}

fn token(dir: &Path, user: &str, scopes: &[&str]) -> String {
    let mut command = in_dir(dir, &["token", "new", "--user", user]);
    for scope in scopes {
        command.args(["--scope", scope]);
    }
    success(&mut command, "").trim_end().to_owned()
}

/// Says that this test needs what is missing.
fn leave_out(missing: &str) {
    let mandatory = std::env::var_os("PORTREEVE_CLIENT_TESTS").is_some_and(|on| on == "1");
    assert!(!mandatory, "PORTREEVE_CLIENT_TESTS=1 needs `{missing}`");
    // Bypasses the capture of the test harness, so that it is seen.
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("\nleft out: {test}: it needs `{missing}`\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}
