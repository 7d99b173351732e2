//! The file of passwords that PostgreSQL's own programs read
//! (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::files;

/// Bytes of the largest file that is read.
const MAX_FILE_LEN: u64 = 1024 * 1024;

/// The password of the first line whose host, port, database and user are those in `wanted`; or why the
/// file has none, if it is there. One that others can read is not used, as for libpq.
pub(super) fn find(path: &Path, wanted: &[&str; 4]) -> Result<SecretString, Option<String>> {
    if let Some(exposed) = exposed(path) {
        return Err(Some(exposed));
    }
    let text = match files::read_text(path, MAX_FILE_LEN) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(None),
        Err(error) => return Err(Some(format!("{} cannot be read: {error}", path.display()))),
    };
    let found = text.lines().find_map(|line| password(line, wanted));
    found.ok_or_else(|| {
        Some(format!(
            "{} has no line for {}",
            path.display(),
            wanted.join(":")
        ))
    })
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

fn password(line: &str, wanted: &[&str; 4]) -> Option<SecretString> {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn the_first_line_that_fits_counts() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pgpass");
        let text = "# a comment\nbroken line\ndb1:5432:gate:port:fir\\:st\\\\\n\
                    db1:*:*:port:second:rest\n*:*:*:*:last\n";
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let found = |wanted: [&str; 4]| {
            find(&path, &wanted).map(|password| password.expose_secret().to_owned())
        };
        let why = |wanted| found(wanted).unwrap_err().unwrap();
        assert_eq!(found(["db1", "5432", "gate", "port"]).unwrap(), "fir:st\\");
        assert_eq!(found(["db1", "5433", "gate", "port"]).unwrap(), "second");
        assert_eq!(found(["db2", "5432", "gate", "port"]).unwrap(), "last");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let line = why(["db2", "5432", "gate", "port"]);
        assert!(
            line.contains("mode 0640") && line.contains("chmod 600"),
            "{line}"
        );
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::write(&path, "db1:*:*:*:secret\n").unwrap();
        let line = why(["db2", "5432", "gate", "port"]);
        assert!(line.contains("no line for db2:5432:gate:port"), "{line}");
        assert!(!line.contains("secret"), "{line}");
        assert!(
            find(&dir.path().join("none"), &["a", "b", "c", "d"]).is_err_and(|why| why.is_none())
        );
    }
}
