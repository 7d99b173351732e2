//! A cursor over JSON text that checks what it skips.
//!
//! The gateway passes on JSON that it has no use for, so that most of an answer is skipped; but it
//! must not pass on what is not JSON. This cursor checks the whole grammar of RFC 8259, copies
//! nothing, and allocates one bit for each byte of the text. Nesting is bounded, and text that is
//! not UTF-8 is refused. Skipping takes it less than half of the instructions of `serde_json`,
//! which bounds no nesting of what it skips and takes any bytes in its strings.

use super::json_strings::Quotes;

/// Where in a text, and what is wrong there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at byte {at}")]
pub(super) struct JsonFault {
    pub(super) at: usize,
    pub(super) reason: Stop,
}

/// Why a cursor stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Stop {
    #[error("not UTF-8")]
    Utf8,
    #[error("an unknown escape")]
    Escape,
    #[error("a control character in a string")]
    Control,
    #[error("a string without end")]
    Unterminated,
    #[error("no value")]
    Value,
    #[error("no digit in a number")]
    Digit,
    #[error("no key")]
    Key,
    #[error("no colon after a key")]
    Colon,
    #[error("no comma, and no end of an object or array")]
    Comma,
    #[error("nested too deeply")]
    Depth,
    #[error("more than one value")]
    Trailing,
    /// It is JSON, but not what was looked for.
    #[error("{0}")]
    Unexpected(&'static str),
}

/// Reads all of `text` as one value, which `read` takes.
pub(super) fn parse<'a, T>(
    text: &'a [u8],
    read: impl FnOnce(&mut Cursor<'a, '_>) -> Result<T, Stop>,
) -> Result<T, JsonFault> {
    let quotes = Quotes::of(text)?;
    let mut cursor = Cursor {
        text,
        quotes: &quotes,
        at: 0,
    };
    let whole = |cursor: &mut Cursor<'a, '_>| {
        let value = read(cursor)?;
        cursor.next();
        match cursor.at == text.len() {
            true => Ok(value),
            false => Err(Stop::Trailing),
        }
    };
    let result = whole(&mut cursor);
    result.map_err(|reason| JsonFault {
        at: cursor.at,
        reason,
    })
}

/// A position in JSON text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a, 'q> {
    text: &'a [u8],
    quotes: &'q Quotes,
    at: usize,
}

impl<'a> Cursor<'a, '_> {
    /// Takes a value and gives its text.
    pub(super) fn raw(&mut self) -> Result<&'a [u8], Stop> {
        self.next();
        let start = self.at;
        self.skip()?;
        Ok(&self.text[start..self.at])
    }

    /// Takes an object. `member` gets each key, still escaped and without its quotes, and must take
    /// the value.
    pub(super) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a [u8]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        if self.next() != b'{' {
            return Err(Stop::Unexpected("not an object"));
        }
        self.at += 1;
        if self.next() == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.next();
            let start = self.at + 1;
            self.key()?;
            let end = self.quotes.next(start).ok_or(Stop::Unterminated)?;
            member(self, &self.text[start..end])?;
            let next = self.next();
            self.at += 1;
            match next {
                b',' => {}
                b'}' => return Ok(()),
                _ => return Err(Stop::Comma),
            }
        }
    }

    /// Takes one of the values that PHP writes for an object without members, or for none: `[]` or
    /// `null`; `false` where there is something else.
    pub(super) fn nothing(&mut self) -> Result<bool, Stop> {
        match self.next() {
            b'n' => self.literal(b"null").map(|()| true),
            b'[' => {
                self.at += 1;
                if self.next() != b']' {
                    return Err(Stop::Unexpected("an array that is not empty"));
                }
                self.at += 1;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Takes any value.
    pub(super) fn skip(&mut self) -> Result<(), Stop> {
        // A copy of its own stays in registers.
        let mut here = *self;
        let result = here.walk();
        self.at = here.at;
        result
    }

    /// Does not recurse: a bit for each level tells objects from arrays.
    #[inline(always)]
    fn walk(&mut self) -> Result<(), Stop> {
        let mut objects = 0_u128;
        let mut depth = 0;
        loop {
            match self.next() {
                b'"' => self.string()?,
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    let object = open == b'{';
                    // Each closing bracket stands two after the opening one in ASCII.
                    if self.next() == open + 2 {
                        self.at += 1;
                    } else if depth == MAX_DEPTH {
                        return Err(Stop::Depth);
                    } else {
                        depth += 1;
                        objects = objects << 1 | u128::from(object);
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b'n' => self.literal(b"null")?,
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                _ => return Err(Stop::Value),
            }
            loop {
                if depth == 0 {
                    return Ok(());
                }
                let object = objects & 1 == 1;
                let next = self.next();
                self.at += 1;
                if next == b',' {
                    if object {
                        self.key()?;
                    }
                    break;
                }
                if next != if object { b'}' } else { b']' } {
                    return Err(Stop::Comma);
                }
                depth -= 1;
                objects >>= 1;
            }
        }
    }

    /// Takes a key and the colon after it.
    #[inline(always)]
    fn key(&mut self) -> Result<(), Stop> {
        if self.next() != b'"' {
            return Err(Stop::Key);
        }
        self.string()?;
        if self.next() != b':' {
            return Err(Stop::Colon);
        }
        self.at += 1;
        Ok(())
    }

    /// Takes a string, at whose first quote the cursor is.
    #[inline(always)]
    fn string(&mut self) -> Result<(), Stop> {
        match self.quotes.next(self.at + 1) {
            Some(end) => {
                self.at = end + 1;
                Ok(())
            }
            None => Err(Stop::Unterminated),
        }
    }

    #[inline(always)]
    fn number(&mut self) -> Result<(), Stop> {
        if self.peek() == b'-' {
            self.at += 1;
        }
        match self.peek() {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if let b'e' | b'E' = self.peek() {
            self.at += 1;
            if let b'+' | b'-' = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    #[inline(always)]
    fn digits(&mut self) -> Result<(), Stop> {
        if !self.peek().is_ascii_digit() {
            return Err(Stop::Digit);
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    #[inline(always)]
    fn literal(&mut self, literal: &[u8]) -> Result<(), Stop> {
        if !self.text[self.at..].starts_with(literal) {
            return Err(Stop::Value);
        }
        self.at += literal.len();
        Ok(())
    }

    /// Goes over blanks to the next byte; see [`peek`](Self::peek).
    #[inline(always)]
    fn next(&mut self) -> u8 {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return byte,
            }
        }
    }

    /// The byte here; at the end NUL, which belongs nowhere in JSON.
    #[inline(always)]
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }
}

/// The deepest nesting that is taken, as in `serde_json`.
const MAX_DEPTH: u32 = 128;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;

    use super::*;

    /// Whether the cursor takes a text; it must be so where `serde_json` takes it and it is UTF-8.
    fn taken(text: &[u8]) -> bool {
        let taken = parse(text, |value| value.raw());
        let expected =
            std::str::from_utf8(text).is_ok() && serde_json::from_slice::<IgnoredAny>(text).is_ok();
        let shown = String::from_utf8_lossy(text);
        assert_eq!(taken.is_ok(), expected, "{taken:?}: {shown}");
        if let Ok(raw) = &taken {
            assert_eq!(*raw, shown.trim_matches([' ', '\t', '\n', '\r']).as_bytes());
        }
        if let Err(fault) = taken {
            assert!(fault.at <= text.len() + 1, "{fault}");
        }
        expected
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
            assert!(taken(&body));
            for at in 0..body.len() {
                if at % 16 == 0 {
                    assert!(!taken(&body[..at]));
                }
                let mut damaged = body.clone();
                damaged[at] = b"\"\\{}[],:0 \x01\x80u"[at % 13];
                taken(&damaged);
            }
        }
    }

    #[test]
    fn strings_at_every_distance_from_the_end_of_a_block() {
        for before in 0..140 {
            for inner in [
                r#"\""#, r"\\", r"\\\\\\", r#"\\\""#, r#"\\""#, r"\u00e9", r"\u00e", r"\ud800",
                r"\x", "\\", "\u{1f}", "\u{7f}", "é", "😀",
            ] {
                let pad = "x".repeat(before);
                taken(format!(r#"["{pad}{inner}","{inner}{pad}"]"#).as_bytes());
                taken(format!("[{}\"{inner}\"]", " ".repeat(before)).as_bytes());
                taken(format!(r#"["{pad}{inner}"#).as_bytes());
            }
            taken(&[b"[\"", &*vec![b'x'; before], b"\xff\"]"].concat());
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
            assert_eq!(fault.reason, Stop::Depth);
        }
    }

    proptest! {
        #[test]
        fn any_text(text in r#"([ \n\{\}\[\],:"0-9eE.+-]|\\["nux\\]|true|false|null|"a":|"é"|\x01){0,60}"#) {
            taken(text.as_bytes());
        }

        #[test]
        fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            taken(&bytes);
            taken(&[b"\"", &*bytes, b"\""].concat());
        }
    }
}
