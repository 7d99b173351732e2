//! The file of passwords that PostgreSQL's own programs read
//! (<https://www.postgresql.org/docs/current/libpq-pgpass.html>).

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use secrecy::SecretString;
use zeroize::Zeroizing;

use crate::files;

/// Bytes of the largest file that is read.
const MAX_FILE_LEN: u64 = 1024 * 1024;

/// The password of the first line whose host, port, database and user are those in `wanted`. `None`
/// also if the file is missing, or if others can read it, as for libpq.
pub(super) fn find(path: &Path, wanted: &[&str; 4]) -> Option<SecretString> {
    let metadata = std::fs::metadata(path).ok()?;
    if metadata.mode() & 0o077 != 0 {
        tracing::warn!(
            path = %path.display(),
            "the file of database passwords is not used, since others can read it; `chmod 600` it"
        );
        return None;
    }
    let text = Zeroizing::new(files::read_text(path, MAX_FILE_LEN).ok()?);
    text.lines().find_map(|line| password(line, wanted))
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
        assert_eq!(found(["db1", "5432", "gate", "port"]).unwrap(), "fir:st\\");
        assert_eq!(found(["db1", "5433", "gate", "port"]).unwrap(), "second");
        assert_eq!(found(["db2", "5432", "gate", "port"]).unwrap(), "last");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(
            found(["db2", "5432", "gate", "port"]),
            None,
            "others can read it"
        );
        assert!(find(&dir.path().join("none"), &["a", "b", "c", "d"]).is_none());
    }
}
