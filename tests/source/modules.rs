//! The modules of a program, and what each imports, read from its source.
//!
//! An item belongs to the module that defines it, through whatever other modules re-export it. A module's
//! use of its parents and children is not an edge: together they are one unit. Tests may use anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// A module, as `a::b`; the root is empty.
pub(crate) type Name = String;

/// All modules of a program.
pub(crate) struct Modules(BTreeMap<Vec<String>, Module>);

#[derive(Default)]
struct Module {
    /// Each name that an import makes, and its path.
    imports: Vec<(String, Vec<String>)>,
    /// Other paths.
    paths: Vec<Vec<String>>,
    children: Vec<Child>,
}

struct Child {
    name: String,
    /// The value of `#[path]`.
    path: Option<String>,
}

impl Modules {
    /// The modules of the program whose root file is `root`.
    pub(crate) fn read(root: &Path) -> Self {
        let mut modules = Self(BTreeMap::new());
        let dir = root.parent().expect("it is in a directory");
        modules.add(Vec::new(), root, dir);
        modules
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// `dir` is where the children are.
    fn add(&mut self, name: Vec<String>, file: &Path, dir: &Path) {
        let text = std::fs::read_to_string(file).expect("a module has a file");
        let tokens: TokenStream = text.parse().expect("it is Rust");
        let mut module = Module::default();
        let mut flat = Vec::new();
        flatten(tokens, &mut flat);
        module.read(&without_tests(&flat));
        for child in &module.children {
            let mut below = dir.join(&child.name);
            let own = dir.join(format!("{}.rs", child.name));
            let file: PathBuf = match &child.path {
                Some(path) => dir.join(path),
                None if own.exists() => own,
                None => below.join("mod.rs"),
            };
            if file.ends_with("mod.rs") {
                below = file.parent().expect("it is in a directory").to_owned();
            }
            let mut name = name.clone();
            name.push(child.name.clone());
            self.add(name, &file, &below);
        }
        self.0.insert(name, module);
    }

    /// The dependencies of each module.
    pub(crate) fn edges(&self) -> BTreeMap<Name, BTreeSet<Name>> {
        let edges = self.0.iter().map(|(name, module)| {
            let imports = module.imports.iter().map(|(_, path)| path.clone());
            let paths = module.paths.iter().map(|path| {
                // A path that begins with an imported name continues from that import.
                let import = module.imports.iter().find(|(it, _)| *it == path[0]);
                match import {
                    Some((_, import)) => [import, &path[1..]].concat(),
                    None => path.clone(),
                }
            });
            let needed = imports.chain(paths);
            let needed = needed.filter_map(|path| self.defining(name, &path));
            let others = needed.filter(|it| !it.starts_with(name) && !name.starts_with(it));
            (name.join("::"), others.map(|it| it.join("::")).collect())
        });
        edges.collect()
    }

    /// The module that defines what `path` means in `module`; `None` if it is of another crate.
    fn defining(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut path = path;
        let mut at = module.to_vec();
        match path.first()?.as_str() {
            "crate" => {
                at.clear();
                path = &path[1..];
            }
            "self" | "super" => {
                while let Some(step @ ("self" | "super")) = path.first().map(String::as_str) {
                    if step == "super" {
                        at.pop();
                    }
                    path = &path[1..];
                }
            }
            first if self.0.contains_key(&joined(&at, first)) => {}
            _ => return None,
        }
        while let Some((step, rest)) = path.split_first() {
            let child = joined(&at, step);
            if self.0.contains_key(&child) {
                at = child;
                path = rest;
                continue;
            }
            let re_export = self.0[&at].imports.iter().find(|(name, _)| name == step);
            return match re_export {
                Some((_, import)) => self.defining(&at, &[import, rest].concat()),
                None => Some(at),
            };
        }
        Some(at)
    }
}

impl Module {
    fn read(&mut self, tokens: &[String]) {
        let mut at = 0;
        let mut path_attribute = None;
        while at < tokens.len() {
            let rest = &tokens[at..];
            match rest {
                [a, b, c, text, ..] if [a, b, c] == ["[", "path", "="] => {
                    path_attribute = Some(text.trim_matches('"').to_owned());
                    at += 4;
                }
                [word, name, end, ..] if word == "mod" && end == ";" => {
                    let name = name.clone();
                    let path = path_attribute.take();
                    self.children.push(Child { name, path });
                    at += 3;
                }
                [word, next, ..] if word == "use" && next != "<" => {
                    let end = rest.iter().position(|it| it == ";").unwrap_or(rest.len());
                    tree(&[], &rest[1..end], &mut self.imports);
                    at += end;
                }
                [first, colons, ..] if colons == "::" && is_name(first) => {
                    let mut path = vec![first.clone()];
                    at += 1;
                    while let [colons, next, ..] = &tokens[at..]
                        && colons == "::"
                        && is_name(next)
                    {
                        path.push(next.clone());
                        at += 2;
                    }
                    self.paths.push(path);
                }
                _ => at += 1,
            }
        }
    }
}

/// Adds the names that the tree of a `use` imports, each with its path.
fn tree(before: &[String], tokens: &[String], imports: &mut Vec<(String, Vec<String>)>) {
    let open = tokens.iter().position(|it| it == "{");
    let Some(open) = open else {
        let as_at = tokens.iter().position(|it| it == "as");
        let (path, alias) = tokens.split_at(as_at.unwrap_or(tokens.len()));
        let mut path: Vec<_> = path.iter().filter(|it| *it != "::").cloned().collect();
        if !before.is_empty() && path == ["self"] {
            path.clear();
        }
        let path = [before, &path].concat();
        if let Some(name) = alias.last().or(path.last()) {
            imports.push((name.clone(), path.clone()));
        }
        return;
    };
    let own = tokens[..open].iter().filter(|it| *it != "::").cloned();
    let before: Vec<_> = before.iter().cloned().chain(own).collect();
    let mut depth = 0;
    let inner = &tokens[open + 1..tokens.len() - 1];
    let branches = inner.split(|token| {
        match token.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && token == ","
    });
    for branch in branches.filter(|branch| !branch.is_empty()) {
        tree(&before, branch, imports);
    }
}

/// `tokens` without the items that are compiled only for tests.
fn without_tests(tokens: &[String]) -> Vec<String> {
    let test = ["#", "[", "cfg", "(", "test", ")", "]"].map(str::to_owned);
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].starts_with(&test) {
            at = end_of_item(tokens, at + test.len());
        } else {
            out.push(tokens[at].clone());
            at += 1;
        }
    }
    out
}

/// Where the item ends that begins at `at`.
fn end_of_item(tokens: &[String], mut at: usize) -> usize {
    let mut depth = 0;
    while at < tokens.len() {
        match tokens[at].as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The tokens one after the other, groups with their delimiters, `::` as one.
fn flatten(tokens: TokenStream, out: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    _ => ("(", ")"),
                };
                out.push(open.to_owned());
                flatten(group.stream(), out);
                out.push(close.to_owned());
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' => match out.last_mut() {
                Some(last) if last == ":" => last.push(':'),
                _ => out.push(":".to_owned()),
            },
            token => out.push(token.to_string()),
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn joined(module: &[String], child: &str) -> Vec<String> {
    let mut joined = module.to_vec();
    joined.push(child.to_owned());
    joined
}
