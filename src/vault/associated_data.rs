//! The associated data of sealed rows: the columns in the clear without which, unchanged, the sealed bytes do
//! not open (RFC 8439, section 2.8).

use super::{Row, Table};

/// The associated data of `row`: its table, key, owner and number.
pub(super) fn of(table: Table, row: &Row) -> Vec<u8> {
    let texts: &[&str] = match table {
        Table::Credential => &[&row.key],
        _ => &[&row.key, &row.owner],
    };
    let label = match table {
        Table::Credential => b"credential",
        Table::LoginFlow => b"login flow",
        Table::Binding => b"binding   ",
        // Nothing is sealed in them.
        Table::RefusedLogin | Table::BearerServer => b"          ",
    };
    encode(label, texts, row.number.cast_unsigned())
}

/// A label, a number, and texts with their lengths: no two inputs give the same bytes.
pub(super) fn encode(label: &[u8; 10], texts: &[&str], number: u64) -> Vec<u8> {
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
