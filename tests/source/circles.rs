//! No module depends on itself through others: to understand a module, it is enough to read those below it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::modules::{Modules, Name};

/// Dependency cycles that are allowed: each lies within one of these sets of modules or their children.
const ALLOWED: &[&[&str]] = &[
    // A message shows its fields to a visitor, and a field may be a message. It names the visitor that writes JSON, so
    // that its visit is compiled once.
    &[
        "game::runtime::decode",
        "game::runtime::describe",
        "game::runtime::encode",
        "game::runtime::extension",
        "game::runtime::json",
        "game::runtime::message",
        "game::runtime::nested",
        "game::runtime::repeated",
        "game::runtime::unknown",
        "game::runtime::visit",
    ],
];

#[test]
fn no_module_depends_on_itself_through_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for program in [
        "src/lib.rs",
        "src/main.rs",
        "benches/decode/src/main.rs",
        "benches/gateway/src/main.rs",
        "benches/report/src/lib.rs",
    ] {
        // The published package has no benchmarks.
        if !root.join(program).exists() {
            continue;
        }
        let modules = Modules::read(&root.join(program));
        assert!(modules.len() > 3, "{program}: {}", modules.len());
        for cycle in cycles(&modules.edges()) {
            let is_within = |allowed: &&[&str]| cycle.iter().all(|it| is_below(it, allowed));
            assert!(ALLOWED.iter().any(is_within), "{program}: {cycle:?}");
        }
    }
}

#[test]
fn a_cycle_through_a_re_export_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let files = [
        (
            "lib.rs",
            "mod a; mod b; mod c; pub use a::A; #[cfg(test)] mod tests { use super::c::C; }",
        ),
        (
            "a.rs",
            "//! See `crate::c`.\npub struct A(crate::b::inner::B);",
        ),
        ("b/mod.rs", "pub mod inner;"),
        (
            "b/inner.rs",
            "use crate::{A as Other, c};\nfn f(_: Other) -> c::C {}",
        ),
        (
            "c.rs",
            "pub struct C;\n#[cfg(test)] mod tests { use crate::A; }",
        ),
    ];
    std::fs::create_dir(dir.path().join("b")).unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let edges = Modules::read(&dir.path().join("lib.rs")).edges();
    assert_eq!(
        cycles(&edges),
        [vec!["a".to_owned(), "b::inner".to_owned()]]
    );
    let below: Vec<_> = edges["b::inner"].iter().map(String::as_str).collect();
    assert_eq!(below, ["a", "c"]);
}

fn is_below(name: &str, parents: &[&str]) -> bool {
    let mut parents = parents.iter();
    parents.any(|parent| {
        let rest = name.strip_prefix(parent);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    })
}

/// Sets of modules that depend on each other.
fn cycles(edges: &BTreeMap<Name, BTreeSet<Name>>) -> Vec<Vec<Name>> {
    let below: BTreeMap<_, _> = edges.keys().map(|it| (it, reached(edges, it))).collect();
    let mut cycles = BTreeSet::new();
    for (name, reached) in &below {
        if reached.contains(*name) {
            let returns = |it: &&Name| below.get(it).is_some_and(|back| back.contains(*name));
            cycles.insert(reached.iter().filter(returns).cloned().collect());
        }
    }
    cycles.into_iter().collect()
}

/// The direct and indirect dependencies of `from`.
fn reached(edges: &BTreeMap<Name, BTreeSet<Name>>, from: &Name) -> BTreeSet<Name> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(next) = open.pop() {
        for name in edges.get(next).into_iter().flatten() {
            if reached.insert(name.clone()) {
                open.push(name);
            }
        }
    }
    reached
}
