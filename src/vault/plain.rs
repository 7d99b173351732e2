//! The plain bytes of a credential, as they are sealed.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | time of provisioning, milliseconds since the Unix epoch, big-endian |
//! | 1 | length of the login name |
//! | n | login name |
//! | rest | password |

use std::time::SystemTime;

use zeroize::Zeroizing;

use super::AppPassword;
use super::time::{from_millis, to_millis};

pub(super) fn encode(
    provisioned_at: SystemTime,
    login_name: &str,
    password: &AppPassword,
) -> Zeroizing<Vec<u8>> {
    let password = password.expose().as_bytes();
    // Room for all at once: a growing vector would leave copies behind.
    let mut plain = Zeroizing::new(Vec::with_capacity(9 + login_name.len() + password.len()));
    plain.extend_from_slice(&to_millis(provisioned_at).to_be_bytes());
    plain.push(u8::try_from(login_name.len()).expect("checked to have 255 bytes at most"));
    plain.extend_from_slice(login_name.as_bytes());
    plain.extend_from_slice(password);
    plain
}

/// The parts of what [`encode`] made; `None` for anything else.
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
