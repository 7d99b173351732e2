//! An answer that owns its bytes.

use std::fmt;

use super::{Response, ResponseCode};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::extension::{Inner, Member};
use crate::game::runtime::fields::AnyMessage;
use crate::game::schema::payload::{Payload, PayloadKind};

/// An answer together with its bytes, which can be stored or sent to another thread.
///
/// A [`Response`] and everything read from it borrow the frame. This type owns the frame, and its methods return such
/// views. The caller chooses the container of the bytes: a `Vec<u8>` or `Box<[u8]>`, an `Arc<[u8]>` for several owners, or
/// the `Bytes` of a codec, which are shared and not copied. All of these always return the same bytes, as any other must.
///
/// Everything is checked once, on construction, including text ([`check_with_text`](crate::game::check_with_text)). So
/// the methods here do not fail, and neither do the getters of the views.
///
/// ```
/// use portreeve::game::OwnedResponse;
/// use portreeve::game::payload::PasswordSalt;
///
/// let frame = b"\x08\x00\x12\x0d\x08\x07\x10\x01\xca\x3f\x06\x0a\x04salt".to_vec();
/// let answer = OwnedResponse::parse_enveloped(frame)?.expect("an answer, not an event");
/// assert_eq!(answer.cmd_id(), 7);
/// let salt: PasswordSalt<'_> = answer.get().expect("that payload");
/// assert_eq!(salt.password_salt()?, "salt");
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct OwnedResponse<B> {
    bytes: B,
    enveloped: bool,
}

impl<B: AsRef<[u8]>> OwnedResponse<B> {
    /// Checks the bytes of one `Response`.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not an answer, or anything in it cannot be read.
    pub fn parse(bytes: B) -> Result<Self, DecodeError> {
        check(bytes.as_ref(), false)?;
        Ok(Self { bytes, enveloped: false })
    }

    /// Checks the answer in a [`ServerMessage`](crate::game::ServerMessage); `None` if the message is an event.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not a message, or anything in the answer cannot be read; its offset counts from
    /// the start of the message.
    pub fn parse_enveloped(bytes: B) -> Result<Option<Self>, DecodeError> {
        Ok(check(bytes.as_ref(), true)?.then_some(Self { bytes, enveloped: true }))
    }

    /// The answer, whose head is read again each time.
    #[inline]
    pub fn response(&self) -> Response<'_> {
        // The bytes were checked on construction.
        read(self.bytes.as_ref(), self.enveloped).ok().flatten().unwrap_or_default()
    }

    /// The `cmd_id` of the command that this answers; see [`Response::cmd_id`].
    #[inline]
    pub fn cmd_id(&self) -> u64 {
        self.response().cmd_id()
    }

    /// The result code; see [`Response::code`].
    #[inline]
    pub fn code(&self) -> Option<ResponseCode> {
        self.response().code()
    }

    /// The kind of the payload; see [`Response::kind`].
    #[inline]
    pub fn kind(&self) -> Option<PayloadKind> {
        self.response().kind()
    }

    /// The payload, of the kind that [`kind`](Self::kind) returns.
    pub fn payload(&self) -> Option<Payload<'_>> {
        self.response().payload().ok().flatten()
    }

    /// The payload of this type, if the answer has it.
    #[inline]
    pub fn get<'a, P: Member<'a, Family = Payload<'a>>>(&'a self) -> Option<P> {
        self.response().get().ok().flatten()
    }

    /// The container of the bytes: those of the complete message, including an envelope.
    pub fn as_inner(&self) -> &B {
        &self.bytes
    }

    /// The container of the bytes, as passed on construction.
    pub fn into_inner(self) -> B {
        self.bytes
    }
}

impl<B: AsRef<[u8]>> fmt::Debug for OwnedResponse<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.response().fmt(f)
    }
}

/// Checks everything in an answer; `false` if there is none in the envelope.
#[inline(always)]
fn check(whole: &[u8], enveloped: bool) -> Result<bool, DecodeError> {
    let usual =
        if enveloped { Response::parse_fast_enveloped(whole) } else { Response::parse_fast(whole) };
    let Some(response) = usual else {
        return check_unusual(whole, enveloped).map_err(|error| error.within(whole));
    };
    // Only its payload has not been read.
    if let Inner::One { number, bytes } = response.payload.0
        && let Some(payload) = described(&response, enveloped).payload(number, bytes)
        && let Err(error) = payload.check_with_text()
    {
        return Err(error.within(whole));
    }
    Ok(true)
}

#[cold]
#[inline(never)]
fn check_unusual(bytes: &[u8], enveloped: bool) -> Result<bool, DecodeError> {
    let response = read(bytes, enveloped)?;
    let checked = response.map(|response| described(&response, enveloped).check_with_text());
    checked.transpose().map(|checked| checked.is_some())
}

/// The answer, whose head alone is checked; `None` if there is none in the envelope.
#[inline(always)]
fn read(bytes: &[u8], enveloped: bool) -> Result<Option<Response<'_>>, DecodeError> {
    if enveloped { Response::parse_enveloped(bytes) } else { Response::parse(bytes).map(Some) }
}

#[inline(always)]
fn described<'a>(response: &Response<'a>, enveloped: bool) -> AnyMessage<'a> {
    let mut message = AnyMessage::described(Response::DESCRIPTION, response.message);
    // The envelope is a level, too.
    message.levels -= u32::from(enveloped);
    message
}
