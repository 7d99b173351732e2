//! quick-protobuf 0.8 with the code of pb-rs 0.10.
#[allow(warnings, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/quick_protobuf/flat.rs"));
}

use ::quick_protobuf::{BytesReader, MessageRead};

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Frame, Way, paired};
use generated::{Response, ResponseHead, ServerMessage, ServerMessageHead};

pub const DECODER: Decoder = Decoder {
    name: "quick-protobuf",
    pair: Way {
        enveloped: |frame| pair(&read::<ServerMessageHead>(&frame.bytes)?.response?),
        bare: |frame| pair(&frame.bytes),
    },
    full: Way {
        enveloped: |frame| Some(sum_of(&read::<ServerMessage>(&frame.bytes)?)),
        bare: |frame| Some(sum_of(&read::<Response>(&frame.bytes)?)),
    },
    owned: Some(Way {
        enveloped: |frame| {
            let bytes = kept(frame);
            std::hint::black_box(&read::<ServerMessage>(&bytes)?);
            Some(1)
        },
        bare: |frame| {
            let bytes = kept(frame);
            std::hint::black_box(&read::<Response>(&bytes)?);
            Some(1)
        },
    }),
};

fn read<'a, M: MessageRead<'a>>(bytes: &'a [u8]) -> Option<M> {
    M::from_reader(&mut BytesReader::from_bytes(bytes), bytes).ok()
}

fn pair(response: &[u8]) -> Option<u64> {
    let head = read::<ResponseHead>(response)?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code? as i32, payload))
}

fn sum_of(message: &impl Touch) -> u64 {
    let mut sum = Sum::default();
    message.touch(&mut sum);
    sum.value()
}

/// Its messages borrow, so that the frame has to stay with them.
fn kept(frame: &Frame) -> bytes::Bytes {
    std::hint::black_box(frame.shared.clone())
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident borrows { $($field:ident $kind:ident,)* }) => {
        touch_message!(generated::$message<'_> { $($field)* });
    };
    ($message:ident $view:ident $lazy:ident plain { $($field:ident $kind:ident,)* }) => {
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
touch_enums!(MessageType ResponseCode ZoneType);
