//! What `.ci/quick` runs for a change.

use std::path::Path;
use std::process::Command;

/// Whether bash matches `path` with this pattern, as `.ci/quick` does.
fn matches(path: &str, pattern: &str) -> bool {
    let script = "[[ $0 =~ $1 ]]";
    let bash = Command::new("bash").args(["-c", script, path, pattern]).status();
    bash.expect("bash runs .ci/quick").success()
}

#[test]
fn each_folder_of_the_source_and_each_page_selects_a_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let quick = std::fs::read_to_string(root.join(".ci/quick")).expect("it is text");
    let mut of_tests = Vec::new();
    let mut of_pages = Vec::new();
    for line in quick.lines() {
        if let Some(row) = line.strip_prefix("program_of ") {
            let (program, pattern) = row.split_once(' ').expect("a program and a pattern");
            assert!(root.join("tests").join(program).is_dir(), "{program}");
            let pattern = pattern.trim_matches('\'');
            let list = if program == "source" { &mut of_pages } else { &mut of_tests };
            list.push(pattern);
        } else if let Some(condition) = line.strip_prefix("if touches '")
            && let Some((pattern, _)) = condition.split_once("'; then")
            && pattern.contains("tests/cli/")
        {
            of_tests.push(pattern);
        }
    }
    let pattern = |list: &[&str]| format!("^({})", list.join("|"));
    let (of_tests, of_pages) = (pattern(&of_tests), pattern(&of_pages));
    for entry in std::fs::read_dir(root.join("src")).expect("a folder") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            let folder = path.file_name().and_then(|name| name.to_str());
            let file = format!("src/{}/new.rs", folder.expect("it is text"));
            assert!(matches(&file, &of_tests), "a change of {file} runs no test");
        }
    }
    for page in ["README.md", "docs/API.md", "docs/GUIDE.md", "SECURITY.md", "tests/README.md"] {
        assert!(matches(page, &of_pages), "a change of {page} runs no test");
    }
    assert!(!matches("src/nowhere/new.rs", &of_tests));
}
