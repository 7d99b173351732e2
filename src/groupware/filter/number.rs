//! PHP's numbers, and the texts that it takes for numbers.

use std::cmp::Ordering;
use std::fmt;

/// What PHP skips around a number in a text.
const BLANKS: [char; 6] = [' ', '\t', '\n', '\r', '\u{b}', '\u{c}'];

/// The digits of the least integer.
const LEAST: &str = "9223372036854775808";

/// A number of PHP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Int(i64),
    Float(f64),
}

/// A number that a text begins with.
#[derive(Clone, Copy)]
struct Written {
    number: Number,
    /// `Greater` if it is a whole number above all integers, `Less` below all.
    beyond: Ordering,
}

/// How two texts stand to each other: as numbers if both are, else as texts. Whole numbers that no integer
/// holds, and that are the same as floats, are compared as texts, and so is infinity.
///
/// Source: `zendi_smart_strcmp` of PHP 8 (Zend/zend_operators.c), which `==` of texts agrees with.
pub(super) fn compare_texts(one: &str, other: &str) -> Option<Ordering> {
    let (Some(left), Some(right)) = (Written::parse(one), Written::parse(other)) else {
        return Some(one.cmp(other));
    };
    match (left.number, right.number) {
        (Number::Float(a), Number::Float(b)) => {
            let is_beyond = left.beyond.is_ne() && left.beyond == right.beyond;
            match a == b && (is_beyond || a.is_infinite()) {
                true => Some(one.cmp(other)),
                false => a.partial_cmp(&b),
            }
        }
        (Number::Int(_), Number::Float(_)) if right.beyond.is_ne() => Some(right.beyond.reverse()),
        (Number::Float(_), Number::Int(_)) if left.beyond.is_ne() => Some(left.beyond),
        (left, right) => left.compare(right),
    }
}

// === impl Number ===

impl Number {
    /// The number that a text is as a whole, blanks around it aside.
    pub(super) fn parse(text: &str) -> Option<Number> {
        Written::parse(text).map(|written| written.number)
    }

    /// The number that a text begins with.
    pub(super) fn parse_start(text: &str) -> Option<Number> {
        Written::split(text).map(|(written, _)| written.number)
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

    /// Without the fraction; what is out of range is the nearest integer in it, as of a text.
    pub(super) fn nearest_integer(self) -> i64 {
        match self {
            Self::Int(value) => value,
            Self::Float(value) => value as i64,
        }
    }

    /// Without the fraction; what is out of range loses the bits above the lowest 64
    /// (`zend_dval_to_lval` of PHP 8).
    pub(super) fn wrapped_integer(self) -> i64 {
        match self {
            Self::Int(value) => value,
            // The remainder is exact, and below 2^64.
            Self::Float(value) => (value % 18_446_744_073_709_551_616.0) as i128 as i64,
        }
    }

    fn float(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

// === impl Written ===

impl Written {
    /// What a text is as a whole, blanks around it aside.
    fn parse(text: &str) -> Option<Self> {
        let (written, rest) = Self::split(text)?;
        rest.trim_start_matches(BLANKS)
            .is_empty()
            .then_some(written)
    }

    fn split(text: &str) -> Option<(Self, &str)> {
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
        let is_negative = bytes.first() == Some(&b'-');
        let is_beyond = is_beyond(&text[sign..], whole, is_float, is_negative);
        let beyond = match (is_beyond, is_negative) {
            (false, _) => Ordering::Equal,
            (true, false) => Ordering::Greater,
            (true, true) => Ordering::Less,
        };
        let (number, rest) = text.split_at(end);
        let number = match is_float || is_beyond {
            true => Number::Float(number.parse().ok()?),
            false => Number::Int(number.parse().ok()?),
        };
        Some((Self { number, beyond }, rest))
    }
}

/// Whether PHP sees that the number with so many `whole` digits, at the start of `text`, is beyond the
/// integers. It counts digits: a fraction or an exponent makes no difference where there are 20, and
/// rules it out where there are fewer. With 19, it compares all of the text that follows: a blank behind the
/// least integer is enough.
fn is_beyond(text: &str, whole: usize, is_float: bool, is_negative: bool) -> bool {
    let zeros = text.bytes().take(whole).take_while(|byte| *byte == b'0');
    let zeros = zeros.count();
    match whole - zeros {
        0..19 => false,
        19 if is_float => false,
        19 => match text[zeros..].cmp(LEAST) {
            Ordering::Less => false,
            Ordering::Equal => !is_negative,
            Ordering::Greater => true,
        },
        20.. => true,
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
