//! A slow, stuck or full disk for processes that a test starts: their calls of `fsync` and `fdatasync`, and looking at
//! and opening one file, take as long as the test configures, or their files cannot grow (`slow_disk.c`, compiled by the
//! linker's `cc`).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A disk; fast at first.
pub struct SlowDisk(TempDir);

// === impl SlowDisk ===

impl SlowDisk {
    pub fn new() -> Self {
        let disk = Self(tempfile::tempdir().unwrap());
        // Other users' processes have to reach it.
        fs::set_permissions(disk.0.path(), fs::Permissions::from_mode(0o711)).unwrap();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src/slow_disk.c");
        let made = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .arg(disk.library())
            .args([source, "-ldl"])
            .status();
        assert!(made.unwrap().success(), "cc failed");
        fs::set_permissions(disk.library(), fs::Permissions::from_mode(0o755)).unwrap();
        disk.set("0");
        disk
    }

    /// Each sync takes this many milliseconds from now on.
    pub fn slow(&self, milliseconds: u32) {
        self.set(&milliseconds.to_string());
    }

    /// No sync ends from now on.
    pub fn stick(&self) {
        self.set("stuck");
    }

    /// No file can grow from now on.
    pub fn fill(&self) {
        self.set("full");
    }

    /// It is fast and has room again, and blocked syncs complete.
    pub fn heal(&self) {
        self.set("0");
    }

    /// Applies to the process of `command` and those that it starts.
    pub fn under<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("LD_PRELOAD", self.library()).env("SLOW_DISK", self.0.path().join("says"))
    }

    /// Like [`under`](Self::under); looking at `file` and opening it, by just this path, are as slow as a sync.
    pub fn under_with<'c>(&self, command: &'c mut Command, file: &Path) -> &'c mut Command {
        self.under(command).env("SLOW_FILE", file)
    }

    /// Like [`under`](Self::under), and only the files whose paths begin with `file` cannot grow when it is full.
    pub fn under_only<'c>(&self, command: &'c mut Command, file: &Path) -> &'c mut Command {
        self.under(command).env("FULL_FILE", file)
    }

    /// Like [`under`](Self::under); what is synced is kept for [`cut_power`](Self::cut_power).
    pub fn under_power<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let synced = self.0.path().join("synced");
        fs::create_dir_all(&synced).unwrap();
        self.under(command).env("SLOW_SYNCED", synced)
    }

    /// Leaves of a database in `dir`, which no process uses any more, what was synced.
    pub fn cut_power(&self, dir: &Path) {
        for file in fs::read_dir(dir).unwrap() {
            let file = file.unwrap();
            let name = file.file_name().into_string().unwrap();
            let synced = self.0.path().join("synced").join(&name);
            if synced.exists() {
                fs::copy(synced, file.path()).unwrap();
            } else if name.ends_with("-wal") || name.ends_with("-shm") {
                fs::remove_file(file.path()).unwrap();
            }
        }
    }

    fn set(&self, text: &str) {
        // In one step, so that no process reads half of it.
        let new = self.0.path().join("new");
        fs::write(&new, text).unwrap();
        fs::set_permissions(&new, fs::Permissions::from_mode(0o644)).unwrap();
        fs::rename(new, self.0.path().join("says")).unwrap();
    }

    fn library(&self) -> PathBuf {
        self.0.path().join("slow_disk.so")
    }
}
