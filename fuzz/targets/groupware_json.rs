//! The scanner of the groupware server's JSON accepts what `serde_json` accepts, and finds the same
//! values in it.
//!
//! The scanner is private to the crate. Its module is compiled into this target as it stands, which
//! also leaves the rest of the gateway, its TLS above all, out of the sanitizer's build.

use serde::Deserializer as _;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

#[allow(dead_code, unused_imports)]
#[path = "../../src/groupware/json/mod.rs"]
pub(crate) mod json;

pub(crate) fn run(data: &[u8]) {
    let expected = serde_json::from_slice::<&RawValue>(data);
    match (json::parse(data, |value| value.raw()), expected) {
        (Ok(raw), Ok(expected)) => {
            assert_eq!(raw.as_ptr_range(), expected.get().as_bytes().as_ptr_range());
            test_value(raw);
        }
        // `serde_json` sets no bound to the nesting of what it skips.
        (Err(fault), _) if fault.reason == json::TOO_DEEP => {
            let opened = data.iter().filter(|&byte| matches!(byte, b'[' | b'{'));
            assert!(opened.count() > 128);
        }
        (Err(fault), Err(_)) => assert!(fault.at <= data.len() + 1),
        (accepted, expected) => panic!("{accepted:?} {expected:?}"),
    }
}

/// Looks into a value that is JSON.
fn test_value(raw: &[u8]) {
    let nothing = json::parse(raw, |value| {
        let nothing = value.nothing()?;
        match nothing {
            true => Ok(true),
            false => value.skip().map(|()| false),
        }
    });
    let is_empty_array = raw.first() == Some(&b'[') && raw[1..].trim_ascii() == b"]";
    match nothing {
        Ok(nothing) => assert_eq!(nothing, raw == b"null" || is_empty_array),
        Err(_) => assert!(raw[0] == b'[' && !is_empty_array),
    }

    let mut found = Vec::new();
    let members = json::parse(raw, |value| {
        value.object(|value, key| {
            found.push((key, value.raw()?));
            Ok(())
        })
    });
    assert_eq!(members.is_ok(), raw[0] == b'{');
    if members.is_ok() {
        let mut deserializer = serde_json::Deserializer::from_slice(raw);
        let expected = deserializer.deserialize_map(Members).unwrap();
        assert_eq!(found.len(), expected.len());
        for ((key, value), (expected_key, expected_value)) in found.into_iter().zip(expected) {
            let quoted = expected_key.get().as_bytes();
            assert_eq!(key.as_ptr_range(), quoted[1..quoted.len() - 1].as_ptr_range());
            let expected_value = expected_value.get().as_bytes();
            assert_eq!(value.as_ptr_range(), expected_value.as_ptr_range());
            test_value(value);
        }
    }
}

/// The members of an object as `serde_json` finds them.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}
