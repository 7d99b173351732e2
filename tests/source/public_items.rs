//! The public items of the modules that embedders use. Each is a promise: a new one is added to `public_items.txt`, too, and
//! one that nobody outside can use is `pub(crate)`. `PORTREEVE_PRINT_DOCS=1 cargo test --test source public_items` writes it.

use std::collections::BTreeSet;
use std::path::Path;

/// The public items that `file`, a module of these names, declares or reexports.
fn add_items(file: &Path, names: &str, items: &mut BTreeSet<String>) {
    let text = std::fs::read_to_string(file).expect("a file of the package");
    // What is hidden in the documentation is there for tests, and may change.
    let mut parts = text.split("\n#[doc(hidden)]");
    let shown = parts.next().unwrap_or_default().to_owned();
    let text = parts
        .fold(shown, |text, hidden| text + hidden.split_once(';').map_or("", |(_, rest)| rest));
    let text = text.split("\npub use ").enumerate();
    for (at, part) in text {
        let declarations = if at == 0 {
            part
        } else {
            let (reexported, rest) = part.split_once(';').expect("a statement");
            let reexported = reexported.rsplit_once("::").map_or("", |(_, last)| {
                let inner = reexported.split_once('{').map(|(_, names)| names);
                inner.unwrap_or(last)
            });
            let named = reexported.trim_end_matches('}').split(',').map(str::trim);
            let named = named.filter(|name| !name.is_empty());
            items.extend(named.map(|name| format!("{names}::{name}")));
            rest
        };
        for line in declarations.lines() {
            // What a macro declares is indented; what is in an `impl` or a `mod` of a file is no item.
            let Some(declared) = line.strip_prefix("pub ") else {
                continue;
            };
            let declared = declared.replace("const fn ", "fn ").replace("async ", "");
            let mut words = declared.split([' ', '<', '(', ':', ';', '=']);
            let (kind, name) = (words.next().unwrap(), words.next().unwrap_or_default());
            if kind == "mod" {
                let inside = file.parent().unwrap().join(name);
                let alone = inside.with_extension("rs");
                let below = inside.join("mod.rs");
                let file = if alone.exists() { alone } else { below };
                add_items(&file, &format!("{names}::{name}"), items);
            } else {
                items.insert(format!("{names}::{name}"));
            }
        }
    }
}

#[test]
fn the_public_items_are_those_that_are_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut items = BTreeSet::new();
    for module in ["deliveries", "gateway"] {
        add_items(&root.join("src").join(module).join("mod.rs"), module, &mut items);
    }
    let list = root.join("tests/source/public_items.txt");
    if std::env::var_os("PORTREEVE_PRINT_DOCS").is_some() {
        let lines = items.iter().map(|item| format!("{item}\n"));
        std::fs::write(&list, lines.collect::<String>()).unwrap();
    }
    let listed = std::fs::read_to_string(list).unwrap();
    let listed: BTreeSet<_> = listed.lines().map(str::to_owned).collect();
    let added: Vec<_> = items.difference(&listed).collect();
    let removed: Vec<_> = listed.difference(&items).collect();
    assert!(
        added.is_empty() && removed.is_empty(),
        "not in tests/source/public_items.txt: {added:#?}\nin it alone: {removed:#?}"
    );
}
