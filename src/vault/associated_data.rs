//! The associated data of sealed records: what is in the clear beside the sealed bytes, and cannot
//! be changed without their no longer opening (RFC 8439, section 2.8).

use std::time::SystemTime;

use super::time::to_millis;

/// What the sealed bytes of a credential open together with.
pub(super) fn of_record(user_id: &str, revision: u64) -> Vec<u8> {
    encode(b"credential", &[user_id], revision)
}

/// What the sealed bytes of a login flow open together with.
pub(super) fn of_flow(flow_id: &str, user_id: &str, expires_at: SystemTime) -> Vec<u8> {
    let expires_at = to_millis(expires_at).cast_unsigned();
    encode(b"login flow", &[flow_id, user_id], expires_at)
}

/// What the sealed bytes of a binding open together with.
pub(super) fn of_binding(person_id: &str, user_id: &str) -> Vec<u8> {
    encode(b"binding   ", &[person_id, user_id], 0)
}

/// A label, a number, and texts with their lengths: no two inputs give the same bytes.
fn encode(label: &[u8; 10], texts: &[&str], number: u64) -> Vec<u8> {
    let len = texts.iter().map(|text| 4 + text.len()).sum::<usize>();
    let mut bytes = Vec::with_capacity(label.len() + 8 + len);
    bytes.extend_from_slice(label);
    bytes.extend_from_slice(&number.to_be_bytes());
    for text in texts {
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}
