//! The protobuf JSON mapping, with the field names of the schema.
//!
//! 64-bit integers are strings, enums are their names, bytes are base64 with padding, `NaN` and the infinities are strings.
//! Fields that are present are written, even defaults and empty sub-messages; absent and unknown fields are not. The key of
//! a payload is the name of its extension in brackets. In text that is not UTF-8, U+FFFD replaces the invalid parts.
//!
//! ```
//! use portreeve::game::info::User;
//! use portreeve::game::json;
//!
//! let user = User::parse(b"\x0a\x03ann\x50\x07")?;
//! assert_eq!(json::to_string(&user)?, r#"{"name":"ann","session_id":"7"}"#);
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```

mod writer;

use std::fmt;

use zeroize::Zeroizing;

pub use super::fields::AnyMessage;
pub use writer::Writer;

use super::describe::Description;
use super::encode::{self, Encode};
use super::error::DecodeError;
use super::fragments::Fragments;
use super::message::Message;

/// The message as a JSON object. From bytes: `Writer::new(&mut text).object(&AnyMessage::new::<M>(bytes))`.
///
/// # Errors
/// [`DecodeError`] as for [`check`](crate::game::check()), of the message as it is encoded.
pub fn to_string<'a, M: Message<'a>>(message: &M) -> Result<String, DecodeError> {
    // It may have secrets.
    let bytes = Zeroizing::new(message.to_vec());
    let mut out = String::new();
    Writer::new(&mut out).object(&AnyMessage::new::<M>(&bytes))?;
    Ok(out)
}

/// The `Debug` output of a view: its JSON without secrets, followed by the error if there is one.
pub(crate) fn debug(
    message: &dyn Encode,
    description: &'static Description,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let bytes = Zeroizing::new(encode::to_vec(message));
    let message = AnyMessage::described(description, Fragments::one(&bytes)).incomplete();
    let mut out = String::new();
    let written = Writer::new(&mut out).masked().nested(&message);
    write!(f, "{} {out}", description.name)?;
    written.or_else(|error| write!(f, "<{error}>"))
}
