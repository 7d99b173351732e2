//! A file has one idea, and never more than 500 lines (CONTRIBUTING.md, "Style").

use std::path::Path;

const MAX_LINES: usize = 500;

#[test]
fn no_file_has_more_than_500_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src", "tests", "benches", "examples"];
    let files = folders.iter().flat_map(|folder| crate::files(&root.join(folder), "rs"));
    let mut too_long = Vec::new();
    for file in files {
        let path = file.strip_prefix(root).unwrap();
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        if lines > MAX_LINES && !path.starts_with("src/game/schema/generated") {
            too_long.push(format!("{} has {lines}", path.display()));
        }
    }
    assert!(too_long.is_empty(), "split these by idea: {too_long:#?}");
}
