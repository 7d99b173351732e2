//! An answer that can be kept.

use std::fmt;

use super::Response;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::message::Message;
use crate::game::schema::ResponseCode;
use crate::game::schema::payload::{Kind, Payload, ResponsePayload};

/// Why what was checked once can be read without an error.
const CHECKED: &str = "the bytes are those that were checked when the answer was made";

/// An answer together with its bytes: to be kept, or to be handed to another thread, after the
/// buffer that it came in is used for something else.
///
/// A [`Response`] and all that is read from it borrow the frame. This type has the frame and gives
/// those views when asked for, as often as wanted; they borrow from it. What holds the bytes is up
/// to the caller: a `Vec<u8>` or `Box<[u8]>`, an `Arc<[u8]>` for several owners, or the `Bytes` that
/// a codec handed out, which is shared and not copied. It has to give the same bytes each time it is
/// asked for them, as all of these do.
///
/// Everything is checked once, when it is made, text included
/// ([`check_with_text`](Response::check_with_text)). So the methods here do not fail, and getters of
/// what they return never give an error.
///
/// ```
/// use portreeve::game::payload::PasswordSalt;
/// use portreeve::game::{DecodeError, OwnedResponse};
///
/// fn keep(buffer: &[u8]) -> Result<Option<OwnedResponse<Box<[u8]>>>, DecodeError> {
///     OwnedResponse::parse_enveloped(Box::from(buffer))
/// }
///
/// let frame = b"\x08\x00\x12\x0d\x08\x07\x10\x01\xca\x3f\x06\x0a\x04salt".to_vec();
/// let answer = keep(&frame)?.expect("an answer, not an event");
/// drop(frame);
/// assert_eq!(answer.cmd_id(), 7);
/// let salt: PasswordSalt<'_> = answer.get().expect("that payload");
/// assert_eq!(salt.password_salt()?, "salt");
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
///
/// With the `Bytes` of a frame, of which a clone is another reference to the same memory:
///
/// ```
/// use bytes::Bytes;
/// use portreeve::game::OwnedResponse;
///
/// let frame = Bytes::from_static(b"\x08\x00\x12\x04\x08\x07\x10\x01");
/// let answer = OwnedResponse::parse_enveloped(frame.clone())?.expect("an answer");
/// let elsewhere = std::thread::spawn(move || answer.cmd_id());
/// assert_eq!(elsewhere.join().unwrap(), 7);
/// # Ok::<(), portreeve::game::DecodeError>(())
/// ```
#[derive(Clone)]
pub struct OwnedResponse<B> {
    bytes: B,
    /// Whether the bytes are those of a `ServerMessage`, and the answer is a part of them.
    enveloped: bool,
}

impl<B: AsRef<[u8]>> OwnedResponse<B> {
    /// Takes the bytes of one `Response` and checks them.
    ///
    /// # Errors
    /// [`DecodeError`] if they are not an answer, or anything in it cannot be read.
    pub fn parse(bytes: B) -> Result<Self, DecodeError> {
        Response::parse(bytes.as_ref())?.check_with_text()?;
        let enveloped = false;
        Ok(Self { bytes, enveloped })
    }

    /// Takes the bytes of a [`ServerMessage`](crate::game::ServerMessage) and checks the answer in
    /// it; `None` if there is none, because the message tells of an event.
    ///
    /// # Errors
    /// [`DecodeError`] if they are not a message, or anything in the answer cannot be read.
    pub fn parse_enveloped(bytes: B) -> Result<Option<Self>, DecodeError> {
        let Some(response) = Response::parse_enveloped(bytes.as_ref())? else {
            return Ok(None);
        };
        response.check_with_text()?;
        let enveloped = true;
        Ok(Some(Self { bytes, enveloped }))
    }

    /// The answer.
    ///
    /// It is found again in the bytes, which takes about as long as the first time: keep it in a
    /// variable while several things are asked of it.
    #[inline]
    pub fn response(&self) -> Response<'_> {
        let bytes = self.bytes.as_ref();
        let response = if self.enveloped {
            Response::parse_enveloped(bytes)
        } else {
            Response::parse(bytes).map(Some)
        };
        response.ok().flatten().expect(CHECKED)
    }

    /// The `cmd_id` of the command that this answers; see [`Response::cmd_id`].
    #[inline]
    pub fn cmd_id(&self) -> u64 {
        self.response().cmd_id()
    }

    /// How it went; see [`Response::code`].
    #[inline]
    pub fn code(&self) -> Option<ResponseCode> {
        self.response().code()
    }

    /// Which payload the answer has; see [`Response::kind`].
    #[inline]
    pub fn kind(&self) -> Option<Kind> {
        self.response().kind()
    }

    /// The payload of the [`kind`](Self::kind) that the answer has.
    pub fn payload(&self) -> Option<Payload<'_>> {
        self.response().payload().expect(CHECKED)
    }

    /// The payload of this type, if the answer has it.
    #[inline]
    pub fn get<'a, P: ResponsePayload<'a>>(&'a self) -> Option<P> {
        self.response().get().expect(CHECKED)
    }

    /// What holds the bytes: of the whole message, with its envelope if it came in one.
    pub fn as_inner(&self) -> &B {
        &self.bytes
    }

    /// What holds the bytes, which were given when the answer was made.
    pub fn into_inner(self) -> B {
        self.bytes
    }
}

impl OwnedResponse<Box<[u8]>> {
    /// A checked copy of an answer, to be kept: for the few of many that are worth it.
    ///
    /// ```
    /// use portreeve::game::{OwnedResponse, Response};
    ///
    /// let response = Response::parse(b"\x08\x07\x10\x01")?;
    /// assert_eq!(OwnedResponse::copy_of(&response)?.cmd_id(), 7);
    /// # Ok::<(), portreeve::game::DecodeError>(())
    /// ```
    ///
    /// # Errors
    /// [`DecodeError`] if anything in the answer cannot be read.
    pub fn copy_of(response: &Response<'_>) -> Result<Self, DecodeError> {
        let bytes = match response.message.single() {
            Some(bytes) if !bytes.is_empty() => Box::from(bytes),
            // In several fragments, or not read but made.
            _ => response.to_vec().into_boxed_slice(),
        };
        Self::parse(bytes)
    }
}

impl<B: AsRef<[u8]>> fmt::Debug for OwnedResponse<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.response().fmt(f)
    }
}
