//! The servers as processes: the bare one and the gateway.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use portreeve::identity::TokensFile;
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A server, which ends with this value.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
}

/// Bytes that a process holds.
#[derive(Clone, Copy)]
pub(crate) struct Memory(pub(crate) u64);

/// Lets this process have as many connections as it may.
pub(crate) fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, raised).unwrap();
}

/// This program as the bare server.
pub(crate) fn bare() -> Running {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("--bare").stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let address = address(child.stdout.take().unwrap());
    Running { child, address }
}

/// The gateway with its files in `data`, and with at most `open_files`.
pub(crate) fn gateway(data: &Path, open_files: Option<usize>, settings: &[&str]) -> Running {
    let binary = env!("CARGO_BIN_EXE_portreeve");
    let limit = open_files.map_or_else(String::new, |files| format!("ulimit -n {files}; "));
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{limit}exec \"$@\""), "sh", binary, "serve"])
        .args(["--listen", "127.0.0.1:0", "--idle-timeout", "1h"])
        .arg("--data-dir")
        .arg(data)
        .arg("--tokens-file")
        .arg(data.join("tokens"))
        .args(settings)
        .env("RUST_LOG", "off,portreeve::cli=info")
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let address = address(child.stderr.take().unwrap());
    Running { child, address }
}

/// Stores a credential and makes a token for each of so many users; returns the tokens.
pub(crate) async fn provision(data: &Path, users: usize) -> Vec<String> {
    let keyring = Keyring::read_or_create(data.join("vault.key")).unwrap();
    let store = SqliteStore::open(data.join("portreeve.db")).await.unwrap();
    let vault = Vault::new(keyring, store);
    let password = AppPassword::new(&"FAKEAppPassword".repeat(4)).unwrap();
    let tokens = TokensFile::new(data.join("tokens"));
    let mut made = Vec::new();
    for user in (0..users).map(|at| format!("user{at}")) {
        vault.put(&user, &user, &password).await.unwrap();
        made.push(tokens.new_token(&user, []).unwrap().token.expose().to_owned());
    }
    made
}

// === impl Running ===

impl Running {
    /// What the process holds of real memory.
    pub(crate) fn memory(&self) -> Memory {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes = line.unwrap().trim().trim_end_matches(" kB").parse::<u64>();
        Memory(kibibytes.unwrap() * 1024)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

// === impl Memory ===

impl std::fmt::Display for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} MiB", self.0 as f64 / 1024.0 / 1024.0)
    }
}

/// The address in the line that says so; the lines after it are read and dropped.
fn address(output: impl std::io::Read + Send + 'static) -> SocketAddr {
    let mut lines = BufReader::new(output).lines();
    loop {
        let line = lines.next().expect("it listens").unwrap();
        let Some((_, rest)) = line.split_once("listening") else {
            continue;
        };
        // Without the colours of a terminal.
        let start = rest.find("127.0.0.1:").expect("an address");
        let end = rest[start..].find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':');
        let address = &rest[start..end.map_or(rest.len(), |end| start + end)];
        std::thread::spawn(move || lines.for_each(drop));
        return address.parse().unwrap();
    }
}
