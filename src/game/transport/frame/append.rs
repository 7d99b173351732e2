use super::framing::HEADER_LEN;
use crate::game::runtime::message::Message;

/// Appends a message to `out` as a frame.
///
/// # Panics
/// If the message has 4 GiB or more, which the length prefix cannot express.
pub fn append<'a, M: Message<'a>>(message: &M, out: &mut Vec<u8>) {
    let length =
        u32::try_from(message.encoded_len()).expect("the message must be smaller than 4 GiB");
    out.reserve(HEADER_LEN + length as usize);
    out.extend_from_slice(&length.to_be_bytes());
    message.encode(out);
}
