//! Deliveries that arrive: where they may go, attempts, the queue.

use portreeve_test_support as support;

mod networks;
mod queue;
mod sending;
mod target;
#[cfg(feature = "sqlite")]
mod worker;
