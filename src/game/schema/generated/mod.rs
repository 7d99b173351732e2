//! The messages and enums of `proto/`, one file for each public module. They are printed from there:
//! change a file of `proto/`, and print them again with
//!
//! ```text
//! PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema
//! ```

pub(super) mod command;
pub(super) mod context;
pub(super) mod event;
pub(super) mod info;
pub(super) mod payload;
// An answer has some methods of its own in place of those of its fields.
#[allow(dead_code, unreachable_pub)]
pub(super) mod response;
pub(super) mod root;
