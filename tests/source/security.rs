//! The tests that SECURITY.md names.

use std::path::Path;

/// The names of all Rust files below `dir`, and the text of all of them.
fn read(dir: &Path, names: &mut Vec<String>, text: &mut String) {
    for entry in std::fs::read_dir(dir).expect("a directory of the package") {
        let path = entry.expect("it can be listed").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        names.extend(stem.map(str::to_owned));
        if path.is_dir() {
            read(&path, names, text);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            text.push_str(&std::fs::read_to_string(&path).expect("it is text"));
        }
    }
}

#[test]
fn each_test_that_a_promise_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut modules, mut code) = (Vec::new(), String::new());
    for dir in ["src", "tests"] {
        read(&root.join(dir), &mut modules, &mut code);
    }
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
            let is_there = root.join(path).exists()
                || modules.iter().any(|module| module == name)
                || code.contains(&format!("fn {name}("));
            assert!(is_there, "SECURITY.md names {path}, which does not exist");
            named += 1;
        }
    }
    assert!(named > 50, "only {named} names were found");
}
