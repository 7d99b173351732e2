//! A cursor over JSON text.

use super::strings::Quotes;
use super::{JsonFault, TOO_DEEP};

/// The maximum nesting depth, as in `serde_json`.
const MAX_DEPTH: u32 = 128;

const UNTERMINATED: &str = "a string without end";
const COMMA: &str = "no comma, and no end of an object or array";
const NO_VALUE: &str = "no value";

/// Parses all of `text` as one value, which `read` must consume.
pub(crate) fn parse<'a, T>(
    text: &'a [u8],
    read: impl FnOnce(&mut Cursor<'a, '_>) -> Result<T, &'static str>,
) -> Result<T, JsonFault> {
    let quotes = Quotes::find(text)?;
    let mut cursor = Cursor { text, quotes: &quotes, at: 0 };
    let whole = |cursor: &mut Cursor<'a, '_>| {
        let value = read(cursor)?;
        cursor.next();
        let is_whole = cursor.at == text.len();
        is_whole.then_some(value).ok_or("more than one value")
    };
    whole(&mut cursor).map_err(|reason| JsonFault { at: cursor.at, reason })
}

#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a, 'q> {
    text: &'a [u8],
    quotes: &'q Quotes,
    at: usize,
}

impl<'a> Cursor<'a, '_> {
    /// Reads a value and returns its text.
    pub(crate) fn raw(&mut self) -> Result<&'a [u8], &'static str> {
        self.next();
        let start = self.at;
        self.skip()?;
        Ok(&self.text[start..self.at])
    }

    /// Reads an object. `member` is called with each key, still escaped and without its quotes, and must consume the value.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, &'a [u8]) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        if self.next() != b'{' {
            return Err("not an object");
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
            let end = self.quotes.next(start).ok_or(UNTERMINATED)?;
            member(self, &self.text[start..end])?;
            let next = self.next();
            self.at += 1;
            match next {
                b',' => {}
                b'}' => return Ok(()),
                _ => return Err(COMMA),
            }
        }
    }

    /// Reads `[]` or `null`, PHP's empty and missing object; otherwise returns `false` and reads nothing.
    pub(crate) fn nothing(&mut self) -> Result<bool, &'static str> {
        match self.next() {
            b'n' => self.literal(b"null").map(|()| true),
            b'[' => {
                self.at += 1;
                if self.next() != b']' {
                    return Err("an array that is not empty");
                }
                self.at += 1;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(crate) fn is_at_object(&mut self) -> bool {
        self.next() == b'{'
    }

    pub(crate) fn skip(&mut self) -> Result<(), &'static str> {
        // A local copy stays in registers; through the reference each step would access memory.
        let mut here = *self;
        let result = here.walk();
        self.at = here.at;
        result
    }

    /// Not recursive: one bit per open level distinguishes objects from arrays.
    #[inline(always)]
    fn walk(&mut self) -> Result<(), &'static str> {
        let mut objects = 0_u128;
        let mut depth = 0;
        loop {
            match self.next() {
                b'"' => self.string()?,
                open @ (b'{' | b'[') => {
                    self.at += 1;
                    let object = open == b'{';
                    // In ASCII, each closing bracket is the opening one plus two.
                    if self.next() == open + 2 {
                        self.at += 1;
                    } else if depth == MAX_DEPTH {
                        return Err(TOO_DEEP);
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
                _ => return Err(NO_VALUE),
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
                    return Err(COMMA);
                }
                depth -= 1;
                objects >>= 1;
            }
        }
    }

    #[inline(always)]
    fn key(&mut self) -> Result<(), &'static str> {
        if self.next() != b'"' {
            return Err("no key");
        }
        self.string()?;
        if self.next() != b':' {
            return Err("no colon after a key");
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string; the cursor is at its opening quote.
    #[inline(always)]
    fn string(&mut self) -> Result<(), &'static str> {
        match self.quotes.next(self.at + 1) {
            Some(end) => {
                self.at = end + 1;
                Ok(())
            }
            None => Err(UNTERMINATED),
        }
    }

    #[inline(always)]
    fn number(&mut self) -> Result<(), &'static str> {
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
    fn digits(&mut self) -> Result<(), &'static str> {
        if !self.peek().is_ascii_digit() {
            return Err("no digit in a number");
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    #[inline(always)]
    fn literal(&mut self, literal: &[u8]) -> Result<(), &'static str> {
        if !self.text[self.at..].starts_with(literal) {
            return Err(NO_VALUE);
        }
        self.at += literal.len();
        Ok(())
    }

    /// Skips white space and returns the next byte, like [`peek`](Self::peek).
    #[inline(always)]
    fn next(&mut self) -> u8 {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return byte,
            }
        }
    }

    /// The byte at the cursor; NUL at the end, which is never valid in JSON.
    #[inline(always)]
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }
}
