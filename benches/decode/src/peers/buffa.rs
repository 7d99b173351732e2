//! buffa 0.9: views, and lazy views, which read nested messages when asked.
#[allow(warnings, clippy::all)]
mod generated;

use ::buffa::{
    Enumeration, LazyMessageFieldView, LazyMessageView, LazyRepeatedView, MessageFieldView,
    MessageView, RepeatedView,
};

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Frame, paired};
use generated::__buffa::{lazy_view, view};

pub const VIEW: Decoder = Decoder {
    name: "buffa view",
    is_floor: false,
    pair: Some(pair),
    full: Some(full),
    owned: Some(owned),
};

pub const LAZY_VIEW: Decoder = Decoder {
    name: "buffa lazy view",
    is_floor: false,
    pair: Some(pair_lazily),
    full: Some(full_lazily),
    owned: None,
};

fn pair(frame: &Frame) -> Option<u64> {
    let message = view::ServerMessageHeadView::decode_view(&frame.bytes).ok()?;
    let head = message.response.as_option()?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code?.to_i32(), payload))
}

fn full(frame: &Frame) -> Option<u64> {
    let mut sum = Sum::default();
    view::ServerMessageView::decode_view(&frame.bytes)
        .ok()?
        .touch(&mut sum);
    Some(sum.value())
}

/// An owned view: the decoded view with the bytes, copied here, that it borrows from.
fn owned(frame: &Frame) -> Option<u64> {
    let bytes = bytes::Bytes::from(frame.bytes.clone());
    let message = ::buffa::OwnedView::<view::ServerMessageView<'static>>::decode(bytes).ok()?;
    Some(
        std::hint::black_box(&message)
            .reborrow()
            .response
            .as_option()
            .is_some()
            .into(),
    )
}

fn pair_lazily(frame: &Frame) -> Option<u64> {
    let message = lazy_view::ServerMessageHeadLazyView::decode_lazy(&frame.bytes).ok()?;
    let head = message.response.get().ok()??;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code?.to_i32(), payload))
}

fn full_lazily(frame: &Frame) -> Option<u64> {
    let mut sum = Sum::default();
    lazy_view::ServerMessageLazyView::decode_lazy(&frame.bytes)
        .ok()?
        .touch(&mut sum);
    Some(sum.value())
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident $borrows:ident {
        $($number:literal $field:ident $kind:tt,)*
    }) => {
        touch_message!(view::$view<'_> { $($field)* });
        touch_message!(lazy_view::$lazy<'_> { $($field)* });
    };
}
for_each_message!(touch);

impl<T: Touch> Touch for MessageFieldView<T> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        if let Some(message) = self.as_option() {
            message.touch(sum);
        }
    }
}

impl<T: Touch> Touch for RepeatedView<'_, T> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        for value in self.iter() {
            value.touch(sum);
        }
    }
}

impl<'a, V: Touch + LazyMessageView<'a>> Touch for LazyMessageFieldView<'a, V> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        if let Some(message) = self.get().expect("the workloads are well-formed") {
            message.touch(sum);
        }
    }
}

impl<'a, V: Touch + LazyMessageView<'a>> Touch for LazyRepeatedView<'a, V> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        for message in self.iter() {
            message.expect("the workloads are well-formed").touch(sum);
        }
    }
}

macro_rules! touch_enums {
    ($($name:ident)*) => {$(
        impl Touch for generated::$name {
            #[inline]
            fn touch(&self, sum: &mut Sum) {
                self.to_i32().touch(sum);
            }
        }
    )*};
}
touch_enums!(MessageType ResponseCode ServerInfoZoneZoneType);
