//! Frames: the encoding of messages on a TCP connection.
//!
//! A server's stream begins with a greeting of 60 bytes without a length; then each message follows its length, four
//! bytes in big-endian order. Length 0 is an empty message. The greeting is optional for the readers. Over WebSocket
//! there are no frames: one binary message is one [`ServerMessage`](crate::game::ServerMessage).
//!
//! | input | reader | feature |
//! |---|---|---|
//! | a slice | [`Frames`] | `game` |
//! | `std::io::Read` | [`FrameReader`] | `game` |
//! | any other source | [`Framing::split`] | `game` |
//! | `AsyncRead` | `FrameCodec`, in a `tokio_util::codec::FramedRead` | `game-tokio` |

mod append;
#[cfg(feature = "game-tokio")]
mod codec;
mod error;
mod framing;
mod greeting;
mod reader;
mod slice;

pub use append::append;
#[cfg(feature = "game-tokio")]
pub use codec::FrameCodec;
pub use error::{FrameError, ReadError};
pub use framing::{DEFAULT_LIMIT, Framing, HEADER_LEN, Split};
pub use greeting::greeting;
pub use reader::FrameReader;
pub use slice::{Frame, Frames};
