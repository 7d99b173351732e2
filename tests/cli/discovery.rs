//! The configuration file that is used although nothing names it: `portreeve.toml` in the working directory (the other
//! place, `/etc/portreeve`, is not a test's to write to).

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use crate::support::binary::{assert_contains, failure, portreeve, run, text};

/// A command in `dir`.
fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = portreeve();
    command.current_dir(dir).args(arguments);
    command
}

/// A directory with a configuration file and nothing else.
fn configured() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let config = "listen = [\"127.0.0.1:0\"]\ndata_dir = \"data\"\ntokens_file = \"data/tokens\"\n";
    fs::write(dir.path().join("portreeve.toml"), config).unwrap();
    dir
}

#[test]
fn a_file_of_somebody_else_or_that_others_can_write_is_refused() {
    let dir = configured();
    let file = dir.path().join("portreeve.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    let list = ["token", "list"];
    let line = failure(&mut command(dir.path(), &list), 1);
    assert_contains(&line, &["portreeve.toml", "other users can write to it"]);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        println!("left out: only root can give files away");
        return;
    }
    chown(&file, Some(65_534), None).unwrap();
    let line = failure(&mut command(dir.path(), &list), 1);
    assert_contains(&line, &["portreeve.toml", "belongs to user 65534", "--config"]);
    // One that is named is its user's choice.
    let output =
        run(&mut command(dir.path(), &[&list[..], &["--config", "portreeve.toml"]].concat()), "");
    assert!(!text(&output.stderr).contains("65534"), "{output:?}");
}

/// It was reported as missing.
#[test]
fn a_database_that_may_not_be_looked_at_is_not_called_missing() {
    use std::os::unix::process::CommandExt as _;

    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o000)).unwrap();
    let mut list = command(dir.path(), &["credentials", "list", "--data-dir", "data"]);
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        // Root may look at everything.
        list.uid(65_534).gid(65_534);
    }
    let line = failure(&mut list, 1);
    assert_contains(&line, &["Permission denied", "the gateway's user"]);
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
}
