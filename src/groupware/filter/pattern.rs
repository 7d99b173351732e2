//! Regular expressions in a filter, as the server understands them.
//!
//! The server hands them to PCRE, which backtracks. Here they are matched in linear time, with
//! bounds on their size, so that no caller can keep the gateway busy. What PCRE means by an
//! expression and the engine here does not, as look-around or a back reference, is not judged.

use regex::bytes::{Regex, RegexBuilder};
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSetBinaryOp, ClassSetItem, ClassUnicodeKind,
    ErrorKind, Flag, FlagsItem, FlagsItemKind, HexLiteralKind, LiteralKind, SpecialLiteralKind,
    Visitor, visit,
};

use super::work::{Unsure, Work};

/// The bytes of an expression that is tried.
const MAX_LENGTH: usize = 1_000;

/// The bytes that a compiled expression may take.
const MAX_SIZE: usize = 256 * 1024;

/// How deep groups may be nested.
const MAX_DEPTH: u32 = 50;

/// The general categories of Unicode that PCRE and the engine here know alike.
const CATEGORIES: &[&str] = &[
    "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P", "Pc",
    "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
];

const OTHER: Unsure = Unsure(
    "the pattern has what only the server understands: look-around, a back reference, a possessive \
     part or the like",
);
const LARGE: Unsure = Unsure("the pattern is too large");
const WORDS: Unsure =
    Unsure("\\w, \\s and \\b stand for other characters at the server in text outside ASCII");
const LINES: Unsure =
    Unsure("the text ends with a line break, where ^ and $ stand for something else at the server");

/// A text of the form `/…/flags`.
#[derive(Clone, Copy)]
pub(super) struct Pattern<'t> {
    body: &'t str,
    flags: &'t str,
}

/// A pattern that can be tried.
pub(super) enum Compiled {
    /// The server cannot compile it, and takes that for no match.
    Never(&'static str),
    Matcher(Matcher),
}

/// An expression, and on which texts its outcome is not PCRE's.
pub(super) struct Matcher {
    regex: Regex,
    has_lines: bool,
    is_for_ascii: bool,
}

// === impl Pattern ===

impl<'t> Pattern<'t> {
    /// `None` if the server takes `text` for plain text.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let inner = text.strip_prefix('/')?;
        // The end of a text is also before its last line break.
        let inner = inner.strip_suffix('\n').unwrap_or(inner);
        let (body, flags) = inner.rsplit_once('/')?;
        let is_pattern = flags.bytes().all(|flag| flag.is_ascii_alphabetic());
        (is_pattern && !body.contains('\n')).then_some(Self { body, flags })
    }

    /// Compiles it, as far as it means here what it means at the server.
    pub(super) fn compile(self, work: &Work) -> Result<Compiled, Unsure> {
        if let Some(reason) = self.fault() {
            return Ok(Compiled::Never(reason));
        }
        if self.body.len() > MAX_LENGTH {
            return Err(LARGE);
        }
        let has = |flag| self.flags.contains(flag);
        if has('x') || has('X') || has('J') || has('n') {
            return Err(OTHER);
        }
        // Classes of Unicode are large.
        let is_unicode = has('u');
        let per_byte = if is_unicode { 2_500 } else { 100 };
        work.spend(2_000 + per_byte * self.body.len())?;

        let mut parser = ParserBuilder::new().nest_limit(MAX_DEPTH).build();
        let ast = match parser.parse(self.body) {
            Ok(ast) => ast,
            Err(error) => return self.unreadable(error.kind()),
        };
        let found = visit(&ast, Known::new(is_unicode))?;
        let body = match has('A') {
            true => format!(r"\A(?:{})", self.body),
            false => self.body.to_owned(),
        };
        let regex = RegexBuilder::new(&body)
            .unicode(is_unicode)
            .case_insensitive(has('i'))
            .multi_line(has('m'))
            .dot_matches_new_line(has('s'))
            .nest_limit(MAX_DEPTH + 1)
            .size_limit(MAX_SIZE)
            .dfa_size_limit(MAX_SIZE)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => LARGE,
                _ => OTHER,
            })?;
        Ok(Compiled::Matcher(Matcher {
            regex,
            has_lines: found.lines,
            is_for_ascii: is_unicode && found.words,
        }))
    }

    /// What keeps the server from reading it.
    fn fault(self) -> Option<&'static str> {
        let mut bytes = self.body.bytes();
        while let Some(byte) = bytes.next() {
            if byte == b'/' {
                return Some("a slash in it must be written \\/");
            }
            if byte == b'\\' && bytes.next().is_none() {
                return Some("the slash that ends it is escaped");
            }
        }
        let is_known = |flag| "imsxADSUXuJn".contains(flag);
        let all_known = self.flags.chars().all(is_known);
        (!all_known).then_some("it has a flag that does not exist")
    }

    /// What becomes of an expression that cannot be read here.
    fn unreadable(self, kind: &ErrorKind) -> Result<Compiled, Unsure> {
        match kind {
            // Wrong by the rules of PCRE, too.
            ErrorKind::GroupUnclosed
            | ErrorKind::GroupUnopened
            | ErrorKind::ClassRangeInvalid
            | ErrorKind::RepetitionCountInvalid => {}
            ErrorKind::RepetitionMissing if self.body.starts_with(['*', '+', '?']) => {}
            ErrorKind::NestLimitExceeded(_) => return Err(LARGE),
            _ => return Err(OTHER),
        }
        Ok(Compiled::Never("it is no valid expression"))
    }
}

// === impl Matcher ===

impl Matcher {
    pub(super) fn is_match(&self, text: &str, work: &Work) -> Result<bool, Unsure> {
        work.spend(text.len())?;
        if self.has_lines && text.ends_with('\n') {
            return Err(LINES);
        }
        if self.is_for_ascii && !text.is_ascii() {
            return Err(WORDS);
        }
        Ok(self.regex.is_match(text.as_bytes()))
    }
}

/// What was found in an expression.
#[derive(Clone, Copy, Default)]
struct Found {
    /// `^` or `$`.
    lines: bool,
    /// A class of characters that is larger outside ASCII, or the edge of a word.
    words: bool,
}

/// Goes through an expression and stops at what PCRE means otherwise.
struct Known {
    is_unicode: bool,
    found: Found,
}

// === impl Known ===

impl Visitor for Known {
    type Output = Found;
    type Err = Unsure;

    fn finish(self) -> Result<Found, Unsure> {
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Unsure> {
        match ast {
            Ast::Flags(flags) => check_flags(&flags.flags.items),
            Ast::Group(group) => match group.flags() {
                Some(flags) => check_flags(&flags.items),
                None => Ok(()),
            },
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::StartLine | AssertionKind::EndLine => {
                    self.found.lines = true;
                    Ok(())
                }
                AssertionKind::StartText | AssertionKind::EndText => Ok(()),
                AssertionKind::WordBoundary | AssertionKind::NotWordBoundary => {
                    self.found.words = true;
                    Ok(())
                }
                _ => Err(OTHER),
            },
            Ast::Repetition(repetition) => {
                let is_known = match &*repetition.ast {
                    // Possessive in PCRE.
                    Ast::Repetition(_) | Ast::Assertion(_) | Ast::Flags(_) | Ast::Empty(_) => false,
                    // There a byte is repeated.
                    Ast::Literal(literal) => self.is_unicode || literal.c.is_ascii(),
                    _ => true,
                };
                is_known.then_some(()).ok_or(OTHER)
            }
            Ast::Literal(literal) => check_literal(&literal.kind),
            Ast::ClassPerl(class) => self.perl(class),
            Ast::ClassUnicode(class) => self.unicode(&class.kind),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Unsure> {
        match item {
            ClassSetItem::Literal(literal) => check_literal(&literal.kind),
            ClassSetItem::Range(range) => {
                check_literal(&range.start.kind)?;
                check_literal(&range.end.kind)
            }
            ClassSetItem::Ascii(_) => {
                self.found.words = true;
                Ok(())
            }
            ClassSetItem::Perl(class) => self.perl(class),
            ClassSetItem::Unicode(class) => self.unicode(&class.kind),
            // A bracket in a class is a bracket in PCRE.
            ClassSetItem::Bracketed(_) => Err(OTHER),
            ClassSetItem::Empty(_) | ClassSetItem::Union(_) => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ClassSetBinaryOp) -> Result<(), Unsure> {
        Err(OTHER)
    }
}

impl Known {
    fn new(is_unicode: bool) -> Self {
        Self {
            is_unicode,
            found: Found::default(),
        }
    }

    fn perl(&mut self, class: &ClassPerl) -> Result<(), Unsure> {
        self.found.words |= class.kind != ClassPerlKind::Digit;
        Ok(())
    }

    fn unicode(&self, kind: &ClassUnicodeKind) -> Result<(), Unsure> {
        let is_known = match kind {
            ClassUnicodeKind::OneLetter(letter) => {
                CATEGORIES.contains(&&*letter.encode_utf8(&mut [0; 4]))
            }
            ClassUnicodeKind::Named(name) => CATEGORIES.contains(&name.as_str()),
            ClassUnicodeKind::NamedValue { .. } => false,
        };
        (is_known && self.is_unicode).then_some(()).ok_or(OTHER)
    }
}

fn check_flags(items: &[FlagsItem]) -> Result<(), Unsure> {
    let is_known = items.iter().all(|item| match item.kind {
        FlagsItemKind::Negation => true,
        FlagsItemKind::Flag(flag) => matches!(
            flag,
            Flag::CaseInsensitive | Flag::MultiLine | Flag::DotMatchesNewLine | Flag::SwapGreed
        ),
    });
    is_known.then_some(()).ok_or(OTHER)
}

fn check_literal(kind: &LiteralKind) -> Result<(), Unsure> {
    match kind {
        // A class of blanks in PCRE, and `\u` does not exist there.
        LiteralKind::Special(SpecialLiteralKind::VerticalTab) => Err(OTHER),
        LiteralKind::HexFixed(HexLiteralKind::X)
        | LiteralKind::HexBrace(HexLiteralKind::X)
        | LiteralKind::Verbatim
        | LiteralKind::Meta
        | LiteralKind::Superfluous
        | LiteralKind::Special(_) => Ok(()),
        _ => Err(OTHER),
    }
}
