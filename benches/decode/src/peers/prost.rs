//! prost 0.14, as its generator writes it, and with `Bytes` for the fields of type `bytes`.
#[allow(warnings, clippy::all)]
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/prost/_.rs"));
}
#[allow(warnings, clippy::all)]
mod generated_with_bytes {
    include!(concat!(env!("OUT_DIR"), "/prost_with_bytes/_.rs"));
}

use ::prost::Message;
use bytes::Bytes;

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Way, paired};
use generated::{ResponseHead, ServerMessageHead};

pub const DECODER: Decoder = Decoder {
    name: "prost",
    is_floor: false,
    pair: Some(PAIR),
    full: Some(Way {
        enveloped: |frame| full::<generated::ServerMessage>(&frame.bytes),
        bare: |frame| full::<generated::Response>(&frame.bytes),
    }),
    owned: Some(Way {
        enveloped: |frame| owned::<generated::ServerMessage>(&frame.bytes),
        bare: |frame| owned::<generated::Response>(&frame.bytes),
    }),
};

pub const WITH_BYTES: Decoder = Decoder {
    name: "prost with bytes",
    is_floor: false,
    // The heads have `Bytes` in both.
    pair: Some(PAIR),
    full: Some(Way {
        enveloped: |frame| full_shared::<generated_with_bytes::ServerMessage>(&frame.shared),
        bare: |frame| full_shared::<generated_with_bytes::Response>(&frame.shared),
    }),
    owned: Some(Way {
        enveloped: |frame| owned_shared::<generated_with_bytes::ServerMessage>(&frame.shared),
        bare: |frame| owned_shared::<generated_with_bytes::Response>(&frame.shared),
    }),
};

/// From shared bytes, so that the payload is not copied.
const PAIR: Way = Way {
    enveloped: |frame| {
        let message = ServerMessageHead::decode(frame.shared.clone()).ok()?;
        pair(message.response?)
    },
    bare: |frame| pair(frame.shared.clone()),
};

fn pair(response: Bytes) -> Option<u64> {
    let head = ResponseHead::decode(response).ok()?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code?, payload))
}

fn full<M: Message + Default + Touch>(bytes: &[u8]) -> Option<u64> {
    let mut sum = Sum::default();
    M::decode(bytes).ok()?.touch(&mut sum);
    Some(sum.value())
}

fn full_shared<M: Message + Default + Touch>(bytes: &Bytes) -> Option<u64> {
    let mut sum = Sum::default();
    M::decode(bytes.clone()).ok()?.touch(&mut sum);
    Some(sum.value())
}

fn owned<M: Message + Default>(bytes: &[u8]) -> Option<u64> {
    let message = M::decode(bytes).ok()?;
    std::hint::black_box(message);
    Some(1)
}

fn owned_shared<M: Message + Default>(bytes: &Bytes) -> Option<u64> {
    let message = M::decode(bytes.clone()).ok()?;
    std::hint::black_box(message);
    Some(1)
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident $borrows:ident { $($number:literal $field:ident $kind:tt,)* }) => {
        touch_message!(generated::$message { $($field)* });
        touch_message!(generated_with_bytes::$message { $($field)* });
    };
}
for_each_message!(touch);

impl<T: Touch> Touch for Box<T> {
    fn touch(&self, sum: &mut Sum) {
        (**self).touch(sum);
    }
}
