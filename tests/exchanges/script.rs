//! Reads the files.

use std::path::Path;

/// A test: the lines before the first test of its file, and its own.
pub(crate) struct Test {
    pub(crate) file: String,
    pub(crate) name: String,
    pub(crate) lines: Vec<Line>,
}

#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) text: String,
    /// Header fields, which are indented below it; no value for one that must not be there.
    pub(crate) fields: Vec<(String, Option<String>)>,
}

impl Line {
    /// What follows `>` or `>>`, without how often.
    pub(crate) fn request(&self) -> &str {
        let text = self.text.trim_start_matches('>').trim_start();
        self.count().map_or(text, |(_, text)| text)
    }

    /// Who makes the request; `12 * alice` makes it twelve times.
    pub(crate) fn callers(&self) -> Vec<String> {
        let caller = self.request().split(' ').next().unwrap_or_default();
        let times = self.count().map_or(1, |(count, _)| count);
        (0..times).flat_map(|_| users(caller)).collect()
    }

    fn count(&self) -> Option<(usize, &str)> {
        let text = self.text.trim_start_matches('>').trim_start();
        let (count, text) = text.split_once(" * ")?;
        Some((count.parse().ok()?, text))
    }

    /// As it was written, but for breaks.
    pub(crate) fn shown(&self) -> String {
        let fields = self.fields.iter().map(|(name, value)| match value {
            Some(value) => format!("\n  {name}: {value}"),
            None => format!("\n  no {name}"),
        });
        self.text.clone() + &fields.collect::<String>()
    }
}

/// The users of `u1-5`, or the one user. Those of `-u1-5` have no token.
pub(crate) fn users(words: &str) -> Vec<String> {
    let (before, range) = words.split_at(words.find('u').unwrap_or(0));
    let range = range.strip_prefix('u').and_then(|it| it.split_once('-'));
    let range = range.and_then(|(a, b)| Some(a.parse().ok()?..=b.parse::<usize>().ok()?));
    match range {
        Some(range) => range.map(|number| format!("{before}u{number}")).collect(),
        None => vec![words.to_owned()],
    }
}

/// Whether a name begins with a section of docs/API.md: `api_4_3_…`.
pub(crate) fn names_a_section(name: &str) -> bool {
    let words = name.strip_prefix("api_").into_iter().flat_map(|it| it.split('_'));
    let numbers = words.take_while(|word| word.parse::<u8>().is_ok());
    let section = numbers.collect::<Vec<_>>().join(".");
    let page = include_str!("../../docs/API.md");
    !section.is_empty() && page.contains(&format!("# {section} "))
}

/// Reads every `.txt` file of `folder`, a path in the repository.
pub(crate) fn read_all(folder: &str) -> Vec<Test> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let paths = folder.read_dir().expect("the folder can be read");
    let mut paths: Vec<_> = paths.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|it| it == "txt"));
    paths.sort();
    paths.iter().flat_map(|path| read(path)).collect()
}

fn read(path: &Path) -> Vec<Test> {
    let file = path.file_stem().unwrap().to_string_lossy();
    let text = std::fs::read_to_string(path).unwrap();
    let mut shared = Vec::new();
    let mut tests: Vec<Test> = Vec::new();
    for (at, text) in text.lines().enumerate() {
        let number = at + 1;
        let fault = |what: &str| format!("{file}.txt:{number}: {what}: {text}");
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Some(name) = text.strip_prefix("== ") {
            tests.push(Test {
                file: file.clone().into_owned(),
                name: name.to_owned(),
                lines: shared.clone(),
            });
            continue;
        }
        let lines = match tests.last_mut() {
            Some(test) => &mut test.lines,
            None => &mut shared,
        };
        let Some(indented) = text.strip_prefix("  ") else {
            lines.push(Line { number, text: text.to_owned(), fields: Vec::new() });
            continue;
        };
        let line = lines.last_mut();
        let line = line.unwrap_or_else(|| panic!("{}", fault("indented below nothing")));
        if let Some(more) = indented.trim_start().strip_prefix("| ") {
            // The lines of a file.
            let gap = if line.text.starts_with("file ") { '\n' } else { ' ' };
            line.text = format!("{}{gap}{more}", line.text);
        } else if let Some(name) = indented.strip_prefix("no ") {
            line.fields.push((name.to_owned(), None));
        } else {
            let (name, value) = indented
                .split_once(':')
                .unwrap_or_else(|| panic!("{}", fault("is no header field")));
            let value = Some(value.trim().to_owned());
            line.fields.push((name.to_owned(), value));
        }
    }
    tests
}
