//! prost 0.14, with `Bytes` for the fields of type `bytes`.
#[allow(warnings, clippy::all)]
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/prost/_.rs"));
}

use ::prost::Message;
use bytes::Bytes;

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Way, paired};
use generated::{Response, ResponseHead, ServerMessage, ServerMessageHead};

/// From shared bytes, so that neither the payload nor a field of type `bytes` is copied.
pub const DECODER: Decoder = Decoder {
    name: "prost",
    pair: Way {
        enveloped: |frame| {
            let message = ServerMessageHead::decode(frame.shared.clone()).ok()?;
            pair(message.response?)
        },
        bare: |frame| pair(frame.shared.clone()),
    },
    full: Way {
        enveloped: |frame| full::<ServerMessage>(&frame.shared),
        bare: |frame| full::<Response>(&frame.shared),
    },
    owned: Some(Way {
        enveloped: |frame| owned::<ServerMessage>(&frame.shared),
        bare: |frame| owned::<Response>(&frame.shared),
    }),
};

fn pair(response: Bytes) -> Option<u64> {
    let head = ResponseHead::decode(response).ok()?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code?, payload))
}

fn full<M: Message + Default + Touch>(bytes: &Bytes) -> Option<u64> {
    let mut sum = Sum::default();
    M::decode(bytes.clone()).ok()?.touch(&mut sum);
    Some(sum.value())
}

fn owned<M: Message + Default>(bytes: &Bytes) -> Option<u64> {
    let message = M::decode(bytes.clone()).ok()?;
    std::hint::black_box(message);
    Some(1)
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident $borrows:ident { $($field:ident $kind:ident,)* }) => {
        touch_message!(generated::$message { $($field)* });
    };
}
for_each_message!(touch);

impl<T: Touch> Touch for Box<T> {
    fn touch(&self, sum: &mut Sum) {
        (**self).touch(sum);
    }
}
