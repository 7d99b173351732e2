//! Deliveries that arrive: where they may go, attempts, the queue.

use portreeve_test_support as support;

#[cfg(feature = "sqlite")]
mod api;
mod networks;
mod queue;
mod receipt;
mod sending;
mod target;
#[cfg(feature = "sqlite")]
mod worker;
