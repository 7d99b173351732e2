//! Checks of the source itself: what uses what, documented versions, and tests that pages name.

use std::path::{Path, PathBuf};

mod commands;
mod dependencies;
mod file_lengths;
mod floors;
mod pages;
mod public_items;
mod quick;
mod security;
#[cfg(feature = "cli")]
mod settings_page;
mod settings_used;

/// The files below `dir` with this extension.
fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).expect("a directory of the package");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let files = paths.flat_map(|path| match path.is_dir() {
        true => files(&path, extension),
        false => vec![path],
    });
    let files = files.filter(|path| path.extension() == Some(extension.as_ref()));
    files.collect()
}
