//! An error and what caused it.

use std::error::Error;
use std::{fmt, iter};

/// `error` and its causes, from the outermost one on.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |&error| error.source())
}

/// The texts of `error` and its causes in one line: the outermost one often says only that something failed. A cause that
/// the text before it ends with is not repeated.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        let mut said = error.to_string();
        f.write_str(&said)?;
        causes(error).skip(1).try_for_each(|cause| {
            let before = std::mem::replace(&mut said, cause.to_string());
            if before.ends_with(&said) { Ok(()) } else { write!(f, ": {said}") }
        })
    })
}
