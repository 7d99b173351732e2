//! rust-protobuf 3.7 (the crate `protobuf`, version 3), with `Bytes` for what can be shared.
#[allow(warnings, clippy::all)]
mod generated {
    // A separate module because of its inner attributes.
    include!(concat!(env!("OUT_DIR"), "/rust_protobuf/mod.rs"));
}

use bytes::Bytes;
use protobuf::{Chars, Enum, EnumOrUnknown, Message, MessageField};

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Way, paired};
use generated::flat::{Response, ResponseHead, ServerMessage, ServerMessageHead};

pub const DECODER: Decoder = Decoder {
    name: "rust-protobuf",
    is_floor: false,
    pair: Some(Way {
        enveloped: |frame| {
            let message = ServerMessageHead::parse_from_tokio_bytes(&frame.shared).ok()?;
            pair(message.response.as_ref()?)
        },
        bare: |frame| pair(&frame.shared),
    }),
    full: Some(Way {
        enveloped: |frame| full::<ServerMessage>(&frame.shared),
        bare: |frame| full::<Response>(&frame.shared),
    }),
    owned: Some(Way {
        enveloped: |frame| owned::<ServerMessage>(&frame.shared),
        bare: |frame| owned::<Response>(&frame.shared),
    }),
};

fn pair(response: &Bytes) -> Option<u64> {
    let head = ResponseHead::parse_from_tokio_bytes(response).ok()?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id?, head.response_code?.value(), payload))
}

fn full<M: Message + Touch>(bytes: &Bytes) -> Option<u64> {
    let mut sum = Sum::default();
    M::parse_from_tokio_bytes(bytes).ok()?.touch(&mut sum);
    Some(sum.value())
}

fn owned<M: Message>(bytes: &Bytes) -> Option<u64> {
    let message = M::parse_from_tokio_bytes(bytes).ok()?;
    std::hint::black_box(message);
    Some(1)
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident $borrows:ident { $($number:literal $field:ident $kind:tt,)* }) => {
        touch_message!(generated::flat::$message { $($field)* });
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

impl Touch for Chars {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        sum.text(self);
    }
}
