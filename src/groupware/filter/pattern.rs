//! Regular expressions in a filter, as the server interprets them.
//!
//! The server uses PCRE, which backtracks. Here they are matched in linear time, and each step is counted. Expressions
//! that this engine does not interpret as PCRE does, such as look-around or back references, are undecidable.

use regex_syntax::ast::ErrorKind;
use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::hir::translate::TranslatorBuilder;

use super::dialect::{Dialect, OTHER};
use super::expression::{Expression, LARGE};
use super::node::Node;
use super::work::{Halt, Work};

const MAX_DEPTH: u32 = 50;

/// The steps of parsing and translating a byte, and of what each pattern takes at least.
const PARSING: usize = 100;
const PER_PATTERN: usize = 1_000;

/// The steps of preparing the compiler for characters outside ASCII.
const UNICODE: usize = 15_000;

const WORDS: Halt = Halt::Undecidable(
    "\\w, \\s and \\b stand for other characters at the server in text outside ASCII",
);
const LINES: Halt = Halt::Undecidable(
    "the text ends with a line break, where ^ and $ stand for something else at the server",
);

/// A text of the form `/…/flags`.
#[derive(Clone, Copy)]
pub(super) struct Pattern<'t> {
    body: &'t str,
    flags: &'t str,
}

#[derive(Debug)]
pub(super) enum Compiled {
    /// The server cannot compile it, and treats that as no match.
    Never(&'static str),
    Matcher(Matcher),
}

/// An expression, and the texts on which its result may differ from PCRE's.
#[derive(Debug)]
pub(super) struct Matcher {
    expression: Expression,
    has_lines: bool,
    is_for_ascii: bool,
}

// === impl Pattern ===

impl<'t> Pattern<'t> {
    /// The pattern of an operand; `None` if the server treats it as a plain value.
    pub(super) fn parse(operand: &'t Node) -> Option<Self> {
        let Node::Text(text) = operand else {
            return None;
        };
        let rest = text.strip_prefix('/')?;
        // `$` also matches before the last line break.
        let inner = rest.strip_suffix('\n').unwrap_or(rest);
        let (body, flags) = inner.rsplit_once('/')?;
        let is_pattern = flags.bytes().all(|flag| flag.is_ascii_alphabetic());
        (is_pattern && !body.contains('\n')).then_some(Self { body, flags })
    }

    /// Compiles it, unless its meaning here may differ from that at the server.
    pub(super) fn compile(self, work: &Work) -> Result<Compiled, Halt> {
        if let Some(reason) = self.fault() {
            return Ok(Compiled::Never(reason));
        }
        let has = |flag| self.flags.contains(flag);
        if has('x') || has('X') || has('J') || has('n') {
            return Err(OTHER);
        }
        work.spend(PER_PATTERN + PARSING * self.body.len())?;
        let mut parser = ParserBuilder::new().nest_limit(MAX_DEPTH).build();
        let ast = match parser.parse(self.body) {
            Ok(ast) => ast,
            Err(error) => return self.unreadable(error.kind()).map(Compiled::Never),
        };
        let is_unicode = has('u');
        if is_unicode {
            work.spend(UNICODE)?;
        }
        let dialect = Dialect::analyze(&ast, is_unicode, has('i'))?;
        work.spend(dialect.work)?;
        let hir = TranslatorBuilder::new()
            .utf8(false)
            .unicode(is_unicode)
            .case_insensitive(has('i'))
            .multi_line(has('m'))
            .dot_matches_new_line(has('s'))
            .build()
            .translate(self.body, &ast)
            .map_err(|_| OTHER)?;
        Ok(Compiled::Matcher(Matcher {
            expression: Expression::compile(&hir, has('A'), work)?,
            has_lines: dialect.has_lines,
            is_for_ascii: is_unicode && dialect.has_words,
        }))
    }

    /// The reason why the server cannot parse it, if any.
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

    /// The result for an expression that cannot be parsed here.
    fn unreadable(self, kind: &ErrorKind) -> Result<&'static str, Halt> {
        match kind {
            // Invalid in PCRE as well.
            ErrorKind::GroupUnclosed
            | ErrorKind::GroupUnopened
            | ErrorKind::ClassRangeInvalid
            | ErrorKind::RepetitionCountInvalid => {}
            ErrorKind::RepetitionMissing if self.body.starts_with(['*', '+', '?']) => {}
            ErrorKind::NestLimitExceeded(_) => return Err(LARGE),
            _ => return Err(OTHER),
        }
        Ok("it is not a valid expression")
    }
}

// === impl Matcher ===

impl Matcher {
    pub(super) fn is_match(&self, text: &str, work: &Work) -> Result<bool, Halt> {
        if self.has_lines && text.ends_with('\n') {
            return Err(LINES);
        }
        if self.is_for_ascii && !text.is_ascii() {
            return Err(WORDS);
        }
        self.expression.is_match(text.as_bytes(), work)
    }
}
