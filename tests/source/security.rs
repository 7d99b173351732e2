//! The tests that SECURITY.md and docs/DIFFERENCES.md name.

use std::path::{Path, PathBuf};

/// The files with tests, and their text.
struct Tests {
    root: &'static Path,
    files: Vec<(PathBuf, String)>,
}

// === impl Tests ===

impl Tests {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let parts = [("src", "rs"), ("tests", "rs"), ("tests", "txt"), ("fuzz", "rs")];
        let files = parts.into_iter();
        let files = files.flat_map(|(dir, extension)| crate::files(&root.join(dir), extension));
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).expect("it is text");
            (path, text)
        };
        let files = files.map(read).collect();
        Self { root, files }
    }

    /// Checks the names in the last column of the tables in `text`, a part of `page`; returns how many there are. A name
    /// is one of the program that was named before it in the same cell; without one, of any.
    fn check(&self, page: &str, text: &str) -> usize {
        let mut named = 0;
        for row in text.lines().filter(|line| line.starts_with("| ")) {
            let tests = row.trim_end_matches([' ', '|']).rsplit_once(" | ");
            let (_, tests) = tests.expect("a row has two columns");
            let mut program = self.root.to_owned();
            // Every second part is in backticks.
            let parts: Vec<_> = tests.split('`').collect();
            for pair in parts.chunks_exact(2) {
                let [before, name] = [pair[0], pair[1]];
                let folder = ["tests", "."].map(|parent| self.root.join(parent).join(name));
                if let Some(folder) = folder.into_iter().find(|folder| folder.is_dir()) {
                    program = folder;
                } else {
                    if before.ends_with("the library's ") {
                        let parts = ["src", "tests/unit"].map(|part| self.root.join(part));
                        let part = parts.into_iter().find(|part| self.has(part, name));
                        program = part.expect("a test of the library");
                    } else if before.contains("fuzz target") {
                        program = self.root.join("fuzz");
                    }
                    let is_there = self.has(&program, name);
                    assert!(is_there, "{page} names {name}, which is not in {program:?}");
                }
                named += 1;
            }
        }
        named
    }

    /// Whether there is a module or a test with this name, or the end of its path, below `folder`.
    fn has(&self, folder: &Path, name: &str) -> bool {
        let path = Path::new(&name.replace("::", "/")).to_owned();
        let name = name.rsplit("::").next().unwrap_or(name);
        let (function, exchange) = (format!("fn {name}("), format!("== {name}\n"));
        let mut below = self.files.iter().filter(|(file, _)| file.starts_with(folder));
        below.any(|(file, text)| {
            // A module is a file, or a folder of files.
            let is_module = file.with_extension("").ends_with(&path)
                || file.parent().is_some_and(|folder| folder.ends_with(&path));
            is_module || text.contains(&function) || text.contains(&exchange)
        })
    }

    fn page(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.join(name)).expect("it is in the package")
    }
}

#[test]
fn each_test_that_a_promise_names_exists() {
    let tests = Tests::read();
    let page = tests.page("SECURITY.md");
    let mut sections = page.split("\n## ");
    let promises = sections.find(|section| section.starts_with("What is promised"));
    let named = tests.check("SECURITY.md", promises.expect("it has this section"));
    assert!(named > 50, "only {named} names were found");
}

#[test]
fn each_difference_names_a_test_that_exists() {
    let tests = Tests::read();
    let page = tests.page("docs/DIFFERENCES.md");
    let rows = page.lines().filter(|line| line.starts_with("| ")).skip(1);
    for row in rows {
        assert!(tests.check("docs/DIFFERENCES.md", row) > 0, "{row}");
    }
}
