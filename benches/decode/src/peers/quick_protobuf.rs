//! quick-protobuf 0.8 with the code of pb-rs 0.10.
#[allow(warnings, clippy::all)]
mod generated;

use ::quick_protobuf::{BytesReader, MessageRead};

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Frame, paired};
use generated::{ServerMessage, ServerMessageHead};

pub const DECODER: Decoder = Decoder {
    name: "quick-protobuf",
    is_floor: false,
    pair: Some(pair),
    full: Some(full),
    owned: Some(owned),
};

fn read<'a, M: MessageRead<'a>>(bytes: &'a [u8]) -> Option<M> {
    M::from_reader(&mut BytesReader::from_bytes(bytes), bytes).ok()
}

fn pair(frame: &Frame) -> Option<u64> {
    let head = read::<ServerMessageHead>(&frame.bytes)?.response?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code? as i32, payload))
}

fn full(frame: &Frame) -> Option<u64> {
    let mut sum = Sum::default();
    read::<ServerMessage>(&frame.bytes)?.touch(&mut sum);
    Some(sum.value())
}

/// Its messages borrow, so that a copy of the frame has to stay with them.
fn owned(frame: &Frame) -> Option<u64> {
    let bytes = std::hint::black_box(frame.bytes.clone());
    let message = read::<ServerMessage>(&bytes)?;
    Some(std::hint::black_box(&message).response.is_some().into())
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident borrows { $($number:literal $field:ident $kind:tt,)* }) => {
        touch_message!(generated::$message<'_> { $($field)* });
    };
    ($message:ident $view:ident $lazy:ident plain { $($number:literal $field:ident $kind:tt,)* }) => {
        touch_message!(generated::$message { $($field)* });
    };
}
for_each_message!(touch);

macro_rules! touch_enums {
    ($($name:ident)*) => {$(
        impl Touch for generated::$name {
            #[inline]
            fn touch(&self, sum: &mut Sum) {
                (*self as i32).touch(sum);
            }
        }
    )*};
}
touch_enums!(MessageType ResponseCode ServerInfoZoneZoneType);
