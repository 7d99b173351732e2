//! An answer that owns its bytes.

use std::fmt;
use std::ops::Range;

use super::{Response, ResponseCode};
use crate::game::runtime::check::check_with_text;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::extension::{Extended, Inner, Member};
use crate::game::runtime::fragments::Fragments;
use crate::game::schema::payload::{Payload, PayloadKind};

/// An answer together with its bytes, which can be stored or sent to another thread.
///
/// A [`Response`] and everything read from it borrow the frame. This type owns the frame, and its methods
/// return such views. The caller chooses the container of the bytes: a `Vec<u8>` or `Box<[u8]>`, an
/// `Arc<[u8]>` for several owners, or the `Bytes` of a codec, which are shared and not copied. All of these
/// always return the same bytes. If `as_ref` of another container returns different bytes later, the answer
/// keeps its `cmd_id`, code and kind, and anything missing from the bytes is absent.
///
/// Everything is checked once, on construction, including text
/// ([`check_with_text`]). So the methods here do not fail, and neither do the
/// getters of the views.
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
/// With the `Bytes` of a frame, where a clone is another reference to the same memory:
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
    head: Head,
}

/// The result of the check.
#[derive(Clone)]
struct Head {
    cmd_id: u64,
    code: Option<ResponseCode>,
    raw_code: Option<i32>,
    location: Location,
}

/// Where the answer is in the bytes.
#[derive(Clone)]
enum Location {
    /// The range of the answer, and the number and range of its only payload.
    Here(Range<usize>, Option<(u32, Range<usize>)>),
    /// In fragments, or with several payloads: parsed again on each access.
    Scattered {
        enveloped: bool,
        kind: Option<PayloadKind>,
    },
}

impl<B: AsRef<[u8]>> OwnedResponse<B> {
    /// Checks the bytes of one `Response`.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not an answer, or anything in it cannot be read.
    pub fn parse(bytes: B) -> Result<Self, DecodeError> {
        let outer = bytes.as_ref();
        let head = Head::of(&Response::parse(outer)?, outer, false)?;
        Ok(Self { bytes, head })
    }

    /// Checks the answer in the bytes of a [`ServerMessage`](crate::game::ServerMessage); `None` if the
    /// message is not an answer but an event.
    ///
    /// # Errors
    /// [`DecodeError`] if the bytes are not a message, or anything in the answer cannot be read.
    pub fn parse_enveloped(bytes: B) -> Result<Option<Self>, DecodeError> {
        let outer = bytes.as_ref();
        let Some(response) = Response::parse_enveloped(outer)? else {
            return Ok(None);
        };
        let head = Head::of(&response, outer, true)?;
        Ok(Some(Self { bytes, head }))
    }

    /// The answer.
    #[inline]
    pub fn response(&self) -> Response<'_> {
        self.head.response(self.bytes.as_ref())
    }

    /// The `cmd_id` of the command that this answers; see [`Response::cmd_id`].
    #[inline]
    pub fn cmd_id(&self) -> u64 {
        self.head.cmd_id
    }

    /// The result code; see [`Response::code`].
    #[inline]
    pub fn code(&self) -> Option<ResponseCode> {
        self.head.code
    }

    /// The kind of the payload; see [`Response::kind`].
    #[inline]
    pub fn kind(&self) -> Option<PayloadKind> {
        self.head.kind()
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

// === impl Head ===

impl Head {
    /// Checks an answer that lies in `outer`.
    #[inline]
    fn of(response: &Response<'_>, outer: &[u8], enveloped: bool) -> Result<Self, DecodeError> {
        check_with_text(response)?;
        let within = |bytes| range_within(outer, bytes);
        let location = match (response.message.single(), response.payload.0) {
            (Some(message), Inner::Absent) => Location::Here(within(message), None),
            (Some(message), Inner::One { number, bytes }) => {
                Location::Here(within(message), Some((number, within(bytes))))
            }
            _ => Location::Scattered {
                enveloped,
                kind: response.kind(),
            },
        };
        Ok(Self {
            cmd_id: response.cmd_id(),
            code: response.code,
            raw_code: response.raw_code,
            location,
        })
    }

    #[inline]
    fn kind(&self) -> Option<PayloadKind> {
        match &self.location {
            Location::Here(_, extension) => PayloadKind::from_number(extension.as_ref()?.0),
            Location::Scattered { kind, .. } => *kind,
        }
    }

    /// The answer, without anything that is no longer in the bytes.
    #[inline]
    fn response<'a>(&self, bytes: &'a [u8]) -> Response<'a> {
        let found = match &self.location {
            Location::Here(message, extension) => {
                self.response_at(bytes, message, extension.as_ref())
            }
            Location::Scattered {
                enveloped: true, ..
            } => Response::parse_enveloped(bytes).ok().flatten(),
            Location::Scattered { .. } => Response::parse(bytes).ok(),
        };
        found.unwrap_or(Response {
            cmd_id: Some(self.cmd_id),
            code: self.code,
            raw_code: self.raw_code,
            ..Response::default()
        })
    }

    #[inline]
    fn response_at<'a>(
        &self,
        bytes: &'a [u8],
        message: &Range<usize>,
        extension: Option<&(u32, Range<usize>)>,
    ) -> Option<Response<'a>> {
        let message = Fragments::one(bytes.get(message.clone())?);
        let payload = match extension {
            None => Extended::ABSENT,
            Some((number, range)) => Extended(Inner::One {
                number: *number,
                bytes: bytes.get(range.clone())?,
            }),
        };
        Some(Response {
            cmd_id: Some(self.cmd_id),
            code: self.code,
            raw_code: self.raw_code,
            payload,
            message,
        })
    }
}

/// The range of `part`, which lies in `outer`.
#[inline]
fn range_within(outer: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr() as usize - outer.as_ptr() as usize;
    start..start + part.len()
}
