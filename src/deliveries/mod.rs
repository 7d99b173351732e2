//! Deliveries that arrive: receipts of events that are kept before they are acknowledged, and brought to those who
//! want them, or fetched by them.
//!
//! | part | role |
//! |---|---|
//! | [`Incoming`], [`Receipt`] | what was received |
//! | [`Target`] | where deliveries go |
//! | [`Delivery`] | one receipt for one target |
//! | [`Queue`] | what is kept, in the vault's database |
//! | [`Sender`], [`Networks`] | one attempt, at an address that may be dialled |
//! | [`Worker`] | what is done with the queue: deliveries are made of receipts, and attempted |
//! | [`Deliveries`] | all of it, with the keys of the vault: receipts and targets are sealed before a queue sees them |

mod delivery;
mod destination;
mod filters;
mod handle;
mod networks;
pub mod queue;
mod ready;
mod receipt;
mod rotation;
mod schedule;
mod send;
mod target;
mod worker;

pub use delivery::{
    Attempt, Claimed, Completed, Completion, Delivery, DeliveryId, DeliveryState, Retried,
};
pub use destination::{Destination, DestinationError};
pub use handle::{Deliveries, Limits};
pub use networks::{Networks, Permission};
pub use queue::{Counts, Queue, QueueError, Scope};
pub use receipt::{Incoming, IncomingError, NewReceipt, Receipt, ReceiptId};
pub use send::{Answer, Message, Outcome, Sender};
pub use target::{PreviousSecret, Target, TargetId, TargetSettings, TargetState};
pub use worker::Worker;

/// A text that names nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is nothing of this name")]
pub struct IdError;

/// The number that `text`, of `digits` lower-case hexadecimal digits, is.
fn hex_digits(text: &str, digits: usize) -> Result<u128, IdError> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != digits || !text.bytes().all(is_digit) {
        return Err(IdError);
    }
    u128::from_str_radix(text, 16).map_err(|_| IdError)
}
