//! Fields of messages, encoded by hand.

/// A length-delimited field.
pub(crate) fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let tag = varint(u64::from(number) << 3 | 2);
    [&tag, &varint(bytes.len() as u64), bytes].concat()
}

/// A number, as a varint.
pub(crate) fn number(number: u32, value: u64) -> Vec<u8> {
    [varint(u64::from(number) << 3), varint(value)].concat()
}

/// A `ServerMessage` with this answer in it.
pub(crate) fn enveloped(response: &[u8]) -> Vec<u8> {
    [number(1, 0), field(2, response)].concat()
}

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
