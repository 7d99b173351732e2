//! The result that every decoder computes in the task *full*: one sum over every field of a message.
use std::borrow::Cow;

/// Counts the fields in its upper 16 bits and adds up their values, or their lengths, in the lower.
///
/// Cheap on purpose, since the decoder is measured. Absent fields do not count.
#[derive(Default)]
pub struct Sum(u64);

impl Sum {
    const FIELD: u64 = 1 << 48;

    #[inline(always)]
    pub fn number(&mut self, value: u32) {
        self.0 = self.0.wrapping_add(Self::FIELD + u64::from(value));
    }

    #[inline(always)]
    pub fn double(&mut self, bits: u64) {
        self.number((bits >> 32 ^ bits) as u32);
    }

    #[inline(always)]
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u32);
    }

    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
    }

    #[inline(always)]
    pub fn message(&mut self) {
        self.number(0);
    }

    pub fn value(self) -> u64 {
        self.0
    }
}

/// A value that can be added to a sum: a field as a decoder gives it, or a whole message.
pub trait Touch {
    fn touch(&self, sum: &mut Sum);
}

macro_rules! touch_numbers {
    ($($number:ty)*) => {$(
        impl Touch for $number {
            #[inline(always)]
            fn touch(&self, sum: &mut Sum) {
                sum.number(*self as u32);
            }
        }
    )*};
}
touch_numbers!(bool i32 i64 u32 u64);

impl Touch for f64 {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        sum.double(self.to_bits());
    }
}

macro_rules! touch_text_and_bytes {
    ($($way:ident $($kind:ty)+;)*) => {$($(
        impl Touch for $kind {
            #[inline(always)]
            fn touch(&self, sum: &mut Sum) {
                sum.$way(self);
            }
        }
    )+)*};
}
touch_text_and_bytes! {
    text &str String Cow<'_, str>;
    bytes &[u8] Vec<u8> bytes::Bytes Cow<'_, [u8]>;
}

impl<T: Touch> Touch for Option<T> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        if let Some(value) = self {
            value.touch(sum);
        }
    }
}

impl<T: Touch> Touch for Vec<T> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        for value in self {
            value.touch(sum);
        }
    }
}

/// For each message of the schema: itself, then each of its fields.
macro_rules! touch_message {
    ($message:ty { $($field:ident)* }) => {
        impl $crate::checksum::Touch for $message {
            #[inline]
            fn touch(&self, sum: &mut $crate::checksum::Sum) {
                sum.message();
                $($crate::checksum::Touch::touch(&self.$field, sum);)*
            }
        }
    };
}
pub(crate) use touch_message;
