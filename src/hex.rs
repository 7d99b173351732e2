//! Bytes in hexadecimal.

use std::fmt;

/// `bytes` as lower-case hexadecimal digits, two for each.
pub(crate) fn hex(bytes: &[u8]) -> impl fmt::Display {
    fmt::from_fn(|f| bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")))
}
