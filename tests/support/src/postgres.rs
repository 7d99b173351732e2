//! A PostgreSQL server that a test starts itself, from the programs of this machine.
//!
//! It listens on loopback and on a unix socket, keeps its data in a directory of its own, and ends with
//! whatever ends the test: a thread of the test binary waits for that by a pipe, so that also a binary
//! that is killed leaves no server behind.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::slow_disk::SlowDisk;

/// If set, tests fail that would otherwise be skipped without the programs.
const REQUIRED: &str = "PORTREEVE_POSTGRES_TESTS";

/// The user of the server if the tests run as root, which it refuses.
const USER: &str = "nobody";

/// The superuser of the database.
pub const ROLE: &str = "port";

/// A running server.
pub struct Postgres {
    child: Child,
    pub port: u16,
    bin: PathBuf,
    directory: TempDir,
    /// The disk of its data, if a test can slow it down.
    disk: Option<SlowDisk>,
}

/// The server that the tests of this binary share, each with a database of its own.
///
/// It is stopped when the process ends, not when a test does.
pub fn shared() -> Option<&'static Postgres> {
    static SHARED: OnceLock<Option<Postgres>> = OnceLock::new();
    SHARED.get_or_init(Postgres::start).as_ref()
}

// === impl Postgres ===

impl Postgres {
    /// Starts one; `None`, and a line that says so, if this machine has no programs for it.
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// As [`start`](Self::start), with settings of postgresql.conf (`name=value`).
    pub fn start_with(settings: &[&str]) -> Option<Self> {
        let Some(bin) = programs() else {
            assert!(
                !is_required(),
                "{REQUIRED} is set, and there is no initdb: install PostgreSQL"
            );
            eprintln!("left out: there is no PostgreSQL on this machine");
            return None;
        };
        let directory = directory_of_data();
        let data = directory.path().join("data");
        let made = as_user(&bin.join("initdb"))
            .args(["--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C"])
            .args(["-U", ROLE, "-D"])
            .arg(&data)
            .stdout(Stdio::null())
            .status();
        assert!(made.unwrap().success(), "initdb failed");
        let mut text = String::from(
            "max_connections = 100\nshared_buffers = '16MB'\nautovacuum = on\n\
             listen_addresses = '127.0.0.1'\nmax_wal_size = '128MB'\nlog_min_messages = fatal\n",
        );
        text.push_str(&format!("unix_socket_directories = '{}'\n", data.display()));
        for setting in settings {
            text.push_str(setting);
            text.push('\n');
        }
        let conf = data.join("postgresql.conf");
        let mut all = fs::read_to_string(&conf).unwrap();
        all.push_str(&text);
        fs::write(&conf, all).unwrap();
        let port = free_port();
        let child = run(&bin, &data, port, None);
        let mut server = Self { child, port, bin, directory, disk: None };
        server.wait_until_ready(free_port);
        Some(server)
    }

    /// Starts a standby of it, which follows it without keeping it waiting.
    pub fn standby(&self) -> Self {
        let directory = directory_of_data();
        let data = directory.path().join("data");
        let copied = self
            .program("pg_basebackup")
            .args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", ROLE])
            .args(["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(copied.status.success(), "{copied:?}");
        let socket = format!("unix_socket_directories = '{}'\n", data.display());
        let conf = data.join("postgresql.conf");
        let all = fs::read_to_string(&conf).unwrap();
        fs::write(&conf, all + &socket).unwrap();
        let bin = self.bin.clone();
        let port = free_port();
        let child = run(&bin, &data, port, None);
        let mut server = Self { child, port, bin, directory, disk: None };
        server.wait_until_ready(free_port);
        server
    }

    /// Makes a database; returns its URL. Each call makes another one.
    pub fn database(&self) -> String {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let name = format!("gate{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        self.psql("postgres", &format!("CREATE DATABASE {name}"));
        self.url(&name)
    }

    /// The URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{ROLE}@127.0.0.1:{}/{database}", self.port)
    }

    /// The directory of its unix socket.
    pub fn socket(&self) -> PathBuf {
        self.data()
    }

    pub fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// Runs SQL as the superuser; returns what it printed, without headings.
    pub fn psql(&self, database: &str, sql: &str) -> String {
        let output = self.try_psql(database, sql);
        assert!(output.status.success(), "{sql}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn try_psql(&self, database: &str, sql: &str) -> std::process::Output {
        Command::new(self.bin.join("psql"))
            .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", ROLE])
            .args(["-p", &self.port.to_string(), "-d", database, "-c", sql])
            .env_clear()
            // Also where a test has switched writes off.
            .env("PGOPTIONS", "-c default_transaction_read_only=off")
            .output()
            .unwrap()
    }

    /// Another program of PostgreSQL, run as its user.
    pub fn program(&self, name: &str) -> Command {
        as_user(&self.bin.join(name))
    }

    /// The process of the server.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends the server a signal, and all of its processes if it is to stand still or go on.
    pub fn signal(&self, name: &str) {
        let signal = |id: u32| {
            let mut kill = Command::new("kill");
            kill.arg(format!("-{name}")).arg(id.to_string());
            kill.status().unwrap().success()
        };
        let id = self.id();
        assert!(signal(id));
        if matches!(name, "STOP" | "CONT") {
            for child in children(id) {
                // One that has ended meanwhile needs none.
                signal(child);
            }
        }
    }

    /// Kills it with all of its processes, like a power cut.
    pub fn kill(&mut self) {
        // First, since it would restart the others.
        let mut ids = vec![self.child.id()];
        ids.extend(children(self.child.id()));
        let processes: Vec<_> = ids.into_iter().map(|id| (id, started(id))).collect();
        for (id, _) in &processes {
            Command::new("kill").args(["-9", &id.to_string()]).stderr(Stdio::null()).status().ok();
        }
        self.child.wait().unwrap();
        // They hold the memory that the next server wants.
        let deadline = Instant::now() + Duration::from_secs(60);
        let is_running =
            |(id, began): &(u32, Option<String>)| began.is_some() && started(*id) == *began;
        while processes.iter().any(is_running) {
            assert!(Instant::now() < deadline, "a process of the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Stops it gracefully.
    pub fn stop(&mut self) {
        self.signal("INT");
        self.child.wait().unwrap();
    }

    /// Starts it again with the same data, and waits until it answers.
    pub fn start_again(&mut self) {
        self.child = self.run();
        // Its URLs are known.
        let port = self.port;
        self.wait_until_ready(|| port);
    }

    /// Restarts it with its data on `disk`.
    pub fn move_to(&mut self, disk: SlowDisk) {
        self.stop();
        self.disk = Some(disk);
        self.start_again();
    }

    /// The disk that [`move_to`](Self::move_to) moved it to.
    pub fn disk(&self) -> &SlowDisk {
        self.disk.as_ref().expect("it was moved to one")
    }

    fn run(&self) -> Child {
        run(&self.bin, &self.data(), self.port, self.disk.as_ref())
    }

    /// Waits until it answers itself: a server of another test may have taken its port. If it has ended, it is started
    /// again, at `port`.
    fn wait_until_ready(&mut self, port: impl Fn() -> u16) {
        let deadline = Instant::now() + Duration::from_secs(60);
        let data = self.data().display().to_string();
        let is_itself = |answer: std::process::Output| {
            answer.status.success() && String::from_utf8_lossy(&answer.stdout).trim() == data
        };
        while !is_itself(self.try_psql("postgres", "SHOW data_directory")) {
            let log = || fs::read_to_string(self.directory.path().join("log"));
            assert!(Instant::now() < deadline, "the server does not answer: {:?}", log());
            // A process of the one before it may have had the memory a moment too long.
            if self.child.try_wait().unwrap().is_some() {
                self.port = port();
                self.child = self.run();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A new directory, with an empty one for the data of a server.
fn directory_of_data() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    // Its user has to reach it.
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let data = directory.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    if is_root() {
        let owned = Command::new("chown").arg("-R").arg(USER).arg(&data).status();
        assert!(owned.unwrap().success());
    }
    directory
}

/// The directory of the programs.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<_> = versions.flatten().map(|it| it.path().join("bin")).collect();
        versions.sort();
        directories.extend(versions.into_iter().rev());
    }
    let mut found = directories.iter().filter_map(|it| fs::canonicalize(it.join("initdb")).ok());
    found.find_map(|initdb| Some(initdb.parent()?.to_owned()))
}

/// Starts the server under a shell that waits for the end of the test binary: its standard input is a
/// pipe that nobody writes to, and whose other end closes with this process.
fn run(bin: &Path, data: &Path, port: u16, disk: Option<&SlowDisk>) -> Child {
    let mut server = as_user(&bin.join("postgres"));
    if let Some(disk) = disk {
        disk.under(&mut server);
    }
    let server = server
        .arg("-D")
        .arg(data)
        .args(["-p", &port.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(data.with_file_name("log")).unwrap())
        .spawn()
        .unwrap();
    // `cat` ends when this process does, however it ends.
    let guard = Command::new("sh")
        .arg("-c")
        .arg(
            "cat >/dev/null; kill -9 $(head -1 \"$1/postmaster.pid\" 2>/dev/null) 2>/dev/null; \
             sleep 1; rm -rf \"$(dirname \"$1\")\"",
        )
        .arg("sh")
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Its input is open until this process ends.
    std::mem::forget(guard);
    server
}

/// A command as a user that the server accepts.
pub(crate) fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", USER, "--regid", "nogroup", "--clear-groups", "--"]);
    command.arg(program);
    command.current_dir("/");
    command
}

/// Whether tests must not be left out.
pub(crate) fn is_required() -> bool {
    std::env::var_os(REQUIRED).is_some()
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0)
}

/// A port that nobody listens on. It stays free until the test takes it, and while what it belongs to restarts: it is
/// below those that the system gives out by itself, and apart from those of test programs that were started just
/// before or after this one.
pub fn free_port() -> u16 {
    static TRIED: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() * 97 % 10_000) as u16;
    let next = || first + TRIED.fetch_add(1, Ordering::Relaxed);
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::iter::repeat_with(next).find(is_free).unwrap()
}

fn children(id: u32) -> Vec<u32> {
    let path = format!("/proc/{id}/task/{id}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|it| it.parse().ok()).collect()
}

/// When the process began, which tells it from another one that gets its number later; `None` if it has
/// ended.
fn started(id: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // Behind the name, which may have anything in it: the state, and as the 20th field the time.
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    (state != "Z").then(|| fields.nth(18).map(str::to_owned))?
}
