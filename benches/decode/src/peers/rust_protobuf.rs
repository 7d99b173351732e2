//! rust-protobuf 3.7 (the crate `protobuf`, version 3).
#[allow(warnings, clippy::all)]
mod generated;

use protobuf::{Enum, EnumOrUnknown, Message, MessageField};

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Frame, paired};
use generated::{ServerMessage, ServerMessageHead};

pub const DECODER: Decoder = Decoder {
    name: "rust-protobuf",
    is_floor: false,
    pair: Some(pair),
    full: Some(full),
    owned: Some(owned),
};

/// From shared bytes, so that the payload is not copied.
fn pair(frame: &Frame) -> Option<u64> {
    let message = ServerMessageHead::parse_from_tokio_bytes(&frame.shared).ok()?;
    let head = message.response.as_ref()?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id?, head.response_code?.value(), payload))
}

fn full(frame: &Frame) -> Option<u64> {
    let mut sum = Sum::default();
    ServerMessage::parse_from_bytes(&frame.bytes)
        .ok()?
        .touch(&mut sum);
    Some(sum.value())
}

fn owned(frame: &Frame) -> Option<u64> {
    let message = ServerMessage::parse_from_bytes(&frame.bytes).ok()?;
    Some(std::hint::black_box(message).response.is_some().into())
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident $borrows:ident { $($number:literal $field:ident $kind:tt,)* }) => {
        touch_message!(generated::$message { $($field)* });
    };
}
for_each_message!(touch);

impl<T: Touch> Touch for MessageField<T> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        if let Some(message) = self.as_ref() {
            message.touch(sum);
        }
    }
}

impl<E: Enum> Touch for EnumOrUnknown<E> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        self.value().touch(sum);
    }
}
