use super::describe::{Description, ValueKind, shape};
use super::error::DecodeError;
use super::fields::{AnyMessage, Value};
use super::message::Message;
use super::text::Text;
use super::wire::{Reader, Tag, WireType};

/// Reads everything in the bytes of a message, and checks that Google's protobuf libraries would accept it: the
/// bytes are fields on every level, required fields are present, and the nesting is at most
/// [`MAX_DEPTH`](crate::game::MAX_DEPTH) levels. Text may be any bytes; [`check_with_text`] requires UTF-8.
///
/// # Errors
/// [`DecodeError`]; its offset counts from the start of `bytes`.
pub fn check<'a, M: Message<'a>>(bytes: &'a [u8]) -> Result<(), DecodeError> {
    AnyMessage::new::<M>(bytes).check()
}

/// Like [`check()`], and checks that all text is UTF-8. After that no getter of the message or of any message below fails.
///
/// ```
/// use portreeve::game::info::User;
/// use portreeve::game::{Fault, check, check_with_text};
///
/// let user = b"\x0a\x04caf\xe9";
/// assert!(check::<User<'_>>(user).is_ok());
/// assert_eq!(check_with_text::<User<'_>>(user).unwrap_err().fault(), Fault::Text);
/// ```
///
/// # Errors
/// [`DecodeError`], as of [`check()`].
pub fn check_with_text<'a, M: Message<'a>>(bytes: &'a [u8]) -> Result<(), DecodeError> {
    AnyMessage::new::<M>(bytes).check_with_text()
}

impl AnyMessage<'_> {
    /// Checks all of it: see [`check()`](crate::game::check()).
    ///
    /// # Errors
    /// [`DecodeError`]; its offset counts from the start of [`root`](Self::root).
    pub fn check(&self) -> Result<(), DecodeError> {
        self.check_all::<false>()
    }

    /// Checks all of it, text too: see [`check_with_text()`](crate::game::check_with_text()).
    ///
    /// # Errors
    /// [`DecodeError`], as of [`check`](Self::check).
    #[inline]
    pub fn check_with_text(&self) -> Result<(), DecodeError> {
        self.check_all::<true>()
    }

    /// `TEXT`: whether text must be UTF-8.
    #[inline]
    fn check_all<const TEXT: bool>(&self) -> Result<(), DecodeError> {
        if let (Some(bytes), Some(depth)) = (self.fragments().single(), self.depth())
            && is_sound::<TEXT>(bytes, self.description(), depth)
        {
            return Ok(());
        }
        find_fault(self, TEXT).map_err(|error| error.within(self.root()))
    }
}

/// The first fault, in the order of the schema.
#[cold]
fn find_fault(message: &AnyMessage<'_>, text: bool) -> Result<(), DecodeError> {
    message.fields()?.try_for_each(|(_, value)| find_fault_in(value, text))
}

fn find_fault_in(value: Value<'_>, text: bool) -> Result<(), DecodeError> {
    match value {
        Value::Text(value) if text => value.to_str().map(drop),
        Value::Message(message) => find_fault(&message, text),
        Value::List(mut values) => values.try_for_each(|value| find_fault_in(value, text)),
        _ => Ok(()),
    }
}

/// Whether a message is sound, in one pass. `false` if that cannot be seen so: then [`find_fault`] decides, for
/// sub-messages in several fragments and packed numbers too.
fn is_sound<const TEXT: bool>(bytes: &[u8], description: &'static Description, depth: u32) -> bool {
    let mut reader = Reader::new(bytes);
    // The fields of which there may be one only, or must be one: messages and required fields.
    let mut present = 0_u64;
    while !reader.is_empty() {
        let Some(tag) = reader.next_tag() else {
            return false;
        };
        let known = description.find_known(tag);
        let is_read = match known.shape() {
            shape::VARINT => reader.next_varint_in_place().is_some(),
            shape::FIXED64 => reader.next_fixed64().is_some(),
            shape::BYTES => reader.next_delimited().is_some(),
            shape::TEXT => match reader.next_delimited() {
                Some(bytes) => !TEXT || Text::from_bytes(bytes).is_valid(),
                None => false,
            },
            shape::MESSAGE => {
                let bit = 1 << known.index();
                let is_again = present & bit != 0;
                present |= bit;
                let below = description.message(known.index());
                !is_again && below.is_some_and(|of| next_is_sound::<TEXT>(&mut reader, of, depth))
            }
            shape::MESSAGES => {
                let below = description.message(known.index());
                below.is_some_and(|of| next_is_sound::<TEXT>(&mut reader, of, depth))
            }
            _ => match rare_is_sound::<TEXT>(reader, tag, description, present, depth) {
                Some((rest, bit)) => {
                    (reader, present) = (rest, present | bit);
                    true
                }
                None => false,
            },
        };
        if !is_read {
            return false;
        }
    }
    present & description.required == description.required
}

/// Reads a sub-message; whether it is sound.
#[inline(always)]
fn next_is_sound<const TEXT: bool>(
    reader: &mut Reader<'_>,
    description: &'static Description,
    depth: u32,
) -> bool {
    match (reader.next_delimited(), depth.checked_sub(1)) {
        (Some(bytes), Some(depth)) => is_sound::<TEXT>(bytes, description, depth),
        _ => false,
    }
}

/// Reads any other field; returns the bytes after it if it is sound, and its bit if it is to occur once. Nothing is
/// passed by reference: it would have to be in memory.
#[inline(never)]
fn rare_is_sound<'a, const TEXT: bool>(
    mut reader: Reader<'a>,
    tag: Tag,
    description: &'static Description,
    present: u64,
    depth: u32,
) -> Option<(Reader<'a>, u64)> {
    let Some(index) = description.find_tag(tag) else {
        reader.skip(tag, depth).ok()?;
        return Some((reader, 0));
    };
    let bit = 1 << index;
    let known = description.fields.get(index);
    let message = match known {
        // Packed numbers.
        Some(known) if known.tag != tag => return None,
        Some(_) => description.message(index),
        None => Some((description.payloads[index - description.fields.len()].message)()),
    };
    let is_sound = match message {
        Some(of) => {
            let is_again = present & bit != 0 && !known.is_some_and(|known| known.is_repeated());
            !is_again && next_is_sound::<TEXT>(&mut reader, of, depth)
        }
        None if tag.is(WireType::LengthDelimited) => {
            let is_text = known.is_some_and(|known| matches!(known.kind, ValueKind::Text));
            let text = Text::from_bytes(reader.next_delimited()?);
            !TEXT || !is_text || text.is_valid()
        }
        None => reader.skip(tag, depth).is_ok(),
    };
    is_sound.then_some((reader, bit))
}
