//! buffa 0.9: views, and lazy views, which read nested messages when asked.
#[allow(warnings, clippy::all)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/buffa/all.rs"));
}

use ::buffa::{
    Enumeration, LazyMessageFieldView, LazyMessageView, LazyRepeatedView, MessageFieldView,
    MessageView, RepeatedView,
};

use super::payload_number;
use crate::checksum::{Sum, Touch, touch_message};
use crate::schema::{for_each_message, for_payloads};
use crate::task::{Decoder, Way, paired};
use generated::__buffa::{lazy_view, view};

pub const VIEW: Decoder = Decoder {
    name: "buffa view",
    pair: Way {
        enveloped: |frame| {
            let message = view::ServerMessageHeadView::decode_view(&frame.bytes).ok()?;
            pair(message.response?)
        },
        bare: |frame| pair(&frame.bytes),
    },
    full: Way {
        enveloped: |frame| full::<view::ServerMessageView>(&frame.bytes),
        bare: |frame| full::<view::ResponseView>(&frame.bytes),
    },
    owned: Some(Way {
        enveloped: |frame| owned::<view::ServerMessageView<'static>>(&frame.shared),
        bare: |frame| owned::<view::ResponseView<'static>>(&frame.shared),
    }),
};

pub const LAZY_VIEW: Decoder = Decoder {
    name: "buffa lazy view",
    pair: Way {
        enveloped: |frame| {
            let message = lazy_view::ServerMessageHeadLazyView::decode_lazy(&frame.bytes).ok()?;
            pair_lazily(message.response?)
        },
        bare: |frame| pair_lazily(&frame.bytes),
    },
    full: Way {
        enveloped: |frame| full_lazily::<lazy_view::ServerMessageLazyView>(&frame.bytes),
        bare: |frame| full_lazily::<lazy_view::ResponseLazyView>(&frame.bytes),
    },
    owned: None,
};

fn pair(response: &[u8]) -> Option<u64> {
    let head = view::ResponseHeadView::decode_view(response).ok()?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code?.to_i32(), payload))
}

fn pair_lazily(response: &[u8]) -> Option<u64> {
    let head = lazy_view::ResponseHeadLazyView::decode_lazy(response).ok()?;
    let payload = for_payloads!(payload_number head,);
    Some(paired(head.cmd_id, head.response_code?.to_i32(), payload))
}

fn full<'a, V: MessageView<'a> + Touch>(bytes: &'a [u8]) -> Option<u64> {
    let mut sum = Sum::default();
    V::decode_view(bytes).ok()?.touch(&mut sum);
    Some(sum.value())
}

fn full_lazily<'a, V: LazyMessageView<'a> + Touch>(bytes: &'a [u8]) -> Option<u64> {
    let mut sum = Sum::default();
    V::decode_lazy(bytes).ok()?.touch(&mut sum);
    Some(sum.value())
}

/// An owned view: the decoded view with the shared bytes that it borrows from.
fn owned<V: MessageView<'static>>(bytes: &bytes::Bytes) -> Option<u64> {
    let message = ::buffa::OwnedView::<V>::decode(bytes.clone()).ok()?;
    std::hint::black_box(message);
    Some(1)
}

macro_rules! touch {
    ($message:ident $view:ident $lazy:ident $borrows:ident {
        $($field:ident $kind:ident,)*
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
touch_enums!(MessageType ResponseCode ZoneType);
