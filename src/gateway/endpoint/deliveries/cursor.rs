//! Opaque positions in a list (docs/API.md, sections 12.4 and 12.5).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::deliveries::queue::Mark;
use crate::gateway::input::{InputError, invalid_cursor};

/// The text of a position in the list `name` of one account or target.
///
/// It is bound to that list, so that one of another list is noticed. That is no protection, which is in the
/// queries: a forged position only skips some of the caller's own entries.
pub(super) fn of_position(position: i64, name: &str) -> String {
    encode(&position.to_be_bytes(), name)
}

/// The position that `text` is in the list `name`, if there is one.
pub(super) fn parse_position(text: Option<&str>, name: &str) -> Result<Option<i64>, InputError> {
    let position = text.map(|text| decode(text, name)?.try_into().map_err(|_| invalid_cursor()));
    Ok(position.transpose()?.map(i64::from_be_bytes))
}

/// The cursor of an account's feed, as text.
pub(super) fn of_mark(mark: Mark, account: &str) -> String {
    let event = mark.event.unwrap_or_default().cast_signed();
    let numbers = [mark.position, event, mark.gap].map(i64::to_be_bytes);
    encode(&numbers.concat(), account)
}

pub(super) fn parse_mark(text: &str, account: &str) -> Result<Mark, InputError> {
    let bytes = decode(text, account)?;
    let ([position, event, gap @ ..], []) = bytes.as_chunks() else {
        return Err(invalid_cursor());
    };
    Ok(Mark {
        position: i64::from_be_bytes(*position),
        event: Some(u64::from_be_bytes(*event)),
        gap: gap.first().map_or(0, |it| i64::from_be_bytes(*it)),
    })
}

fn encode(bytes: &[u8], name: &str) -> String {
    URL_SAFE_NO_PAD.encode([bytes, &binding(name, bytes)].concat())
}

fn decode(text: &str, name: &str) -> Result<Vec<u8>, InputError> {
    let mut bytes = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    let bound = bytes.split_off(bytes.len().saturating_sub(8));
    (bound == binding(name, &bytes)).then_some(bytes).ok_or(invalid_cursor())
}

fn binding(name: &str, bytes: &[u8]) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::new_with_prefix(bytes).chain_update(name).finalize().into();
    *digest.first_chunk().expect("a digest has 32 bytes")
}
