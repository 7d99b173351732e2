//! The payloads of a [`Response`](crate::game::Response).
//!
//! ```
//! use portreeve::game::payload::{PayloadKind, Login, PasswordSalt, Payload};
//! use portreeve::game::{Response, ResponseCode};
//!
//! let bytes = b"\x08\x07\x10\x01\xca\x3f\x06\x0a\x04salt";
//! let response = Response::parse(bytes)?;
//! // Which payload there is, without reading it:
//! assert_eq!(response.kind(), Some(PayloadKind::PasswordSalt));
//! // By its type:
//! let salt = response.get::<PasswordSalt>()?.expect("it is present");
//! assert_eq!(salt.password_salt()?, "salt");
//! assert!(response.get::<Login>()?.is_none());
//! // Any of them:
//! match response.payload()? {
//!     Some(Payload::PasswordSalt(salt)) => assert_eq!(salt.password_salt()?, "salt"),
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```
//!
//! Defined as in the files of `proto/payload/`.

pub use super::generated::payload::*;
