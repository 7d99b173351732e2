//! Commands that root runs beside a gateway of another user: what they write stays that user's (docs/OPERATIONS.md, "Key
//! rotation", whose commands are run as printed).

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use super::backup::commands;
use crate::support::binary::{
    STATUS, Served, credentials, get, program, serve_in, success, token, wait,
};
use crate::support::gateway::PASSWORD;

/// The user of the gateway: `nobody` if the tests are run by root, otherwise the one who runs them.
fn service_user() -> u32 {
    match fs::metadata("/proc/self").unwrap().uid() {
        0 => 65_534,
        other => {
            println!("left out: only root can run a gateway as another user");
            other
        }
    }
}

/// A data directory of the gateway's user.
fn data_dir(above: &Path) -> std::path::PathBuf {
    let data = above.join("data");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(above, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    chown(&data, Some(service_user()), None).unwrap();
    data
}

/// `serve` as the gateway's user.
fn serve(data: &Path) -> Served {
    let mut command = serve_in(data);
    command.env("PORTREEVE_AUDIT_LOG", data.join("audit.log"));
    Served::start(command.uid(service_user()).gid(service_user()))
}

/// Asserts that every file belongs to the gateway's user alone.
fn assert_owned(data: &Path) {
    for entry in fs::read_dir(data).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        assert_eq!(metadata.uid(), service_user(), "{entry:?}");
        assert_eq!(metadata.mode() & 0o077, 0, "{entry:?}");
    }
}

/// Runs the commands of the page in a shell, as the user of the tests.
fn run_printed(name: &str, data: &Path) -> String {
    let bin = program().parent().unwrap().display().to_string();
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("umask 022; set -eu\n{}", commands(name))]);
    shell.env_clear().env("HOME", "/nonexistent");
    shell.env("PATH", format!("{bin}:/usr/bin:/bin"));
    shell.env("PORTREEVE_DATA_DIR", data);
    shell.env("PORTREEVE_AUDIT_LOG", data.join("audit.log"));
    success(&mut shell, "")
}

#[test]
fn keys_are_rotated_as_printed_beside_a_gateway_of_another_user() {
    let here = tempfile::tempdir().unwrap();
    let data = data_dir(here.path());
    // The first commands create the files, and a directory.
    credentials(&data, &["put", "--user", "alice"], PASSWORD);
    let token = token(&data, "alice");
    assert_owned(&data);
    let old = fs::read_to_string(data.join("vault.key")).unwrap();

    let served = serve(&data);
    let has_access = |served: &Served| {
        get(served.address, STATUS, &token).json()["has_background_access"] == true
    };
    assert!(has_access(&served));
    let printed = run_printed("rotate", &data);
    assert!(printed.contains("re-encrypted 1 record "), "{printed}");
    assert!(has_access(&served));
    assert_eq!(get(served.address, "/readyz", "").status, 200);
    assert_owned(&data);
    let both = fs::read_to_string(data.join("vault.key")).unwrap();
    assert!(both.len() == 2 * old.len() && both.ends_with(&old), "one was added");

    let stored = rusqlite::Connection::open(data.join("portreeve.db")).unwrap();
    let age = "UPDATE sealing_key SET since = since - 600000 WHERE since IS NOT NULL";
    assert_eq!(stored.execute(age, []).unwrap(), 1);
    drop(stored);
    run_printed("rotate: end", &data);
    let new = fs::read_to_string(data.join("vault.key")).unwrap();
    assert_eq!(both, new.clone() + &old, "the old one was removed");
    assert_owned(&data);
    assert!(data.join("audit.log").exists());
    drop(served);
    assert!(has_access(&serve(&data)));
}

#[test]
fn a_gateway_that_cannot_read_its_key_file_is_not_ready() {
    let here = tempfile::tempdir().unwrap();
    let data = data_dir(here.path());
    credentials(&data, &["put", "--user", "alice"], PASSWORD);
    token(&data, "alice");
    let served = serve(&data);
    let readyz = || get(served.address, "/readyz", "").status;
    assert_eq!(readyz(), 200);
    let key = data.join("vault.key");
    let kept = data.join("kept.key");
    fs::rename(&key, &kept).unwrap();
    wait("a missing file", || readyz() == 503);
    // What `mv` of a file of root's leaves.
    fs::copy(&kept, &key).unwrap();
    chown(&key, Some(fs::metadata("/proc/self").unwrap().uid()), None).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o000)).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(readyz(), 503);
    fs::rename(&kept, &key).unwrap();
    wait("the file is back", || readyz() == 200);
}
