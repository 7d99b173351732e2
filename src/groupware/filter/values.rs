//! The number of values in a JSON text, before it is parsed.
//!
//! Parsing takes some hundreds of instructions for a value, and so much longer for a list of zeros than for
//! a text of the same length.

/// Whether `json` has more than `most` values and keys.
pub(super) fn exceed(most: usize, json: &str) -> bool {
    // Each takes a byte at least.
    json.len() > most && count(json) > most
}

/// The brackets, commas and colons outside of texts.
fn count(json: &str) -> usize {
    let mut count = 0;
    let mut bytes = json.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_text(&mut bytes),
            b'[' | b'{' | b',' | b':' => count += 1,
            _ => {}
        }
    }
    count
}

fn skip_text(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}
