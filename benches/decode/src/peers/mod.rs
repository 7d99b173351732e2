//! The other decoders. Their code was written by their own generators from one schema; see
//! `build/peers.rs`.
mod buffa;
pub mod prost;
mod quick_protobuf;

use crate::task::Decoder;

/// The peers, the fastest ones of the task *full* first.
pub const ALL: [Decoder; 4] =
    [buffa::LAZY_VIEW, buffa::VIEW, quick_protobuf::DECODER, prost::DECODER];

/// The number of the first payload that is present. With the peers, this requires checking every field.
macro_rules! payload_number {
    ($head:ident, $($number:literal $field:ident $payload:ident,)*) => {
        $(if $head.$field.is_some() { $number } else)* { 0 }
    };
}
use payload_number;
