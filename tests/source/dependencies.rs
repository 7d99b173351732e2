//! The lines for a Cargo.toml in the documentation name versions and features that exist.

use std::path::Path;

#[test]
fn dependencies_in_the_documentation_match_the_manifest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut files = crate::files(&root.join("src"), "rs");
    files.push(root.join("README.md"));
    let mut seen = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for line in blocks(&text) {
            let Some((name, value)) = line.split_once(" = ") else {
                continue;
            };
            seen += 1;
            let version = quoted(value).next().unwrap_or_default();
            let is_known = if name == "portreeve" {
                // Not a version: none is published.
                value.starts_with("{ path = ")
                    && quoted(value)
                        .skip(1)
                        .all(|feature| is_feature(&manifest, feature))
            } else {
                is_compatible(&manifest, name, version)
            };
            assert!(is_known, "{}: {line}", file.display());
        }
    }
    assert!(seen >= 10, "{seen}");
}

fn is_feature(manifest: &str, name: &str) -> bool {
    let (_, features) = manifest.split_once("[features]").unwrap();
    features
        .lines()
        .any(|line| line.starts_with(&format!("{name} = [")))
}

/// Whether this package depends on a version of `name` that `version` includes.
fn is_compatible(manifest: &str, name: &str, version: &str) -> bool {
    let start = format!("{name} = ");
    let own = manifest
        .lines()
        .filter_map(|line| line.strip_prefix(&start));
    let mut own = own.filter_map(|value| quoted(value).next());
    own.any(|own| format!("{own}.").starts_with(&format!("{version}.")))
}

/// The parts of a text in quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// The lines of the blocks of TOML in documentation.
fn blocks(text: &str) -> Vec<&str> {
    let mut is_inside = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches(['/', '!', ' ']);
        if line.starts_with("```") {
            is_inside = line == "```toml" && !is_inside;
        } else if is_inside {
            lines.push(line);
        }
    }
    lines
}
