use super::wire::WireType;

/// Seals the traits of the reader, so that methods can be added to them.
pub trait Sealed {
    /// How a value is encoded.
    const WIRE_TYPE: WireType = WireType::LengthDelimited;
}
