/// The tag before each field: its number and its wire type.
///
/// Stored as encoded, with the wire type in the three low bits, so that one comparison recognises a known tag. A
/// tag that was read may have field number 0 or an invalid wire type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tag(u32);

/// How the value of a field is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum WireType {
    /// Integers, booleans and enums.
    Varint = 0,
    /// `double`, `fixed64` and `sfixed64`: eight bytes.
    Fixed64 = 1,
    /// Text, bytes, sub-messages and packed numbers: a length, then that many bytes.
    LengthDelimited = 2,
    /// The start of a group.
    StartGroup = 3,
    /// The end of a group.
    EndGroup = 4,
    /// `float`, `fixed32` and `sfixed32`: four bytes.
    Fixed32 = 5,
}

impl Tag {
    /// The tag of a field; `field_number` has at most 29 bits.
    pub const fn new(field_number: u32, wire_type: WireType) -> Self {
        Self(field_number << 3 | wire_type as u32)
    }

    /// The number of the field.
    #[inline(always)]
    pub const fn field_number(self) -> u32 {
        self.0 >> 3
    }

    /// The wire type of the value; `None` for the numbers 6 and 7, which are not assigned.
    #[inline(always)]
    pub const fn wire_type(self) -> Option<WireType> {
        match self.0 & 7 {
            0 => Some(WireType::Varint),
            1 => Some(WireType::Fixed64),
            2 => Some(WireType::LengthDelimited),
            3 => Some(WireType::StartGroup),
            4 => Some(WireType::EndGroup),
            5 => Some(WireType::Fixed32),
            _ => None,
        }
    }

    /// Whether the value has this wire type.
    #[inline(always)]
    pub(crate) const fn is(self, wire_type: WireType) -> bool {
        self.0 & 7 == wire_type as u32
    }

    /// The encoded number.
    #[inline(always)]
    pub(crate) const fn encoded(self) -> u32 {
        self.0
    }

    /// The encoding if it takes one byte, otherwise 0, which is never a tag.
    #[inline(always)]
    pub(crate) const fn short(self) -> u8 {
        if self.0 < 0x80 { self.0 as u8 } else { 0 }
    }

    #[inline(always)]
    pub(super) const fn from_encoded(encoded: u32) -> Self {
        Self(encoded)
    }
}
