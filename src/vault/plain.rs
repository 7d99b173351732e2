//! What is sealed, and what it is bound to.

use std::time::SystemTime;

use zeroize::Zeroizing;

use super::AppPassword;
use super::time::{from_millis, to_millis};

/// What the sealed bytes of a credential are bound to.
pub(super) fn record_bound(user_id: &str, revision: u64) -> Vec<u8> {
    bound(b"credential", &[user_id], revision)
}

/// What the sealed bytes of a login flow are bound to.
pub(super) fn flow_bound(flow_id: &str, user_id: &str, expires_at: SystemTime) -> Vec<u8> {
    let expires_at = to_millis(expires_at).cast_unsigned();
    bound(b"login flow", &[flow_id, user_id], expires_at)
}

/// A label, a number, and texts with their lengths: no two inputs give the same bytes.
fn bound(label: &[u8; 10], texts: &[&str], number: u64) -> Vec<u8> {
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

/// Time of provisioning in milliseconds (8 bytes), length of the login name (1), login name,
/// password.
pub(super) fn encode(
    provisioned_at: SystemTime,
    login_name: &str,
    password: &AppPassword,
) -> Zeroizing<Vec<u8>> {
    let password = password.expose().as_bytes();
    let mut plain = Zeroizing::new(Vec::with_capacity(9 + login_name.len() + password.len()));
    plain.extend_from_slice(&to_millis(provisioned_at).to_be_bytes());
    plain.push(u8::try_from(login_name.len()).expect("checked to have 255 bytes at most"));
    plain.extend_from_slice(login_name.as_bytes());
    plain.extend_from_slice(password);
    plain
}

pub(super) fn decode(plain: &[u8]) -> Option<(SystemTime, Box<str>, AppPassword)> {
    let (millis, rest) = plain.split_first_chunk::<8>()?;
    let (&len, rest) = rest.split_first()?;
    let (login_name, password) = rest.split_at_checked(len.into())?;
    Some((
        from_millis(i64::from_be_bytes(*millis)),
        std::str::from_utf8(login_name).ok()?.into(),
        AppPassword::new(std::str::from_utf8(password).ok()?).ok()?,
    ))
}
