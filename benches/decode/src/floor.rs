//! The floor: a hand-written loop over tags and lengths that only knows which fields of the schema are
//! messages and which are text. It returns no values and checks little; it shows how much of a
//! decoder's cost is the walk itself.
use crate::checksum::Sum;
use crate::schema::for_each_message;
use crate::task::{Decoder, Way};

/// The walk alone, then the walk with every text checked. The one before the reader in a table is
/// the one that it is compared with.
pub const ALL: [Decoder; 2] = [
    Decoder {
        name: "floor",
        is_floor: true,
        pair: Some(Way {
            enveloped: |frame| pair(response(&frame.bytes)?),
            bare: |frame| pair(&frame.bytes),
        }),
        full: Some(Way {
            enveloped: |frame| full::<false>(&frame.bytes, &shapes::ServerMessage),
            bare: |frame| full::<false>(&frame.bytes, &shapes::Response),
        }),
        owned: None,
    },
    Decoder {
        name: "floor + text",
        is_floor: true,
        pair: None,
        full: Some(Way {
            enveloped: |frame| full::<true>(&frame.bytes, &shapes::ServerMessage),
            bare: |frame| full::<true>(&frame.bytes, &shapes::Response),
        }),
        owned: None,
    },
];

/// The content of a length-delimited field.
#[derive(Clone, Copy)]
enum Content {
    Bytes,
    Text,
    Message(&'static Shape),
}

/// The length-delimited fields of a message, by number, from the number `first` on.
struct Shape {
    first: usize,
    fields: &'static [Content],
}

/// The number of the first payload. The table of `Response` begins there: nothing before it is
/// length-delimited.
const PAYLOADS: usize = 1000;

mod shapes {
    use super::{Content, PAYLOADS, Shape, for_each_message};

    macro_rules! content {
        (text) => {
            Content::Text
        };
        (($message:ident)) => {
            Content::Message(&$message)
        };
        ($other:ident) => {
            Content::Bytes
        };
    }

    macro_rules! shape {
        ($message:ident $view:ident $lazy:ident $borrows:ident { $($number:literal $field:ident $kind:tt,)* }) => {
            #[allow(non_upper_case_globals)]
            pub(super) static $message: Shape = {
                const NUMBERS: &[usize] = &[$($number),*];
                const LAST: usize = if NUMBERS.is_empty() { 0 } else { NUMBERS[NUMBERS.len() - 1] };
                const FIRST: usize = if LAST < PAYLOADS { 0 } else { PAYLOADS };
                Shape {
                    first: FIRST,
                    fields: &{
                        #[allow(unused_mut)]
                        let mut fields = [Content::Bytes; LAST + 1 - FIRST];
                        $(if $number >= FIRST {
                            fields[$number - FIRST] = content!($kind);
                        })*
                        fields
                    },
                }
            };
        };
    }

    for_each_message!(shape);
}

/// The response in a server message: the type, then the response, or any other order.
#[inline(always)]
fn response(message: &[u8]) -> Option<&[u8]> {
    let mut rest = message.iter();
    if eaten(0x08, &mut rest) && varint(&mut rest).is_some() && eaten(0x12, &mut rest) {
        let response = delimited(&mut rest)?;
        if rest.as_slice().is_empty() {
            return Some(response);
        }
    }
    response_anywhere(message)
}

#[cold]
#[inline(never)]
fn response_anywhere(message: &[u8]) -> Option<&[u8]> {
    let mut rest = message.iter();
    let mut response = None;
    while !rest.as_slice().is_empty() {
        let tag = tag(&mut rest)?;
        match tag {
            0x12 => response = Some(delimited(&mut rest)?),
            _ => skip(tag, &mut rest)?,
        }
    }
    response
}

/// Id, code and the kind of payload of a response, in this order or any other.
#[inline(always)]
fn pair(response: &[u8]) -> Option<u64> {
    let mut rest = response.iter();
    if eaten(0x08, &mut rest)
        && let Some(id) = varint(&mut rest)
        && eaten(0x10, &mut rest)
        && let Some(code) = varint(&mut rest)
    {
        if rest.as_slice().is_empty() {
            return Some(crate::task::paired(id, code as i32, 0));
        }
        let tag = tag(&mut rest)?;
        if tag & 7 == 2 && delimited(&mut rest).is_some() && rest.as_slice().is_empty() {
            return Some(crate::task::paired(id, code as i32, tag >> 3));
        }
    }
    pair_anywhere(response)
}

/// Whether this byte came next.
#[inline(always)]
fn eaten(byte: u8, rest: &mut Rest<'_>) -> bool {
    rest.next() == Some(&byte)
}

#[cold]
#[inline(never)]
fn pair_anywhere(response: &[u8]) -> Option<u64> {
    let mut rest = response.iter();
    let (mut id, mut code, mut payload) = (0, 0, 0);
    while !rest.as_slice().is_empty() {
        let tag = tag(&mut rest)?;
        match tag {
            0x08 => id = varint(&mut rest)?,
            0x10 => code = varint(&mut rest)?,
            _ => {
                skip(tag, &mut rest)?;
                payload = tag >> 3;
            }
        }
    }
    Some(crate::task::paired(id, code as i32, payload))
}

/// Every tag and every length, and with `TEXT` every text checked.
fn full<const TEXT: bool>(message: &[u8], shape: &'static Shape) -> Option<u64> {
    let mut sum = Sum::default();
    walk::<TEXT>(message, shape, &mut sum)?;
    Some(sum.value())
}

fn walk<const TEXT: bool>(bytes: &[u8], shape: &'static Shape, sum: &mut Sum) -> Option<()> {
    let mut rest = bytes.iter();
    sum.message();
    while !rest.as_slice().is_empty() {
        let tag = tag(&mut rest)?;
        match tag & 7 {
            0 => sum.number(varint(&mut rest)? as u32),
            1 => sum.double(u64::from_le_bytes(*take(&mut rest, 8)?.first_chunk()?)),
            2 => {
                let value = delimited(&mut rest)?;
                let number = (tag >> 3) as usize;
                match shape.fields.get(number.wrapping_sub(shape.first)) {
                    Some(Content::Message(shape)) => walk::<TEXT>(value, shape, sum)?,
                    Some(Content::Text) if TEXT && !is_text(value) => return None,
                    _ => sum.bytes(value),
                }
            }
            _ => return None,
        }
    }
    Some(())
}

type Rest<'a> = std::slice::Iter<'a, u8>;

#[inline(always)]
fn tag(rest: &mut Rest<'_>) -> Option<u32> {
    Some(varint(rest)? as u32)
}

#[inline(always)]
fn varint(rest: &mut Rest<'_>) -> Option<u64> {
    let first = *rest.next()?;
    if first < 0x80 {
        return Some(u64::from(first));
    }
    let second = *rest.next()?;
    let value = u64::from(first & 0x7f) | u64::from(second) << 7;
    if second < 0x80 {
        return Some(value);
    }
    let value = value - (0x80 << 7);
    if let Some(&[third, fourth, fifth]) = rest.as_slice().first_chunk() {
        let value = value + (u64::from(third) << 14);
        if third < 0x80 {
            return ended(rest, 1, value);
        }
        let value = value - (0x80 << 14) + (u64::from(fourth) << 21);
        if fourth < 0x80 {
            return ended(rest, 2, value);
        }
        let value = value - (0x80 << 21) + (u64::from(fifth) << 28);
        if fifth < 0x80 {
            return ended(rest, 3, value);
        }
    }
    let (value, length) = long_varint(rest.as_slice(), value);
    if length == 0 {
        return None;
    }
    ended(rest, length, value)
}

#[inline(always)]
fn ended(rest: &mut Rest<'_>, length: usize, value: u64) -> Option<u64> {
    *rest = rest.as_slice().get(length..)?.iter();
    Some(value)
}

/// The rest of a varint of more than two bytes, and how many bytes it takes: none if it has no end.
#[inline(never)]
fn long_varint(rest: &[u8], start: u64) -> (u64, usize) {
    let mut value = start;
    for (index, &byte) in rest.iter().take(8).enumerate() {
        value |= u64::from(byte & 0x7f) << (14 + 7 * index);
        if byte < 0x80 {
            return (value, index + 1);
        }
    }
    (0, 0)
}

#[inline(always)]
fn delimited<'a>(rest: &mut Rest<'a>) -> Option<&'a [u8]> {
    let length = varint(rest)? as usize;
    take(rest, length)
}

#[inline(always)]
fn take<'a>(rest: &mut Rest<'a>, length: usize) -> Option<&'a [u8]> {
    let (value, tail) = rest.as_slice().split_at_checked(length)?;
    *rest = tail.iter();
    Some(value)
}

#[inline(always)]
fn skip(tag: u32, rest: &mut Rest<'_>) -> Option<()> {
    match tag & 7 {
        0 => varint(rest).map(drop),
        1 => take(rest, 8).map(drop),
        2 => delimited(rest).map(drop),
        5 => take(rest, 4).map(drop),
        _ => None,
    }
}

/// Whether this is UTF-8: short ASCII by a chunk from each end, and simdutf8 for the rest.
#[inline(always)]
fn is_text(bytes: &[u8]) -> bool {
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let length = bytes.len();
    let seen = if length >= 16 {
        if length >= 128 {
            return is_long_text(bytes);
        }
        let mut seen = bytes
            .last_chunk()
            .map_or(0, |last| u128::from_ne_bytes(*last));
        for step in bytes.as_chunks().0 {
            seen |= u128::from_ne_bytes(*step);
        }
        seen as u64 | (seen >> 64) as u64
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from_ne_bytes(*first) | u64::from_ne_bytes(*last)
    } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        u64::from(u32::from_ne_bytes(*first) | u32::from_ne_bytes(*last))
    } else if let [first, .., last] = bytes {
        u64::from(first | bytes[length / 2] | last)
    } else if let [only] = bytes {
        u64::from(*only)
    } else {
        0
    };
    seen & HIGH == 0 || is_long_text(bytes)
}

#[inline(never)]
fn is_long_text(bytes: &[u8]) -> bool {
    simdutf8::basic::from_utf8(bytes).is_ok()
}
