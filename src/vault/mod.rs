//! Stored app passwords: cipher and keys, the `Store` trait and its stores.
