//! The scanner of the groupware server's JSON, with texts that the seeds have not.

use proptest::prelude::*;
use serde_json::value::RawValue;

use crate::groupware_json::json::{TOO_DEEP, parse};
use crate::groupware_json::run;

/// Whether the scanner accepts a text, after a comparison with `serde_json`.
fn accepted(text: &[u8]) -> bool {
    run(text);
    serde_json::from_slice::<&RawValue>(text).is_ok()
}

fn recorded(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/nextcloud");
    let recording = std::fs::read(format!("{folder}/{name}.json")).unwrap();
    let recording: serde_json::Value = serde_json::from_slice(&recording).unwrap();
    recording["response"]["body"].as_str().unwrap().into()
}

#[test]
fn recorded_answers_and_each_damage_to_them() {
    for name in ["webhooks-list-admin", "capabilities-admin-app-password"] {
        let body = recorded(name);
        assert!(accepted(&body));
        for at in 0..body.len() {
            if at % 16 == 0 {
                assert!(!accepted(&body[..at]));
            }
            let mut damaged = body.clone();
            damaged[at] = b"\"\\{}[],:0 \x01\x80u"[at % 13];
            accepted(&damaged);
        }
    }
}

#[test]
fn strings_at_every_distance_from_the_end_of_a_block() {
    for before in 0..140 {
        for inner in [
            r#"\""#, r"\\", r"\\\\\\", r#"\\\""#, r#"\\""#, r"\u00e9", r"\u00e", r"\ud800", r"\x",
            "\\", "\u{1f}", "\u{7f}", "é", "😀",
        ] {
            let pad = "x".repeat(before);
            accepted(format!(r#"["{pad}{inner}","{inner}{pad}"]"#).as_bytes());
            accepted(format!("[{}\"{inner}\"]", " ".repeat(before)).as_bytes());
            accepted(format!(r#"["{pad}{inner}"#).as_bytes());
        }
        accepted(&[b"[\"", &*vec![b'x'; before], b"\xff\"]"].concat());
    }
}

#[test]
fn runs_of_backslashes_of_any_length_and_place() {
    for before in 0..70 {
        for length in (0..10).chain(58..70).chain(124..132) {
            let run = [" ".repeat(before), "\"".into(), "\\".repeat(length)].concat();
            for after in ["\"", "\"\"", "n\"", "x\"", "/\\\"\"", "\" ", ""] {
                accepted(format!("{run}{after}").as_bytes());
            }
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth| ["[".repeat(depth), "]".repeat(depth)].concat();
    let objects = |depth| [r#"{"a":"#.repeat(depth), "0".into(), "}".repeat(depth)].concat();
    // An empty array at the bottom adds no level.
    for text in [nested(129), objects(128)] {
        assert!(parse(text.as_bytes(), |value| value.skip()).is_ok());
    }
    for text in [nested(130), objects(129), nested(1_000_000)] {
        let fault = parse(text.as_bytes(), |value| value.skip()).unwrap_err();
        assert_eq!(fault.reason, TOO_DEEP);
    }
}

proptest! {
    #[test]
    fn any_text(text in r#"([ \n\{\}\[\],:"0-9eE.+-]|\\["nux\\]|true|false|null|"a":|"é"|\x01){0,60}"#) {
        accepted(text.as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        accepted(&bytes);
        accepted(&[b"\"", &*bytes, b"\""].concat());
    }
}
