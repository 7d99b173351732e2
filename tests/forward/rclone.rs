//! rclone, with its backend `webdav` for a Nextcloud.

use std::fs;
use std::process::Command;

use crate::site::{Door, FILES, Login, PASSWORD, Site, tool};
use crate::support::binary::{run, success, text};

/// Names with what has a meaning in an address or in XML, and with what is not ASCII.
const NAMES: [&str; 6] = ["plain", "a b", "50%", "q?x=1&y#z", "käse;v=1", "sub/+'deep'"];

/// 100 MiB.
const LARGE: usize = 100 << 20;

fn rclone(site: &Site, door: &Door, arguments: &[&str]) -> Command {
    let mut command = site.client(tool("rclone"));
    command.env("RCLONE_CONFIG", "/dev/null");
    // Nothing may go wrong even once.
    command.env("RCLONE_RETRIES", "1").env("RCLONE_LOW_LEVEL_RETRIES", "1");
    command.env("RCLONE_WEBDAV_URL", door.url.clone() + FILES);
    command.env("RCLONE_WEBDAV_VENDOR", "nextcloud");
    match &door.login {
        Login::Basic => {
            let obscured = success(site.client(tool("rclone")).args(["obscure", PASSWORD]), "");
            command.env("RCLONE_WEBDAV_USER", "alice");
            command.env("RCLONE_WEBDAV_PASS", obscured.trim_end());
        }
        Login::Bearer(token) => {
            command.env("RCLONE_WEBDAV_BEARER_TOKEN", token);
        }
    }
    command.args(arguments);
    command
}

/// The names of the files in a folder there.
fn names(site: &Site, door: &Door, folder: &str) -> Vec<String> {
    let printed = success(&mut rclone(site, door, &["lsf", "-R", "--files-only", folder]), "");
    let mut names: Vec<_> = printed.lines().map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn rclone_copies_syncs_moves_and_deletes() {
    let Some(site) = Site::with(&[]) else {
        return;
    };
    for name in NAMES {
        site.file(&format!("local/{name}"), 1000 + name.len());
    }
    for door in site.doors() {
        let remote = format!(":webdav:{}", door.name);
        let local = site.path("local").display().to_string();
        let does = |arguments: &[&str]| success(&mut rclone(&site, &door, arguments), "");

        does(&["copy", &local, &remote]);
        does(&["check", "--download", &local, &remote]);
        let mut all = NAMES.map(str::to_owned);
        all.sort();
        assert_eq!(names(&site, &door, &remote), all);
        // The time of each file is kept: nothing is copied a second time.
        let again = run(&mut rclone(&site, &door, &["copy", "-v", &local, &remote]), "");
        assert!(!text(&again.stderr).contains("Copied"), "{again:?}");

        fs::write(site.path("local/plain"), format!("changed for {}", door.name)).unwrap();
        fs::remove_file(site.path("local/50%")).unwrap();
        site.file("local/new", 10);
        does(&["sync", &local, &remote]);
        does(&["check", "--download", &local, &remote]);

        does(&["moveto", &format!("{remote}/new"), &format!("{remote}/sub/re named")]);
        does(&["copyto", &format!("{remote}/plain"), &format!("{remote}/again")]);
        does(&["deletefile", &format!("{remote}/plain")]);
        let left = ["a b", "again", "käse;v=1", "q?x=1&y#z", "sub/+'deep'", "sub/re named"];
        assert_eq!(names(&site, &door, &remote), left);
        does(&["purge", &format!("{remote}/sub")]);
        assert_eq!(names(&site, &door, &remote), left[..4]);

        // For the next door.
        fs::remove_file(site.path("local/new")).unwrap();
        site.file("local/50%", 10);
    }
}

#[test]
fn rclone_copies_a_large_file_up_and_down() {
    let Some(site) = Site::with(&[]) else {
        return;
    };
    let [_, door] = site.doors();
    let (up, down) = (site.file("up", LARGE), site.path("down"));
    let [up_name, down_name] = [&up, &down].map(|path| path.display().to_string());
    // Whole, and in parts, which the server puts together.
    for part in ["0", "10Mi"] {
        let mut command = rclone(&site, &door, &["copyto", &up_name, ":webdav:large"]);
        success(command.env("RCLONE_WEBDAV_NEXTCLOUD_CHUNK_SIZE", part).arg("--ignore-times"), "");
        success(&mut rclone(&site, &door, &["copyto", ":webdav:large", &down_name]), "");
        assert!(fs::read(&up).unwrap() == fs::read(&down).unwrap());
        fs::remove_file(&down).unwrap();
    }
}

#[test]
fn rclone_says_that_a_token_may_not_write() {
    let Some(site) = Site::with(&[]) else {
        return;
    };
    let [_, writes] = site.doors();
    let reads = site.gateway("alice", &["files.read"]);
    let local = site.file("local/one", 1000).parent().unwrap().display().to_string();
    success(&mut rclone(&site, &writes, &["copy", &local, ":webdav:shelf"]), "");
    success(&mut rclone(&site, &reads, &["check", "--download", &local, ":webdav:shelf"]), "");
    site.file("local/two", 1000);
    for arguments in [
        &["copy", &local, ":webdav:shelf"][..],
        &["mkdir", ":webdav:new"],
        &["moveto", ":webdav:shelf/one", ":webdav:shelf/two"],
        &["copyto", ":webdav:shelf/one", ":webdav:shelf/two"],
        &["deletefile", ":webdav:shelf/one"],
        &["purge", ":webdav:shelf"],
    ] {
        let output = run(&mut rclone(&site, &reads, arguments), "");
        assert!(!output.status.success(), "{arguments:?}");
        assert!(text(&output.stderr).contains("403 Forbidden"), "{arguments:?}: {output:?}");
    }
    assert_eq!(names(&site, &writes, ":webdav:"), ["shelf/one"]);
    let stranger = site.gateway("bob", &["files.read", "files.write"]);
    let output = run(&mut rclone(&site, &stranger, &["lsf", ":webdav:shelf"]), "");
    assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
}
