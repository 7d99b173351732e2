//! Shared by the test programs.

#[cfg(feature = "gateway")]
pub mod binary;
pub mod certificates;
#[cfg(feature = "gateway")]
pub mod contract;
pub mod cutter;
#[cfg(feature = "gateway")]
pub mod gateway;
pub mod http2_frames;
#[cfg(feature = "gateway")]
pub mod issuer;
pub mod log;
pub mod nextcloud;
#[cfg(feature = "gateway")]
pub mod oidc;
pub mod own_process;
#[cfg(unix)]
pub mod pgbouncer;
#[cfg(unix)]
pub mod postgres;
pub mod seed;
#[cfg(unix)]
pub mod slow_disk;

/// `value` with what `change` sets: structs that may grow cannot be written out.
pub fn changed<T>(mut value: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut value);
    value
}
