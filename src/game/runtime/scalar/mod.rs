//! The types of scalar fields: the number types of the schema language, which are also the element types of
//! repeated fields, and enums.

mod enumeration;
mod types;

pub use enumeration::Enumeration;
pub(crate) use enumeration::{closed_enum, enumeration};
pub use types::{Bool, Double, Id, Int32, Int64, Number, Scalar, Sint32, Uint32, Uint64};
