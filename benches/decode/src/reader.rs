//! The reader of this crate.
mod names {
    //! The names of the flat schema, for the macro that goes through every message.
    pub use portreeve::game::ServerMessage;
    pub use portreeve::game::info::*;
    pub use portreeve::game::info::{
        CardArt as CardArtParams, DeckFile as DeckStorageFile, DeckFolder as DeckStorageFolder,
        DeckItem as DeckStorageTreeItem, PawnColors as PawnColorsOverride,
    };
    pub use portreeve::game::payload::CardArtRule as CardArtRuleEntry;
    pub use portreeve::game::payload::*;
}

use bytes::Bytes;
use portreeve::game::info::{Zone, ZoneType};
use portreeve::game::{
    DecodeError, Element, Message, MessageType, Nested, OwnedResponse, Payload, Repeated, Required,
    Response, ServerMessage, Text,
};

use crate::checksum::{Sum, Touch};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Way, paired};

pub const DECODER: Decoder = Decoder {
    name: "portreeve",
    pair: Way {
        enveloped: |frame| pair(Response::parse_enveloped(&frame.bytes).ok()??),
        bare: |frame| pair(Response::parse(&frame.bytes).ok()?),
    },
    full: Way {
        enveloped: |frame| Some(sum_of(&ServerMessage::parse(&frame.bytes).ok()?)),
        bare: |frame| Some(sum_of(&Response::parse(&frame.bytes).ok()?)),
    },
    owned: Some(Way {
        enveloped: |frame| kept(OwnedResponse::parse_enveloped(frame.shared.clone()).ok()??),
        bare: |frame| kept(OwnedResponse::parse(frame.shared.clone()).ok()?),
    }),
};

#[inline(always)]
fn pair(response: Response<'_>) -> Option<u64> {
    let payload = response.kind().map_or(0, |kind| kind.number());
    Some(paired(response.cmd_id(), response.raw_code()?, payload))
}

#[inline(always)]
fn sum_of(message: &impl Touch) -> u64 {
    let mut sum = Sum::default();
    message.touch(&mut sum);
    sum.value()
}

#[inline(always)]
fn kept(answer: OwnedResponse<Bytes>) -> Option<u64> {
    std::hint::black_box(answer);
    Some(1)
}

macro_rules! touch {
    (Response $($fields:tt)*) => {};
    (Zone $($fields:tt)*) => {};
    ($message:ident $view:ident $lazy:ident $borrows:ident { $($field:ident $kind:ident,)* }) => {
        impl Touch for names::$message<'_> {
            #[inline]
            fn touch(&self, sum: &mut Sum) {
                sum.message();
                $(touch_field!($kind self.$field, sum);)*
            }
        }
    };
}
macro_rules! touch_field {
    (message $field:expr, $sum:ident) => {
        $field.touch_each($sum)
    };
    (value $field:expr, $sum:ident) => {
        $field.touch($sum)
    };
}
for_each_message!(touch);

/// Not by the macro, since one of the field names is a keyword of Rust.
impl Touch for Zone<'_> {
    fn touch(&self, sum: &mut Sum) {
        sum.message();
        self.name.touch(sum);
        self.r#type.touch(sum);
        self.with_coords.touch(sum);
        self.card_count.touch(sum);
        self.card_list.touch_each(sum);
        self.always_reveal_top_card.touch(sum);
        self.always_look_at_top_card.touch(sum);
    }
}

/// Messages within a message, each read into the same variable.
trait TouchEach {
    fn touch_each(&self, sum: &mut Sum);
}

impl<'a, M: Message<'a> + Touch> TouchEach for Nested<'a, M> {
    #[inline(always)]
    fn touch_each(&self, sum: &mut Sum) {
        // Most are absent: without a look before, each of them would cost an empty slot.
        if !self.is_present() {
            return;
        }
        let mut slot = None;
        if let Some(message) = self.read_into(&mut slot).expect(WELL_FORMED) {
            message.touch(sum);
        }
    }
}

impl<'a, M: Message<'a> + Touch> TouchEach for Repeated<'a, M> {
    #[inline(always)]
    fn touch_each(&self, sum: &mut Sum) {
        let mut messages = self.iter();
        let mut slot = None;
        while let Some(message) = messages.read_into(&mut slot).expect(WELL_FORMED) {
            message.touch(sum);
        }
    }
}

impl Touch for Response<'_> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        sum.message();
        self.cmd_id().touch(sum);
        self.raw_code().touch(sum);
        if let Some(payload) = self.payload().expect(WELL_FORMED) {
            payload.touch(sum);
        }
    }
}

macro_rules! touch_payload {
    ($($number:literal $field:ident $payload:ident,)*) => {
        impl Touch for Payload<'_> {
            #[inline]
            fn touch(&self, sum: &mut Sum) {
                match self {
                    $(Self::$payload(payload) => payload.touch(sum),)*
                    _ => unreachable!("a payload of which the schema knows nothing"),
                }
            }
        }
    };
}
for_payloads!(touch_payload);

const WELL_FORMED: &str = "the workloads are well-formed";

impl Touch for Text<'_> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.to_str().touch(sum);
    }
}

impl<T: Copy + Touch> Touch for Required<T> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.value().touch(sum);
    }
}

impl<'a, E: Element<'a, Item: Touch>> Touch for Repeated<'a, E> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        for element in self.iter() {
            element.touch(sum);
        }
    }
}

impl<T: Touch> Touch for Result<T, DecodeError> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.as_ref().expect(WELL_FORMED).touch(sum);
    }
}

impl Touch for MessageType {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.number().touch(sum);
    }
}

impl Touch for ZoneType {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.number().touch(sum);
    }
}
