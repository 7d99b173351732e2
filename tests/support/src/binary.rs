//! The `portreeve` binary as a process.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long a test waits for what must happen, on a machine that is busy with other tests.
pub const LONGEST: Duration = Duration::from_secs(60);

/// The path at which a user sees whether a credential is stored.
pub const STATUS: &str = "/api/v1/background-sync/status";

/// The path of the binary: cargo passes it to the tests that it runs. A test started by hand finds it
/// above its own folder, `deps`.
pub fn program() -> PathBuf {
    match env::var_os("CARGO_BIN_EXE_portreeve") {
        Some(path) => path.into(),
        None => {
            let this = env::current_exe().unwrap();
            let profile = this.parent().and_then(Path::parent).unwrap();
            profile.join(format!("portreeve{}", env::consts::EXE_SUFFIX))
        }
    }
}

/// A command without any setting from the environment of the tests.
pub fn portreeve() -> Command {
    let mut command = Command::new(program());
    command.env_clear();
    // If nothing names a directory, there must be none to find.
    command.env("HOME", "/nonexistent");
    command
}

/// Runs a command to its end, with `input` on its standard input.
pub fn run(command: &mut Command, input: &str) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that needs no input may have ended already.
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    child.wait_with_output().unwrap()
}

/// The output of a command.
pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Asserts success; returns standard output.
pub fn success(command: &mut Command, input: &str) -> String {
    let output = run(command, input);
    assert!(output.status.success(), "{command:?}: {output:?}");
    text(&output.stdout).to_owned()
}

/// Asserts failure with this exit code and one line on standard error; returns the line.
pub fn failure(command: &mut Command, code: i32) -> String {
    let output = run(command, "");
    assert_eq!(output.status.code(), Some(code), "{command:?}: {output:?}");
    let line = text(&output.stderr);
    assert_eq!(line.lines().count(), 1, "{line}");
    line.trim_end().to_owned()
}

/// Asserts that `text` contains each of `parts`.
#[track_caller]
pub fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}

/// A running `serve` or `demo`.
pub struct Served {
    child: Child,
    pub address: SocketAddr,
    /// The lines written before the one with the address.
    pub before_listening: Vec<String>,
    lines: mpsc::Receiver<String>,
}

impl Served {
    /// Starts the command and waits until it listens.
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = mpsc::channel();
        for stream in [
            Box::new(child.stdout.take().unwrap()) as Box<dyn std::io::Read + Send>,
            Box::new(child.stderr.take().unwrap()),
        ] {
            let sender = sender.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    sender.send(line).ok();
                }
            });
        }
        let mut seen = Vec::new();
        loop {
            let Ok(line) = lines.recv_timeout(LONGEST) else {
                child.kill().ok();
                child.wait().ok();
                panic!("it does not listen: {seen:#?}");
            };
            // Others name the address of a database, at which nobody listens, or of which the listener complains.
            if ["listening", "listens on"].iter().any(|said| line.contains(said))
                && let Some(address) = address_in(&line)
            {
                return Self { child, address, before_listening: seen, lines };
            }
            seen.push(line);
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The lines written since the start.
    pub fn lines(&self) -> Vec<String> {
        self.lines.try_iter().collect()
    }

    /// The lines written up to the end of the process, which must end soon.
    pub fn rest(&self) -> Vec<String> {
        self.lines.iter().collect()
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        self.signal("TERM");
    }

    /// Sends the signal of this name.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Waits until a line containing `part` is written; returns it.
    pub fn line_with(&self, part: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(LONGEST) {
                Ok(line) if line.contains(part) => return line,
                Ok(line) => seen.push(line),
                Err(_) => panic!("no line says {part:?}: {seen:#?}"),
            }
        }
    }

    /// Waits for the end.
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait("it ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }

    /// Kills it, like a power cut.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The loopback address in a line.
pub fn address_in(line: &str) -> Option<SocketAddr> {
    let start = line.find("127.0.0.1:")?;
    let end = line[start..].find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':');
    let address =
        line[start..end.map_or(line.len(), |end| start + end)].trim_end_matches(['.', ':']);
    address.parse().ok()
}

/// One HTTP exchange over a new connection, without a runtime.
pub fn http(address: SocketAddr, request: &str) -> super::gateway::Answer {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONGEST)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok();
    super::gateway::Answer::parse(&bytes)
}

/// A GET with a token.
pub fn get(address: SocketAddr, path: &str, token: &str) -> super::gateway::Answer {
    http(
        address,
        &format!(
            "GET {path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
        ),
    )
}

/// A command with all of its files in `dir`, on any port.
pub fn in_dir(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = portreeve();
    command
        .args(arguments)
        .env("PORTREEVE_LISTEN", "127.0.0.1:0")
        .env("PORTREEVE_DATA_DIR", dir)
        .env("PORTREEVE_TOKENS_FILE", dir.join("tokens"));
    command
}

/// `serve` with all of its files in `dir`.
pub fn serve_in(dir: &Path) -> Command {
    let mut command = portreeve();
    command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(dir);
    command.arg("--tokens-file").arg(dir.join("tokens"));
    command
}

/// Makes a token of `user` in the tokens file that [`serve_in`] reads.
pub fn token(dir: &Path, user: &str) -> String {
    let mut command = in_dir(dir, &["token", "new", "--user", user]);
    let printed = success(&mut command, "");
    assert_eq!(printed.lines().count(), 1, "the token alone: {printed}");
    printed.trim_end().to_owned()
}

/// Runs `portreeve credentials` on the vault in `dir`; returns standard output.
pub fn credentials(dir: &Path, arguments: &[&str], input: &str) -> String {
    success(in_dir(dir, &["credentials"]).args(arguments), input)
}

/// One exchange; `None` if there is no answer.
pub fn exchange(
    address: SocketAddr,
    method: &str,
    path: &str,
    token: &str,
) -> Option<super::gateway::Answer> {
    let mut stream = std::net::TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
    let head = format!("{method} {path} HTTP/1.1\r\nHost: g\r\nConnection: close\r\n");
    let request = format!("{head}Authorization: Bearer {token}\r\n\r\n");
    stream.write_all(request.as_bytes()).ok()?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).ok()?;
    Some(super::gateway::Answer::parse(&bytes))
}

/// Whether a credential is stored for the token's user; `None` if the gateway cannot say.
pub fn has_access(address: SocketAddr, token: &str) -> Option<bool> {
    let answer = exchange(address, "GET", STATUS, token)?;
    (answer.status == 200).then(|| answer.json()["has_background_access"] == true)
}

/// Whether `/readyz` reports readiness.
pub fn is_ready(address: SocketAddr) -> bool {
    exchange(address, "GET", "/readyz", "none").is_some_and(|answer| answer.status == 200)
}

/// Waits up to a minute for the condition.
pub fn wait(what: &str, mut until: impl FnMut() -> bool) {
    let deadline = Instant::now() + LONGEST;
    while !until() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
