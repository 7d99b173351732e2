//! The primitives of the protobuf encoding: tags, varints, lengths, and skipping a field.
//!
//! `quick_protobuf::BytesReader` 0.8.1 does the same work, but has no methods marked for inlining into other crates, it
//! accepts field number 0 and tags and lengths that are too long, and it refuses every group, valid ones too.
//! `quick_protobuf::Writer` encodes. docs/ARCHITECTURE.md, "The reader", has the figures.

mod reader;
mod tag;
mod varint;

pub use reader::Reader;
pub(crate) use reader::first_fault;
pub use tag::{Tag, WireType};
