//! The tests that SECURITY.md names.

use std::path::Path;

#[test]
fn each_test_that_a_promise_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = ["tests/exchanges", "tests/transcripts"].map(|dir| (dir, "txt"));
    let parts = [[("src", "rs"), ("tests", "rs")], text].concat();
    let files = parts.into_iter();
    let files = files.flat_map(|(dir, extension)| crate::files(&root.join(dir), extension));
    let files: Vec<_> = files.collect();
    let read = |path| std::fs::read_to_string(path).expect("it is text");
    let code: String = files.iter().map(read).collect();
    let page = std::fs::read_to_string(root.join("SECURITY.md")).expect("it is in the package");
    let mut sections = page.split("\n## ");
    let promises = sections.find(|section| section.starts_with("What is promised"));
    let mut named = 0;
    for row in promises
        .expect("it has this section")
        .lines()
        .filter(|line| line.starts_with("| "))
    {
        let tests = row.trim_end_matches([' ', '|']).rsplit_once(" | ");
        let (_, tests) = tests.expect("a row has two columns");
        // Every second part is in backticks: a program, a module, a test or a folder.
        for path in tests.split('`').skip(1).step_by(2) {
            let name = path.rsplit("::").next().unwrap_or(path);
            let is_there = root.join("tests").join(path).exists()
                || files
                    .iter()
                    .any(|file| file.file_stem() == Some(name.as_ref()))
                || code.contains(&format!("fn {name}("))
                || code.contains(&format!("== {name}\n"));
            assert!(is_there, "SECURITY.md names {path}, which does not exist");
            named += 1;
        }
    }
    assert!(named > 50, "only {named} names were found");
}
