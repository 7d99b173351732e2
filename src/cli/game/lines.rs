//! Lines of bounded length, which limits the memory for any input.

use std::io::{self, BufRead, Read as _};

use zeroize::Zeroizing;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    #[error("the line is not UTF-8")]
    NotText,
}

/// The next line of at most `limit` bytes, without its line break; `None` at the end. Reading can continue after an
/// invalid line. It is zeroized on drop, as it may contain a password.
pub(super) fn next_line(
    input: &mut impl BufRead,
    limit: usize,
) -> io::Result<Option<Result<Zeroizing<String>, LineError>>> {
    let mut line = Zeroizing::new(Vec::new());
    let max = limit as u64 + 1;
    if input.by_ref().take(max).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > limit {
        input.skip_until(b'\n')?;
        return Ok(Some(Err(LineError::TooLong(limit))));
    }
    let text = str::from_utf8(&line).map(|text| Zeroizing::new(text.to_owned()));
    Ok(Some(text.map_err(|_| LineError::NotText)))
}
