//! The plain bytes of a credential, as they are sealed.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | time of provisioning, milliseconds since the Unix epoch, big-endian |
//! | 1 | length of the login name |
//! | n | login name |
//! | rest | password |
//! | 0 or 1 | 1, if the password comes from a login flow; no password has this byte in it |

use zeroize::Zeroizing;

use super::time::{from_millis, to_millis};
use super::{AppPassword, Credential, Metadata, Row};

/// The last byte of a credential from a login flow.
const FROM_FLOW: u8 = 1;

/// In the count of a row, beside the refusals in a row: the server refuses the password by HTTP Basic. A signed
/// integer of 32 bits can hold it.
pub(super) const REFUSED_BY_BASIC: u32 = 1 << 30;

pub(super) fn encode(metadata: &Metadata, password: &AppPassword) -> Zeroizing<Vec<u8>> {
    let login_name = metadata.login_name.as_bytes();
    let password = password.expose().as_bytes();
    // Room for all at once: a growing vector would leave copies behind.
    let mut plain = Zeroizing::new(Vec::with_capacity(10 + login_name.len() + password.len()));
    plain.extend_from_slice(&to_millis(metadata.provisioned_at).to_be_bytes());
    plain.push(u8::try_from(login_name.len()).expect("checked to have 255 bytes at most"));
    plain.extend_from_slice(login_name);
    plain.extend_from_slice(password);
    if metadata.from_flow {
        plain.push(FROM_FLOW);
    }
    plain
}

/// The credential of `row`, in which `plain` is sealed; `None` unless [`encode`] made the bytes.
pub(super) fn decode(plain: &[u8], row: &Row) -> Option<Credential> {
    let (millis, rest) = plain.split_first_chunk::<8>()?;
    let (&len, rest) = rest.split_first()?;
    let (login_name, rest) = rest.split_at_checked(len.into())?;
    let (password, from_flow) = match rest {
        [password @ .., FROM_FLOW] => (password, true),
        password => (password, false),
    };
    let metadata = Metadata {
        user_id: row.key.clone(),
        login_name: std::str::from_utf8(login_name).ok()?.into(),
        provisioned_at: from_millis(i64::from_be_bytes(*millis)),
        revision: row.number.cast_unsigned(),
        suspended_at: row.since.map(from_millis),
        refusals: refusals(row),
        is_refused_by_basic: is_refused_by_basic(row),
        from_flow,
    };
    let password = AppPassword::new(std::str::from_utf8(password).ok()?).ok()?;
    Some(Credential { metadata, password })
}

/// How often in a row the password in `row` was refused.
pub(super) fn refusals(row: &Row) -> u32 {
    row.count & !REFUSED_BY_BASIC
}

/// Whether the server refused the password in `row` by HTTP Basic.
pub(super) fn is_refused_by_basic(row: &Row) -> bool {
    row.count & REFUSED_BY_BASIC != 0
}
