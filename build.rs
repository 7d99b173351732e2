//! Tells the program which commit and features it is built from, for `portreeve --version`.
//!
//! No program is run for it: `git` may be missing, and a package from a registry has no repository.
//! Local changes are therefore not told apart from the commit.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The variable by which somebody who builds without a repository names the commit.
const VARIABLE: &str = "BUILD_REVISION";

/// Digits of a commit that are shown.
const SHOWN: usize = 12;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let revision = given().or_else(|| packaged(&root)).or_else(|| checked_out(&root));
    let revision = revision.as_deref().unwrap_or("unknown");
    // Names that begin as a setting's does would be taken for misspelt ones: cargo sets these
    // variables for what it runs, too.
    println!("cargo:rustc-env=BUILT_FROM_REVISION={revision}");
    println!("cargo:rustc-env=BUILT_WITH_FEATURES={}", features());
}

/// The features that are on, as they are written in Cargo.toml.
fn features() -> String {
    let name = |variable: String| {
        let name = variable.strip_prefix("CARGO_FEATURE_")?;
        Some(name.to_lowercase().replace('_', "-"))
    };
    let mut features: Vec<_> = env::vars()
        .filter_map(|(variable, _)| name(variable))
        .filter(|feature| feature != "default")
        .collect();
    features.sort();
    features.join(" ")
}

fn given() -> Option<String> {
    shown(&env::var(VARIABLE).ok()?)
}

/// What `cargo package` wrote down.
fn packaged(root: &Path) -> Option<String> {
    let path = root.join(".cargo_vcs_info.json");
    let text = fs::read_to_string(path).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    shown(rest.split('"').nth(1)?)
}

/// The commit that is checked out in the repository at `root`, and not in one above it, which would
/// be that of another project.
fn checked_out(root: &Path) -> Option<String> {
    let git = root.join(".git");
    // A worktree has a file that leads to its directory, and that one to the repository's.
    let own = match fs::read_to_string(&git) {
        Ok(text) => root.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let common = match fs::read_to_string(own.join("commondir")) {
        Ok(text) => own.join(text.trim()),
        Err(_) => own.clone(),
    };
    let head = watched(&own.join("HEAD"))?;
    let Some(name) = head.trim().strip_prefix("ref:") else {
        return shown(&head);
    };
    let name = name.trim();
    if let Some(commit) = watched(&common.join(name)) {
        return shown(&commit);
    }
    // The next commit makes that file.
    let branches = common.join(name);
    if let Some(branches) = branches.parent().filter(|path| path.is_dir()) {
        println!("cargo:rerun-if-changed={}", branches.display());
    }
    let packed = watched(&common.join("packed-refs"))?;
    let line = packed.lines().find(|line| line.ends_with(&format!(" {name}")))?;
    shown(line)
}

/// The text of a file; the script runs again once it changed. A file that is missing is not watched:
/// to cargo it would be changed each time.
fn watched(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    Some(text)
}

/// The first digits of a commit; `None` if `text` does not begin with one.
fn shown(text: &str) -> Option<String> {
    let digits: String = text.trim().chars().take_while(char::is_ascii_hexdigit).collect();
    (digits.len() >= SHOWN).then(|| digits[..SHOWN].to_owned())
}
