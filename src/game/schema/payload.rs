//! The payloads of a [`Response`](crate::game::Response).
//!
//! Defined as in the files of `proto/payload/`.

pub use super::generated::payload::*;
