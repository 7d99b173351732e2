//! What several test files share.
// Each test file is a crate of its own and uses a part of this, so that the rest looks unused to
// the compiler, and nothing of it is reachable from outside.
#![allow(dead_code, unreachable_pub, unused_imports)]

#[cfg(feature = "cli")]
pub mod binary;
pub mod gateway;
pub mod nextcloud;
