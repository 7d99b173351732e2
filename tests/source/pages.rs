//! The files, folders and headings that the pages name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What stands in backticks and begins like this is a path of the repository.
const FOLDERS: [&str; 9] =
    [".ci/", "benches/", "docs/", "examples/", "fuzz/", "packaging/", "proto/", "src/", "tests/"];

/// The pages at the top and below `docs/`, and those of folders.
fn pages(root: &Path) -> Vec<PathBuf> {
    let top = std::fs::read_dir(root).expect("the package");
    let top = top.map(|entry| entry.expect("it can be listed").path());
    let top = top.filter(|path| path.is_file());
    let below = ["docs", "packaging", "benches", "fuzz"].into_iter();
    let below = below.flat_map(|dir| crate::files(&root.join(dir), "md"));
    let pages = top.chain(below).chain([root.join("tests/README.md")]);
    pages.filter(|path| path.extension() == Some("md".as_ref())).collect()
}

/// The names by which links refer to the headings of a page, as GitHub makes them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The lines outside fenced blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

#[test]
fn each_link_leads_to_a_file_and_a_heading() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut links = 0;
    for page in pages(root) {
        let text = std::fs::read_to_string(&page).expect("it is text");
        for line in prose(&text) {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            for (target, _) in targets.filter(|(target, _)| !target.contains(':')) {
                let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
                let file = match path {
                    "" => page.clone(),
                    path => page.with_file_name("").join(path),
                };
                assert!(file.exists(), "{page:?} has a link to {target}");
                if !anchor.is_empty() {
                    let text = std::fs::read_to_string(&file).expect("it is text");
                    assert!(anchors(&text).contains(anchor), "{page:?} has a link to {target}");
                }
                links += 1;
            }
        }
    }
    assert!(links > 100, "only {links} links were found");
}

#[test]
fn each_path_of_the_repository_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = 0;
    for page in pages(root) {
        let text = std::fs::read_to_string(&page).expect("it is text");
        for line in prose(&text) {
            // Every second part is in backticks.
            for name in line.split('`').skip(1).step_by(2) {
                let is_path = FOLDERS.iter().any(|folder| name.starts_with(folder));
                if is_path && !name.contains([' ', '*', '<', '{', '…']) {
                    let exists =
                        [root, page.parent().expect("a folder")].map(|dir| dir.join(name).exists());
                    assert!(exists.contains(&true), "{page:?} names {name}, which does not exist");
                    paths += 1;
                }
            }
        }
    }
    assert!(paths > 50, "only {paths} paths were found");
}
