//! Deliveries that arrive: where they may go, attempts, the queue.

use portreeve_test_support as support;

#[cfg(feature = "sqlite")]
mod api;
#[cfg(feature = "sqlite")]
mod authority;
mod connections;
mod embedded;
mod networks;
mod queue;
mod receipt;
#[cfg(feature = "sqlite")]
mod relay;
mod sending;
#[cfg(feature = "sqlite")]
mod streams;
mod target;
#[cfg(feature = "sqlite")]
mod targets;
#[cfg(feature = "sqlite")]
mod worker;
