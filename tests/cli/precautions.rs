//! What `serve` refuses or warns about before it opens anything, and how it protects itself from other
//! processes.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rusqlite::config::DbConfig;

use crate::support::binary::{
    Served, assert_contains, credentials, eventually, in_dir, run, serve_in, success, text, token,
};
use crate::support::gateway::PASSWORD;

/// The files of a gateway that has served before.
const FILES: &[&str] = &["vault.key", "tokens", "portreeve.db", "portreeve.db-wal"];

#[test]
fn a_file_that_others_can_write_prevents_startup_and_the_error_says_how_to_fix_it() {
    for file in FILES {
        for mode in [0o602, 0o620, 0o666] {
            let dir = data_dir();
            let path = dir.path().join(file);
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            for mut command in [check_config(dir.path()), serve_in(dir.path())] {
                let output = run(&mut command, "");
                assert_eq!(output.status.code(), Some(1), "{file} {mode:o}: {output:?}");
                let line = text(&output.stderr);
                let cure = format!("chmod go-w {}", path.display());
                assert!(line.contains(&cure), "{file} {mode:o}: {line}");
            }
        }
    }
}

#[test]
fn a_file_that_others_can_read_is_a_warning_at_each_start() {
    for file in FILES {
        for mode in [0o644, 0o640, 0o604, 0o444] {
            let dir = data_dir();
            let path = dir.path().join(file);
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let checked = success(&mut check_config(dir.path()), "");
            for warning in [checked, log_of_a_run(&mut serve_in(dir.path()))] {
                assert!(
                    warning.contains(&path.display().to_string())
                        && warning.contains("other users can read"),
                    "{file} {mode:o}: {warning}"
                );
            }
        }
    }
    // There is no warning about files as the gateway creates them.
    let dir = data_dir();
    assert!(!success(&mut check_config(dir.path()), "").contains("warning"));
    let mut serve = serve_in(dir.path());
    serve.env("WEBHOOK_SECRET", "a secret of some length");
    let lines = log_of_a_run(serve.args(["--groupware-url", "http://127.0.0.1:1"]));
    assert!(!lines.contains("WARN"), "{lines}");
}

#[test]
fn short_secrets_and_a_public_address_without_tls_are_warnings() {
    let dir = data_dir();
    let secrets = |mut command: Command| {
        command
            .env("MCP_SERVER_API_KEY", "fifteen-bytes-x")
            .env("WEBHOOK_SECRET", "sixteen-bytes-xy");
        command
    };
    let mut checked = secrets(check_config(dir.path()));
    checked.env("PORTREEVE_LISTEN", "[::]:0,0.0.0.0:0");
    let checked = success(&mut checked, "");
    for warnings in [&checked, &log_of_a_run(&mut secrets(serve_in(dir.path())))] {
        let short = warnings
            .lines()
            .find(|line| line.contains("shorter than 16 bytes"));
        let short = short.expect(warnings);
        assert!(short.contains("MCP_SERVER_API_KEY"), "{short}");
        assert_eq!(warnings.matches("shorter than").count(), 1, "{warnings}");
        assert!(!warnings.contains("fifteen-bytes-x"), "{warnings}");
    }
    for address in ["[::]:0", "0.0.0.0:0"] {
        let open = format!("{address} can be reached from other machines without TLS");
        let open = checked.lines().find(|line| line.contains(&open));
        let open = open.expect(&checked);
        assert_contains(open, &["tls_cert", "tls_key"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn serve_makes_no_core_dump_and_is_not_dumpable() {
    let dir = data_dir();
    let mut command = serve_in(dir.path());
    // The kernel makes root the owner of the /proc files of a process that is not dumpable, which
    // can only be seen if another user runs the process.
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        for path in [dir.path().to_owned()].into_iter().chain(
            fs::read_dir(dir.path())
                .unwrap()
                .map(|entry| entry.unwrap().path()),
        ) {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    let served = Served::start(&mut command);
    let own = |name: &str| format!("/proc/{}/{name}", served.id());
    let limits = fs::read_to_string(own("limits")).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let numbers: Vec<_> = core.unwrap().split_whitespace().skip(4).take(2).collect();
    assert_eq!(numbers, ["0", "0"], "{limits}");
    assert_eq!(fs::metadata(own("environ")).unwrap().uid(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn serve_raises_the_soft_limit_of_open_files() {
    let dir = data_dir();
    let serve = serve_in(dir.path());
    let mut shell = Command::new("/bin/sh");
    shell
        .env_clear()
        .args(["-c", "ulimit -Sn 128; exec \"$0\" \"$@\""])
        .arg(serve.get_program())
        .args(serve.get_args());
    let served = Served::start(&mut shell);
    let limits = fs::read_to_string(format!("/proc/{}/limits", served.id())).unwrap();
    let files = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let numbers: Vec<_> = files.unwrap().split_whitespace().skip(3).take(2).collect();
    assert_eq!(numbers[0], numbers[1], "{limits}");
    assert_ne!(numbers[0], "128", "{limits}");
}

#[test]
fn more_connections_than_open_files_do_not_end_it() {
    let dir = data_dir();
    let serve = serve_in(dir.path());
    let mut shell = Command::new("/bin/sh");
    shell
        .env_clear()
        .args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""])
        .arg(serve.get_program())
        .args(serve.get_args());
    let served = Served::start(&mut shell);
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
    eventually("no file is left for another connection", || !is_served());
    drop(many);
    eventually("it serves the next one", is_served);
}

/// A user id that is not root's.
const NOBODY: u32 = 65534;

/// A data directory with a key, a token, and a database with a write-ahead log, as after a crash.
fn data_dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    credentials(dir.path(), &["put", "--user", "alice"], PASSWORD);
    let database = rusqlite::Connection::open(dir.path().join("portreeve.db")).unwrap();
    let keeps_log = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;
    database.set_db_config(keeps_log, true).unwrap();
    let change = "UPDATE credential SET count = count + 1";
    assert_eq!(database.execute(change, []).unwrap(), 1);
    drop(database);
    assert!(
        fs::metadata(dir.path().join("portreeve.db-wal"))
            .unwrap()
            .len()
            > 0
    );
    dir
}

fn check_config(dir: &Path) -> Command {
    in_dir(dir, &["check-config"])
}

/// All that is logged from startup to shutdown.
fn log_of_a_run(command: &mut Command) -> String {
    let served = Served::start(command);
    let mut lines = served.before_listening.clone();
    served.terminate();
    eventually("it ends", || {
        lines.extend(served.lines());
        lines.iter().any(|line| line.contains("bye"))
    });
    lines.join("\n")
}

#[test]
fn too_few_open_files_are_a_warning_at_the_start() {
    let dir = data_dir();
    for (limit, connections, warns) in [(600, "300", true), (1000, "300", false)] {
        let mut command = serve_in(dir.path());
        command
            .args(["--groupware-url", "http://127.0.0.1:1"])
            .args(["--max-connections", connections, "--max-in-flight", "200"]);
        let script = format!("ulimit -n {limit}; exec \"$0\" \"$@\"");
        let mut limited = Command::new("sh");
        limited.args(["-c", &script]).arg(command.get_program());
        limited.args(command.get_args());
        limited.env_clear();
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => limited.env(name, value),
                None => limited.env_remove(name),
            };
        }
        let lines = log_of_a_run(&mut limited);
        assert_eq!(lines.contains("too few open files"), warns, "{lines}");
        if warns {
            assert_contains(&lines, &["WARN", "limit=600", "needed=628", "LimitNOFILE="]);
        }
    }
}
