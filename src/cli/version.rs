//! What `portreeve --version` says.

/// The version, the commit it was built from, and the features that are on.
pub(super) const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    " (revision ",
    env!("BUILT_FROM_REVISION"),
    ", features ",
    env!("BUILT_WITH_FEATURES"),
    ")"
);
