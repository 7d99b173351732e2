//! The values of single fields as types: the schema's numbers, which are what a repeated field of
//! numbers is a list of, and its enums.

mod enumeration;
mod types;

pub use enumeration::Enumeration;
pub(crate) use enumeration::enumeration;
pub use types::{Bool, Double, Int32, Int64, Number, Scalar, Sint32, Uint32, Uint64};
