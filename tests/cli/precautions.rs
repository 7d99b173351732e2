//! How `serve` protects itself from other processes, and from too few open files.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::support::binary::{
    Served, assert_contains, credentials, in_dir, serve_in, success, token, wait,
};
use crate::support::gateway::PASSWORD;

#[cfg(target_os = "linux")]
#[test]
fn serve_makes_no_core_dump_and_is_not_dumpable() {
    let dir = data_dir();
    let mut command = serve_in(dir.path());
    // The kernel makes root the owner of the /proc files of a process that is not dumpable, which
    // can only be seen if another user runs the process.
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        for path in [dir.path().to_owned()]
            .into_iter()
            .chain(fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()))
        {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    let served = Served::start(&mut command);
    let own = |name: &str| format!("/proc/{}/{name}", served.id());
    let limits = fs::read_to_string(own("limits")).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size"));
    let numbers: Vec<_> = core.unwrap().split_whitespace().skip(4).take(2).collect();
    assert_eq!(numbers, ["0", "0"], "{limits}");
    assert_eq!(fs::metadata(own("environ")).unwrap().uid(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn serve_raises_the_soft_limit_of_open_files() {
    let dir = data_dir();
    let served = Served::start(&mut limited(dir.path(), "-Sn 128"));
    let limits = fs::read_to_string(format!("/proc/{}/limits", served.id())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files"));
    let numbers: Vec<_> = files.unwrap().split_whitespace().skip(3).take(2).collect();
    assert_eq!(numbers[0], numbers[1], "{limits}");
    assert_ne!(numbers[0], "128", "{limits}");
}

#[test]
fn more_connections_than_open_files_do_not_end_it() {
    let dir = data_dir();
    let served = Served::start(&mut limited(dir.path(), "-n 64"));
    let is_served = || {
        let mut stream = TcpStream::connect(served.address).unwrap();
        let timeout = Some(Duration::from_millis(500));
        stream.set_read_timeout(timeout).unwrap();
        let request = b"GET /healthz HTTP/1.1\r\nHost: g\r\n\r\n";
        stream.write_all(request).unwrap();
        stream.read_exact(&mut [0]).is_ok()
    };
    let many = (0..200).map(|_| TcpStream::connect(served.address).unwrap());
    let many: Vec<_> = many.collect();
    wait("no file is left for another connection", || !is_served());
    drop(many);
    wait("it serves the next one", is_served);
}

/// A user id that is not root's.
const NOBODY: u32 = 65534;

/// A data directory with a key, a token, and a database.
fn data_dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
    dir
}

/// `serve` with the files in `dir`, with other limits of the shell.
fn limited(dir: &Path, ulimit: &str) -> Command {
    let serve = serve_in(dir);
    let mut shell = Command::new("/bin/sh");
    shell
        .env_clear()
        .args(["-c", &format!("ulimit {ulimit}; exec \"$0\" \"$@\"")])
        .arg(serve.get_program())
        .args(serve.get_args());
    shell
}

/// All that is logged from startup to shutdown.
fn log_of_a_run(command: &mut Command) -> String {
    let mut served = Served::start(command);
    served.terminate();
    served.wait();
    [served.before_listening.clone(), served.rest()].concat().join("\n")
}

#[test]
fn too_few_open_files_are_a_warning_at_the_start() {
    let dir = data_dir();
    for (limit, connections, warns) in [(600, "300", true), (1000, "300", false)] {
        let mut command = limited(dir.path(), &format!("-n {limit}"));
        command.args(["--groupware-url", "http://127.0.0.1:1"]).args([
            "--max-connections",
            connections,
            "--max-in-flight",
            "200",
        ]);
        let lines = log_of_a_run(&mut command);
        assert_eq!(lines.contains("too few open files"), warns, "{lines}");
        if warns {
            assert_contains(&lines, &["WARN", "limit=600", "needed=628", "LimitNOFILE="]);
        }
    }
}

/// As the Debian package installs it: owned by root, and readable by the gateway's group.
#[test]
fn a_file_of_root_that_only_the_gateways_group_can_read_causes_no_warning() {
    use std::os::unix::fs::chown;

    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        // Only root can give files away.
        return;
    }
    let (user, group) = (65534, 65534);
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    token(dir, "alice");
    chown(dir, Some(user), Some(group)).unwrap();
    chown(dir.join("tokens"), Some(user), Some(group)).unwrap();
    let config = dir.join("portreeve.toml");
    fs::write(&config, "webhook_secret = \"a secret of some length\"\n").unwrap();
    fs::set_permissions(&config, fs::Permissions::from_mode(0o640)).unwrap();
    let check = || {
        let mut command = in_dir(dir, &["check-config"]);
        command.uid(user).gid(group);
        success(command.env("PORTREEVE_CONFIG", &config), "")
    };
    chown(&config, Some(0), Some(group)).unwrap();
    assert!(!check().contains("warning"));
    // It has another group as well, which can read the file.
    chown(&config, Some(user), Some(12)).unwrap();
    assert!(check().contains("warning: --config: other users can read"));
    chown(&config, Some(0), Some(group)).unwrap();
    fs::set_permissions(&config, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(check().contains("warning: --config: other users can read"));
}
