//! Fields as bytes: those of a record, which are sealed, and those in the clear without which, unchanged, the sealed
//! bytes do not open (their associated data; RFC 8439, section 2.8).

use super::{Row, Table};

/// `head`, a number, and texts with their lengths: no two inputs with heads of one length give the same bytes.
pub(super) fn encode(head: &[u8], number: i64, texts: &[&str]) -> Vec<u8> {
    let len = texts.iter().map(|text| 4 + text.len()).sum::<usize>();
    // Room for all at once: a growing vector would leave copies behind.
    let mut bytes = Vec::with_capacity(head.len() + 8 + len);
    bytes.extend_from_slice(head);
    bytes.extend_from_slice(&number.to_be_bytes());
    for text in texts {
        bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

/// The head, the number and the texts; `None` unless [`encode`] made the bytes of a head of one byte.
pub(super) fn decode<const TEXTS: usize>(bytes: &[u8]) -> Option<(u8, i64, [&str; TEXTS])> {
    let (&head, rest) = bytes.split_first()?;
    let (number, mut rest) = rest.split_first_chunk::<8>()?;
    let mut texts = [""; TEXTS];
    for text in &mut texts {
        let (len, tail) = rest.split_first_chunk::<4>()?;
        let (bytes, tail) = tail.split_at_checked(u32::from_be_bytes(*len) as usize)?;
        *text = str::from_utf8(bytes).ok()?;
        rest = tail;
    }
    let number = i64::from_be_bytes(*number);
    rest.is_empty().then_some((head, number, texts))
}

/// The associated data of `row`: its table, key, owner and number.
pub(super) fn associated_data(table: Table, row: &Row) -> Vec<u8> {
    let label = match table {
        Table::Credential => b"credential",
        Table::LoginFlow => b"login flow",
        Table::Binding => b"binding   ",
        Table::Registration => b"registered",
        // Nothing is sealed in them.
        Table::RefusedLogin | Table::BearerServer | Table::SealingKey => b"          ",
    };
    encode(label, row.number, &[&row.key, &row.owner])
}
