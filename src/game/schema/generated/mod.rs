//! The messages and enums of `proto/`, one file for each public module. To change them, change a file of
//! `proto/` and print them again with
//!
//! ```text
//! PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema
//! ```

pub(super) mod command;
pub(super) mod context;
pub(super) mod event;
pub(super) mod info;
pub(super) mod payload;
// `Response` has methods of its own instead of these getters.
#[allow(dead_code, unreachable_pub)]
pub(super) mod response;
pub(super) mod root;
