//! `portreeve serve` with a standard error that cannot be written: a full disk, or a pipe without
//! a reader. Only the log is lost.

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::sockets::{Running, get_unix};
use crate::support::binary::{STATUS, portreeve, success, token, wait};

#[test]
fn serve_works_with_the_log_on_a_full_disk() {
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    serves_revokes_and_drains(full, |_| {});
}

#[test]
fn serve_works_with_a_log_pipe_that_nobody_reads() {
    serves_revokes_and_drains(Stdio::piped, |child| drop(child.stderr.take()));
}

#[test]
fn a_failure_that_cannot_be_printed_keeps_its_exit_code() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let status = portreeve()
        .args(["credentials", "list", "--database-url", "nowhere"])
        .stderr(full)
        .status();
    assert_eq!(status.unwrap().code(), Some(2));
}

/// Requests are answered, two revocations take effect, and SIGTERM drains and exits with 0.
fn serves_revokes_and_drains(stderr: impl Fn() -> Stdio, prepare: impl Fn(&mut Child)) {
    for format in ["text", "json"] {
        let dir = tempfile::tempdir().unwrap();
        let [first, second, kept] = [(); 3].map(|()| token(dir.path(), "alice"));
        // Without a log there is no way to learn the port that `:0` was given.
        let socket = dir.path().join("socket");
        let mut command = serve_on(dir.path(), &socket, format);
        let mut child = Running(command.stderr(stderr()).spawn().unwrap());
        prepare(&mut child.0);
        wait("it listens", || UnixStream::connect(&socket).is_ok());
        let status = |token: &str| get_unix(&socket, STATUS, token).status;

        for token in [&first, &second, &kept] {
            assert_eq!(status(token), 200);
        }
        // Errors are logged too.
        assert_eq!(get_unix(&socket, "/api/v1/apps", &kept).status, 500);
        for revoked in [&first, &second] {
            revoke_oldest(dir.path());
            wait("the revocation is seen", || status(revoked) == 401);
            assert_eq!(status(&kept), 200);
        }
        let kill = Command::new("kill").args(["-TERM", &child.0.id().to_string()]).status();
        assert!(kill.unwrap().success());
        assert_eq!(child.0.wait().unwrap().code(), Some(0), "{format}");
    }
}

fn serve_on(dir: &Path, socket: &Path, format: &str) -> Command {
    let mut command = portreeve();
    command
        .args(["serve", "--listen", &format!("unix:{}", socket.display()), "--data-dir"])
        .arg(dir)
        .arg("--tokens-file")
        .arg(dir.join("tokens"))
        .args(["--log-format", format])
        .env("RUST_LOG", "debug")
        .stdout(Stdio::null());
    command
}

fn revoke_oldest(dir: &Path) {
    let tokens = |arguments: &[&str]| {
        let mut command = portreeve();
        command.arg("token").args(arguments).arg("--tokens-file");
        success(command.arg(dir.join("tokens")), "")
    };
    let list = tokens(&["list"]);
    let id =
        list.lines().find_map(|line| line.split_whitespace().next().filter(|id| id.len() == 8));
    tokens(&["revoke", id.expect("a token")]);
}
