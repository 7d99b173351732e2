//! The lines for a Cargo.toml in the documentation name versions and features that exist.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn dependencies_in_the_documentation_match_the_manifest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let mut files = crate::files(&root.join("src"), "rs");
    let examples = crate::files(&root.join("examples"), "rs");
    for example in &examples {
        let text = std::fs::read_to_string(example).unwrap();
        assert!(!blocks(&text).is_empty(), "{}", example.display());
    }
    files.extend(examples);
    let pages = ["README.md", "docs/EMBEDDING.md", "docs/GAME_CLIENT.md"];
    files.extend(pages.map(|page| root.join(page)));
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
                    && quoted(value).skip(1).all(|feature| is_feature(&manifest, feature))
            } else {
                is_compatible(&manifest, name, version)
            };
            assert!(is_known, "{}: {line}", file.display());
        }
    }
    assert!(seen >= 10, "{seen}");
}

/// Its features decide what JSON means: with others in the tests, those would not test what users get.
#[test]
fn the_tests_parse_json_as_users_do() {
    let features = |edges: &str| -> BTreeSet<String> {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["tree", "--locked", "--offline", "--all-features", "--prefix", "none"]);
        cargo.args(["--edges", edges, "--invert", "serde_json"]);
        let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let tree = String::from_utf8(output.stdout).unwrap();
        let names = tree.lines().filter(|line| line.starts_with("serde_json feature "));
        names.filter_map(|line| Some(quoted(line).next()?.to_owned())).collect()
    };
    let mut users = features("features,no-dev");
    // A method that the crate does not call.
    users.insert("unbounded_depth".to_owned());
    assert_eq!(features("features"), users);
}

/// `.ci/nightly features` does it with each example.
#[test]
fn the_bot_compiles_in_an_empty_package_with_the_lines_that_it_begins_with() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("empty_package");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let (own, bot) = (read("Cargo.toml"), read("examples/greeting_bot.rs"));
    let lines = blocks(&bot).join("\n").replace("../portreeve", root.to_str().unwrap());
    // Dependencies that are built in the same way need not be built again.
    let (_, profiles) = own.split_once("[profile.dev]").unwrap();
    let manifest = format!(
        "[package]\nname = \"bot\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n{lines}\n[profile.dev]{profiles}"
    );
    std::fs::create_dir_all(package.join("src")).unwrap();
    for (path, text) in
        [("Cargo.toml", &manifest), ("Cargo.lock", &read("Cargo.lock")), ("src/main.rs", &bot)]
    {
        std::fs::write(package.join(path), text).unwrap();
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--offline", "--quiet", "--manifest-path"]);
    cargo.arg(package.join("Cargo.toml")).arg("--target-dir");
    cargo.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()).current_dir(root);
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Whether their features suffice, `.ci/nightly features` sees: there each is compiled in a package of its own.
#[test]
fn each_example_names_the_packages_that_it_uses() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for example in crate::files(&root.join("examples"), "rs") {
        let text = std::fs::read_to_string(&example).unwrap();
        let names = blocks(&text).into_iter();
        let names = names.filter_map(|line| Some(line.split_once(" = ")?.0.replace('-', "_")));
        let named: BTreeSet<_> = names.collect();
        let code = text.lines().map(str::trim_start);
        let code: Vec<_> = code.filter(|line| !line.starts_with("//")).collect();
        let uses = code.iter().filter_map(|line| line.strip_prefix("use "));
        let roots = uses.filter_map(|path| Some(path.split_once("::")?.0.to_owned()));
        let own = ["std", "self", "super", "crate"];
        let imported: BTreeSet<_> = roots.filter(|root| !own.contains(&&**root)).collect();
        let missing: Vec<_> = imported.difference(&named).collect();
        assert!(missing.is_empty(), "{}: {missing:?}", example.display());
        let code = code.join("\n");
        let is_unused = |name: &&String| !code.contains(&format!("{name}::"));
        let unused: Vec<_> = named.iter().filter(is_unused).collect();
        assert!(unused.is_empty(), "{}: {unused:?}", example.display());
    }
}

fn is_feature(manifest: &str, name: &str) -> bool {
    let (_, features) = manifest.split_once("[features]").unwrap();
    features.lines().any(|line| line.starts_with(&format!("{name} = [")))
}

/// Whether this package depends on a version of `name` that `version` includes.
fn is_compatible(manifest: &str, name: &str, version: &str) -> bool {
    let start = format!("{name} = ");
    let own = manifest.lines().filter_map(|line| line.strip_prefix(&start));
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
