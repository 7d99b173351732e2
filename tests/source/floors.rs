//! A module uses only the floors under it (docs/ARCHITECTURE.md, "The floors").

use std::path::Path;

/// From the lowest to the highest. The modules of a floor do not use each other.
const FLOORS: &[&[&str]] = &[
    &[
        "any_server",
        "causes",
        "headers",
        "hex",
        "labels",
        "opaque",
        "random",
        "tally",
        "tls",
        "until",
    ],
    &["audit", "files", "game", "names", "outbound"],
    &["groupware", "identity", "vault"],
    &["deliveries"],
    &["gateway", "server"],
    &["config", "metrics"],
    &["cli"],
];

fn floor_of(module: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&module))
}

#[test]
fn a_module_uses_only_the_floors_under_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = crate::files(&root, "rs");
    assert!(files.len() > 200, "{}", files.len());
    for file in files {
        let inside = file.strip_prefix(&root).unwrap().with_extension("");
        let module = inside.iter().next().unwrap().to_str().unwrap();
        if ["docs", "lib", "main"].contains(&module) {
            continue;
        }
        let floor = floor_of(module).unwrap_or_else(|| panic!("{module} is on no floor"));
        for used in used_modules(&std::fs::read_to_string(&file).unwrap()) {
            let is_under = used == module || floor_of(&used).is_none_or(|it| it < floor);
            assert!(is_under, "{}: {module} uses {used}", file.display());
        }
    }
}

#[test]
fn what_a_file_uses_is_found() {
    let text = "//! See [`crate::cli`].\nuse crate::a::A;\nuse portreeve::b::B;\nfn f() { crate::c::c() }\n\
                #[cfg(test)]\nmod tests {\n    use crate::d;\n}\n";
    assert_eq!(used_modules(text), ["a", "b", "c"]);
}

/// The first name of each path in this crate, but for tests and comments.
fn used_modules(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let roots = ["crate::", "portreeve::"];
    let paths = lines.flat_map(|line| roots.into_iter().flat_map(|root| line.split(root).skip(1)));
    let is_part = |c: &char| c.is_alphanumeric() || *c == '_';
    let names = paths.map(|path| path.chars().take_while(is_part).collect::<String>());
    let names: Vec<_> = names.collect();
    assert!(
        !names.contains(&String::new()),
        "import each module of the crate by a `use` of its own"
    );
    names
}
