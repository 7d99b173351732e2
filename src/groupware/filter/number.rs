//! PHP's numbers, and the texts that it takes for numbers.

use std::cmp::Ordering;
use std::fmt;

/// What PHP skips around a number in a text.
const BLANKS: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

/// A number of PHP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

// === impl Number ===

impl Number {
    /// The number that a text is as a whole, blanks around it aside.
    pub(super) fn parse(text: &str) -> Option<Number> {
        let (number, rest) = Self::split(text)?;
        rest.trim_start_matches(BLANKS).is_empty().then_some(number)
    }

    /// The number that a text begins with.
    pub(super) fn parse_start(text: &str) -> Option<Number> {
        Self::split(text).map(|(number, _)| number)
    }

    fn split(text: &str) -> Option<(Number, &str)> {
        let text = text.trim_start_matches(BLANKS);
        let bytes = text.as_bytes();
        let digits = |from: usize| {
            let rest = bytes.iter().skip(from);
            rest.take_while(|byte| byte.is_ascii_digit()).count()
        };
        let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
        let whole = digits(sign);
        let mut end = sign + whole;
        let mut is_float = false;
        let mut fraction = 0;
        if bytes.get(end) == Some(&b'.') {
            fraction = digits(end + 1);
            if whole + fraction > 0 {
                is_float = true;
                end += 1 + fraction;
            }
        }
        if whole + fraction == 0 {
            return None;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let power = digits(end + 1 + sign);
            if power > 0 {
                is_float = true;
                end += 1 + sign + power;
            }
        }
        let (number, rest) = text.split_at(end);
        let number = match number.parse() {
            Ok(number) if !is_float => Number::Int(number),
            _ => Number::Float(number.parse().ok()?),
        };
        Some((number, rest))
    }

    pub(super) fn is_zero(self) -> bool {
        self.float() == 0.0
    }

    /// `None` never arises from JSON, which has no NaN.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(one), Self::Int(other)) => Some(one.cmp(&other)),
            _ => self.float().partial_cmp(&other.float()),
        }
    }

    /// With a text: as numbers if it is one, else as texts.
    pub(super) fn compare_with_text(self, text: &str) -> Option<Ordering> {
        match Number::parse(text) {
            Some(other) => self.compare(other),
            None => Some(self.to_string().as_str().cmp(text)),
        }
    }

    /// Without the fraction; what is out of range is the nearest integer in it.
    pub(super) fn integer(self) -> i64 {
        match self {
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

/// As PHP makes text of it: `1.0` is `1`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => value.fmt(f),
            Self::Float(value) if *value == 0.0 || (1e-4..1e15).contains(&value.abs()) => {
                value.fmt(f)
            }
            Self::Float(value) => {
                let text = format!("{value:E}");
                let (digits, power) = text.split_once('E').unwrap_or((&text, "0"));
                let point = if digits.contains('.') { "" } else { ".0" };
                let sign = if power.starts_with('-') { "" } else { "+" };
                write!(f, "{digits}{point}E{sign}{power}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_numbers() {
        use Number::{Float, Int};
        for (text, number) in [
            ("12", Some(Int(12))),
            (" -7 ", Some(Int(-7))),
            ("+5", Some(Int(5))),
            ("007", Some(Int(7))),
            ("1.5", Some(Float(1.5))),
            (".5", Some(Float(0.5))),
            ("5.", Some(Float(5.0))),
            ("1e3", Some(Float(1000.0))),
            ("1E-1\n", Some(Float(0.1))),
            (
                "9223372036854775808",
                Some(Float(9_223_372_036_854_775_808.0)),
            ),
            ("", None),
            (" ", None),
            (".", None),
            ("-", None),
            ("e3", None),
            ("1e", None),
            ("0x1A", None),
            ("12 a", None),
            ("1 2", None),
        ] {
            assert_eq!(Number::parse(text), number, "{text:?}");
        }
        assert_eq!(Number::parse_start("12 apples"), Some(Int(12)));
        assert_eq!(Number::parse_start("1e"), Some(Int(1)));
        assert_eq!(Number::parse_start("apples"), None);
    }

    #[test]
    fn numbers_as_text() {
        for (number, text) in [
            (Number::Int(-3), "-3"),
            (Number::Float(1.0), "1"),
            (Number::Float(1.5), "1.5"),
            (Number::Float(1e20), "1.0E+20"),
            (Number::Float(1.25e15), "1.25E+15"),
            (Number::Float(-1e-7), "-1.0E-7"),
            (Number::Float(-0.0), "-0"),
        ] {
            assert_eq!(number.to_string(), text);
        }
    }
}
