//! Varints, tags, lengths and text at each length from which other code reads them, against the rules of the encoding.

use portreeve::game::wire::{Reader, WireType};
use portreeve::game::{Fault, Response, Text};
use quick_protobuf::BytesReader;

/// The wire types, by their numbers.
const TYPES: [WireType; 6] = [
    WireType::Varint,
    WireType::Fixed64,
    WireType::LengthDelimited,
    WireType::StartGroup,
    WireType::EndGroup,
    WireType::Fixed32,
];

/// A varint of at most `limit` bytes by the rules, one byte after the other.
fn by_the_rules(bytes: &[u8], limit: usize, too_long: Fault) -> Result<(u64, usize), Fault> {
    let mut value = 0_u64;
    for (index, &byte) in bytes.iter().take(limit).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((value, index + 1));
        }
    }
    Err(if bytes.len() < limit { Fault::Truncated } else { too_long })
}

/// Numbers of every width, with nothing, little and much behind them, cut off at each byte.
fn cases() -> Vec<Vec<u8>> {
    let mut cases = Vec::new();
    for number in numbers() {
        for end in 0..=number.len() {
            cases.push(number[..end].to_vec());
        }
        for behind in [1, 2, 3, 4, 8, 300] {
            cases.push([number.as_slice(), &vec![0xff; behind]].concat());
        }
    }
    cases
}

fn numbers() -> Vec<Vec<u8>> {
    let mut numbers = Vec::new();
    for width in 1..=12 {
        for last in [0x00, 0x01, 0x7f] {
            for others in [0x80, 0x81, 0xff] {
                let mut number = vec![others; width - 1];
                number.push(last);
                numbers.push(number);
            }
        }
    }
    numbers
}

#[test]
fn every_varint_is_read_by_the_rules() {
    for bytes in cases() {
        let expected = by_the_rules(&bytes, 10, Fault::VarintTooLong);
        let mut reader = Reader::new(&bytes);
        let read = reader.varint();
        assert_eq!(read, expected.map(|(value, _)| value), "{bytes:x?}");
        let length = expected.map_or(0, |(_, length)| length);
        assert_eq!(reader.rest(), &bytes[length..], "{bytes:x?}");
    }
}

/// The id of an answer is read by code of its own.
#[test]
fn every_id_of_an_answer_is_read_by_the_rules() {
    for number in numbers() {
        let expected = by_the_rules(&number, 10, Fault::VarintTooLong);
        for codes in [1, 2, 5, 150] {
            let answer = [&[8], number.as_slice(), &[0x10, 1].repeat(codes)].concat();
            match (Response::parse(&answer), expected) {
                (Ok(read), Ok((id, _))) => {
                    assert_eq!((read.cmd_id(), read.raw_code()), (id, Some(1)), "{answer:x?}");
                }
                (Err(error), Err(fault)) => assert_eq!(error.fault(), fault, "{answer:x?}"),
                (read, expected) => panic!("{read:?} {expected:?}: {answer:x?}"),
            }
        }
        for end in 0..number.len() {
            let fault = by_the_rules(&number[..end], 10, Fault::VarintTooLong);
            let cut = [&[8], &number[..end]].concat();
            assert_eq!(Response::parse(&cut).unwrap_err().fault(), fault.unwrap_err());
        }
    }
}

#[test]
fn every_tag_and_every_length_is_read_by_the_rules() {
    for bytes in cases() {
        let mut reader = Reader::new(&bytes);
        let expected = by_the_rules(&bytes, 5, Fault::TagTooLong);
        let expected = expected.and_then(|(value, length)| {
            let tag = u32::try_from(value).map_err(|_| Fault::TagTooLong)?;
            Ok((tag, length))
        });
        let read = reader.tag();
        let read = read.map(|tag| (tag.field_number(), tag.wire_type()));
        let by_rules = expected.map(|(tag, _)| (tag >> 3, TYPES.get((tag & 7) as usize).copied()));
        assert_eq!(read, by_rules, "{bytes:x?}");
        let length = expected.map_or(0, |(_, length)| length);
        assert_eq!(reader.rest(), &bytes[length..], "{bytes:x?}");

        let mut reader = Reader::new(&bytes);
        let expected = by_the_rules(&bytes, 5, Fault::LengthTooLong);
        let expected = expected.and_then(|(value, length)| {
            let end = (value as usize).checked_add(length).ok_or(Fault::LengthPastEnd)?;
            bytes.get(length..end).ok_or(Fault::LengthPastEnd)
        });
        let whole = reader.rest();
        assert_eq!(reader.length_delimited(), expected, "{bytes:x?}");
        if expected.is_err() {
            assert_eq!(reader.rest(), whole, "{bytes:x?}");
        }
    }
}

/// Text at, below and above each length from which another check is used, with a byte that is
/// not ASCII, or not UTF-8, at each position.
#[test]
fn text_is_checked_as_by_the_standard_library() {
    for length in (0..40).chain(120..140) {
        let ascii = vec![b'a'; length];
        assert_eq!(Text::from_bytes(&ascii).to_str().unwrap().as_bytes(), ascii);
        for position in 0..length {
            for byte in [0x00, 0x7f, 0x80, 0xc3, 0xff] {
                let mut bytes = ascii.clone();
                bytes[position] = byte;
                let expected = str::from_utf8(&bytes).map_err(|error| error.valid_up_to());
                let text = Text::from_bytes(&bytes).to_str();
                let read = text.map_err(|error| error.offset());
                assert_eq!(read, expected, "{length} {position} {byte:x}");
            }
            let mut bytes = ascii.clone();
            if let Some(pair) = bytes.get_mut(position..position + 2) {
                pair.copy_from_slice("é".as_bytes());
                assert!(Text::from_bytes(&bytes).to_str().is_ok(), "{length} {position}");
            }
        }
    }
    let accents = "é".repeat(100);
    for end in (0..accents.len()).step_by(2) {
        let text = &accents[..end];
        assert_eq!(Text::from(text).to_str(), Ok(text));
    }
}

/// What docs/ARCHITECTURE.md, "The reader", says of the reader that this crate does not use.
#[test]
fn quick_protobufs_reader_refuses_valid_groups_and_accepts_what_protobuf_refuses() {
    let theirs = |bytes: &[u8]| {
        let mut reader = BytesReader::from_bytes(bytes);
        let tag = reader.next_tag(bytes)?;
        reader.read_unknown(bytes, tag)
    };
    let ours = |bytes: &[u8]| {
        let mut reader = Reader::new(bytes);
        let tag = reader.tag()?;
        reader.skip(tag, 100)
    };
    let group = b"\x0b\x0c";
    assert!(theirs(group).is_err());
    assert_eq!(ours(group), Ok(()));
    let open_no_longer = b"\x0c";
    assert!(theirs(open_no_longer).is_err() && ours(open_no_longer).is_err());
    let field_0 = b"\x00\x00";
    let long_tag = b"\x88\x80\x80\x80\x80\x80\x80\x80\x80\x00\x00";
    let long_length = b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00";
    for bytes in [&field_0[..], long_tag, long_length] {
        assert!(theirs(bytes).is_ok(), "{bytes:x?}");
        assert!(ours(bytes).is_err(), "{bytes:x?}");
    }
}
