//! prost 0.14.
#[allow(warnings, clippy::all)]
pub mod generated;

use ::prost::Message;

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Frame, paired};
use generated::{ServerMessage, ServerMessageHead};

pub const DECODER: Decoder = Decoder {
    name: "prost",
    is_floor: false,
    pair: Some(pair),
    full: Some(full),
    owned: Some(owned),
};

/// From shared bytes, so that the payload is not copied.
fn pair(frame: &Frame) -> Option<u64> {
    let head = ServerMessageHead::decode(frame.shared.clone())
        .ok()?
        .response?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code?, payload))
}

fn full(frame: &Frame) -> Option<u64> {
    let mut sum = Sum::default();
    ServerMessage::decode(frame.bytes.as_slice())
        .ok()?
        .touch(&mut sum);
    Some(sum.value())
}

fn owned(frame: &Frame) -> Option<u64> {
    let message = ServerMessage::decode(frame.bytes.as_slice()).ok()?;
    Some(std::hint::black_box(message).response.is_some().into())
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident $borrows:ident { $($number:literal $field:ident $kind:tt,)* }) => {
        touch_message!(generated::$message { $($field)* });
    };
}
for_each_message!(touch);

impl<T: Touch> Touch for Box<T> {
    fn touch(&self, sum: &mut Sum) {
        (**self).touch(sum);
    }
}
