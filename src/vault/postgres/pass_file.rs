//! The file of passwords that PostgreSQL's own programs read (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::files;

const MAX_FILE_LEN: u64 = 1024 * 1024;

/// The password of the first line whose host, port, database and user are those in `wanted`; or why the
/// file has none, if it is there. One that others can read is not used, as for libpq.
pub(super) fn find(path: &Path, wanted: &[String; 4]) -> Result<SecretString, Option<String>> {
    if let Some(exposed) = exposed(path) {
        return Err(Some(exposed));
    }
    let text = match files::read_text(path, MAX_FILE_LEN) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(None),
        Err(error) => return Err(Some(format!("{} cannot be read: {error}", path.display()))),
    };
    let found = text.lines().find_map(|line| password(line, wanted));
    found.ok_or_else(|| Some(format!("{} has no line for {}", path.display(), wanted.join(":"))))
}

/// Why the file at `path` is not used, if other users can read it.
pub(super) fn exposed(path: &Path) -> Option<String> {
    let mode = files::metadata(path).ok()?.mode() & 0o7777;
    (mode & 0o077 != 0).then(|| {
        let path = path.display();
        format!(
            "{path} is not used, since others can read it (mode {mode:04o}); `chmod 600 {path}`"
        )
    })
}

fn password(line: &str, wanted: &[String; 4]) -> Option<SecretString> {
    if line.starts_with('#') {
        return None;
    }
    let mut rest = line;
    for wanted in wanted {
        let (field, after) = field(rest)?;
        if field.as_str() != "*" && field.as_str() != *wanted {
            return None;
        }
        rest = after?;
    }
    let (password, _) = field(rest)?;
    (!password.is_empty()).then(|| SecretString::from(password.as_str()))
}

/// The text up to the next colon, without its backslashes, and what follows the colon.
fn field(text: &str) -> Option<(Zeroizing<String>, Option<&str>)> {
    // Room for all at once: a growing text would leave copies behind.
    let mut field = Zeroizing::new(String::with_capacity(text.len()));
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            ':' => return Some((field, Some(&text[at + 1..]))),
            '\\' => field.push(chars.next()?.1),
            _ => field.push(char),
        }
    }
    Some((field, None))
}
