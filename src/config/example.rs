//! A commented configuration file from the table of settings, for `portreeve init` and `config example`.

use super::setting::{ALL, Fallback, Setting};
use super::syntax::Notation;
use super::toml_file;

const WIDTH: usize = 78;

const DATA: &str = "/var/lib/portreeve";

/// Every setting that a file may hold: with its `value`, or commented out with its default or an example. That of a secret
/// is the path of its file.
///
/// A line that begins with `#` and a letter becomes a setting when the `#` is removed. Secrets have no such line: the
/// value in an example would be a secret that everybody knows.
pub(crate) fn config_file(value: impl Fn(&Setting) -> Option<String>) -> String {
    let settings = ALL.iter().filter(|setting| setting.is_in_toml());
    let parts: Vec<_> = settings.map(|it| part(it, value(it))).collect();
    parts.join("\n")
}

fn part(setting: &Setting, value: Option<String>) -> String {
    let mut out = comment(&format!("{}.", setting.help));
    let names = match setting.flag() {
        Some(flag) => format!("{flag}, {}", setting.env),
        None => format!(
            "{0}, or {0}_FILE or here {1}_file with the path of a file that contains it; as {1} only \
             in a file that no other user can read",
            setting.env, setting.key
        ),
    };
    out += &comment(&format!("[{names}]"));
    let example = match setting.fallback {
        Fallback::Words { text, example } => {
            out += &comment(&format!("Default: {text}"));
            example.to_owned()
        }
        _ => setting.default(Some(DATA)).into_owned(),
    };
    if setting.notation != Notation::Secret {
        let mark = if value.is_some() { "" } else { "#" };
        let value = toml_file::value(setting.notation, &value.unwrap_or(example));
        out += &format!("{mark}{} = {value}\n", setting.key);
    } else if let Some(file) = value {
        out += &format!("{}{} = {}\n", setting.key, toml_file::FILE, toml::Value::from(file));
    }
    out
}

fn comment(text: &str) -> String {
    let (mut out, mut width) = (String::from("#"), 1);
    for word in text.split(' ') {
        if width + 1 + word.len() > WIDTH {
            out += "\n#";
            width = 1;
        }
        out.extend([" ", word]);
        width += 1 + word.len();
    }
    out + "\n"
}
