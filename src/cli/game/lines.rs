//! Lines of bounded length, which limits the memory for any input.

use std::io::{self, BufRead, ErrorKind, Read};
use std::mem;

use zeroize::Zeroizing;

/// Reads lines. They are zeroized on drop, as they may contain a password.
pub(super) struct Lines<R> {
    input: R,
    limit: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    #[error("the line is longer than {0} bytes")]
    TooLong(usize),
    #[error("the line is not UTF-8")]
    NotText,
}

// === impl Lines ===

impl<R: BufRead> Lines<R> {
    /// Lines of at most `limit` bytes each, without the line break.
    pub(super) fn new(input: R, limit: usize) -> Self {
        Self { input, limit }
    }

    /// The next line, without its line break; `None` at the end. Reading can continue after an invalid line.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Zeroizing<String>, LineError>>> {
        let mut line = Zeroizing::new(Vec::new());
        let max = self.limit as u64 + 1;
        if (&mut self.input).take(max).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if line.len() > self.limit {
            self.skip_line()?;
            return Ok(Some(Err(LineError::TooLong(self.limit))));
        }
        Ok(Some(match String::from_utf8(mem::take(&mut line)) {
            Ok(line) => Ok(Zeroizing::new(line)),
            Err(error) => {
                drop(Zeroizing::new(error.into_bytes()));
                Err(LineError::NotText)
            }
        }))
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let bytes = match self.input.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let length = end.map_or(bytes.len(), |end| end + 1);
            let done = end.is_some() || bytes.is_empty();
            self.input.consume(length);
            if done {
                return Ok(());
            }
        }
    }
}
