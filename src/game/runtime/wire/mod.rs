//! The primitives of the protobuf encoding: tags, varints, lengths, and skipping a field.
//!
//! ```
//! use portreeve::game::wire::{Reader, Tag, WireType};
//!
//! // Field 1 is a varint, field 2 is text.
//! let mut reader = Reader::new(b"\x08\x96\x01\x12\x02hi");
//! let tag = reader.tag()?;
//! assert_eq!((tag.field_number(), tag.wire_type()), (1, Some(WireType::Varint)));
//! assert_eq!(reader.varint()?, 150);
//! assert_eq!(reader.tag()?, Tag::new(2, WireType::LengthDelimited));
//! assert_eq!(reader.length_delimited()?, b"hi");
//! assert!(reader.is_empty());
//! # Ok::<(), portreeve::game::Fault>(())
//! ```
//!
//! `quick_protobuf::BytesReader` does the same work, but its methods are not inlined into other
//! crates, and it accepts field number 0, tags and lengths that are too long, and the end of a
//! group that is not open.

mod reader;
mod tag;
mod varint;

pub use reader::Reader;
pub(crate) use reader::first_fault;
pub use tag::{Tag, WireType};
