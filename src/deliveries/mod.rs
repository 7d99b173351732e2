//! Deliveries that arrive: receipts of events that are kept before they are acknowledged, and brought to those who
//! want them, or fetched by them.
//!
//! | part | role |
//! |---|---|
//! | [`Incoming`], [`Receipt`] | what was received |
//! | [`Target`] | where deliveries go |
//! | [`Delivery`] | one receipt for one target |
//! | [`Queue`] | what is kept, in the vault's database |
//! | [`Worker`], [`Networks`] | deliveries are made of receipts, and attempted at addresses that may be dialled |
//! | [`Deliveries`] | all of it, with the keys of the vault: receipts and targets are sealed before a queue sees them |

mod connection;
mod delivery;
mod destination;
mod filters;
mod handle;
mod maker;
mod matching;
mod networks;
mod place;
#[doc(hidden)]
pub mod queue;
mod ready;
mod receipt;
mod replay;
mod rotation;
mod schedule;
mod send;
mod target;
mod worker;

pub use delivery::{Delivery, DeliveryId, DeliveryState};
pub use destination::{Destination, DestinationError};
pub use handle::{Deliveries, Limits};
pub use maker::{Maker, Suspension};
pub use networks::{Networks, Permission};
pub use queue::{Counts, Queue, QueueError, Scope};
pub use receipt::{Incoming, IncomingError};
pub use send::AttemptOutcome;
pub use target::{Target, TargetId, TargetSettings, TargetState};
pub use worker::Worker;

// What the parts say to each other, and tests to them.
#[doc(hidden)]
pub use crate::outbound::shares::Shares;
#[doc(hidden)]
pub use delivery::{Claimed, Completed, Completion, PastAttempt, Retried};
#[doc(hidden)]
pub use receipt::{NewReceipt, Receipt, ReceiptId};
#[doc(hidden)]
pub use replay::Replay;
#[doc(hidden)]
pub use send::{ATTEMPT_TIMEOUT, AttemptResult, Message, Sender};
#[doc(hidden)]
pub use target::{PreviousSecret, TargetHeader};

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such id")]
pub struct IdError;

/// The number that `text`, of `digits` lower-case hexadecimal digits, is.
fn hex_digits(text: &str, digits: usize) -> Result<u128, IdError> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != digits || !text.bytes().all(is_digit) {
        return Err(IdError);
    }
    u128::from_str_radix(text, 16).map_err(|_| IdError)
}
