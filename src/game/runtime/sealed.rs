/// Seals the traits of the reader, so that methods can be added to them.
pub trait Sealed {}
