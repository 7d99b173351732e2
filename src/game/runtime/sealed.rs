/// Keeps the traits of the reader to this crate, so that they can gain methods.
pub trait Sealed {}
