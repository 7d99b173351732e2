//! What the test binaries share. Each includes this folder once, in its `main.rs`.

// A test binary uses a part of this, so that the rest looks unused to the compiler, and nothing of
// it is reachable from outside.
#![allow(dead_code, unreachable_pub, unused_imports)]

#[cfg(feature = "cli")]
pub mod binary;
pub mod certificates;
pub mod gateway;
pub mod issuer;
pub mod log;
pub mod nextcloud;
pub mod oidc;
pub mod own_process;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(unix)]
pub mod slow_disk;
