//! What several test files share.
// Each test file is a crate of its own and uses a part of this, so that the rest looks unused to
// the compiler, and nothing of it is reachable from outside.
#![allow(dead_code, unreachable_pub)]

pub mod nextcloud;
