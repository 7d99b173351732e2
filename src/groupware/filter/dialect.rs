//! The differences between the server's regular expressions and those of the engine used here.
//!
//! Most expressions mean the same in both. This module finds those that do not, before an expression is
//! translated, and counts what its translation takes.

use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSetBinaryOp, ClassSetItem, Flag, FlagsItem,
    FlagsItemKind, HexLiteralKind, LiteralKind, SpecialLiteralKind, Visitor, visit,
};

use super::work::{Halt, Work};

/// The steps of building a Unicode class from its table.
const UNICODE_CLASS: usize = 8_000;

pub(super) const OTHER: Halt = Halt::Undecidable(
    "the pattern has what only the server understands: look-around, a back reference, a possessive \
     part or the like",
);

/// Properties of an expression. Visits it, and stops at a part that PCRE interprets differently.
pub(super) struct Dialect {
    is_unicode: bool,
    ignores_case: bool,
    pub(super) has_lines: bool,
    /// Whether it has a class of characters that is larger outside ASCII, or a word boundary.
    pub(super) has_words: bool,
    pub(super) work: usize,
}

impl Visitor for Dialect {
    type Output = Self;
    type Err = Halt;

    fn finish(self) -> Result<Self, Halt> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Halt> {
        match ast {
            Ast::Flags(flags) => self.flags(&flags.flags.items),
            Ast::Group(group) => group.flags().map_or(Ok(()), |flags| self.flags(&flags.items)),
            Ast::Assertion(assertion) => {
                match assertion.kind {
                    AssertionKind::StartLine | AssertionKind::EndLine => self.has_lines = true,
                    AssertionKind::StartText | AssertionKind::EndText => {}
                    AssertionKind::WordBoundary | AssertionKind::NotWordBoundary => {
                        self.has_words = true;
                    }
                    _ => return Err(OTHER),
                }
                Ok(())
            }
            Ast::Repetition(repetition) => {
                let is_known = match &*repetition.ast {
                    // Possessive in PCRE.
                    Ast::Repetition(_) | Ast::Assertion(_) | Ast::Flags(_) | Ast::Empty(_) => false,
                    // In PCRE, only the last byte is repeated.
                    Ast::Literal(literal) => self.is_unicode || literal.c.is_ascii(),
                    _ => true,
                };
                if is_known { Ok(()) } else { Err(OTHER) }
            }
            Ast::Literal(literal) => check_literal(&literal.kind),
            Ast::ClassPerl(class) => self.perl(class),
            Ast::ClassUnicode(_) => Err(OTHER),
            _ => Ok(()),
        }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Halt> {
        // Finding the other letter case of thousands of characters takes long.
        let is_cheap = match item {
            ClassSetItem::Range(range) => range.end.c.is_ascii(),
            ClassSetItem::Literal(_) | ClassSetItem::Empty(_) | ClassSetItem::Union(_) => true,
            _ => false,
        };
        if self.is_unicode && self.ignores_case && !is_cheap {
            return Err(Work::TOO_MUCH);
        }
        match item {
            ClassSetItem::Literal(literal) => check_literal(&literal.kind),
            ClassSetItem::Range(range) => {
                check_literal(&range.start.kind)?;
                check_literal(&range.end.kind)
            }
            ClassSetItem::Ascii(_) => {
                self.has_words = true;
                Ok(())
            }
            ClassSetItem::Perl(class) => self.perl(class),
            // In PCRE, a bracket in a class is a literal.
            ClassSetItem::Bracketed(_) | ClassSetItem::Unicode(_) => Err(OTHER),
            ClassSetItem::Empty(_) | ClassSetItem::Union(_) => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ClassSetBinaryOp) -> Result<(), Halt> {
        Err(OTHER)
    }
}

impl Dialect {
    /// Analyzes an expression. Fails if PCRE interprets part of it differently.
    pub(super) fn analyze(ast: &Ast, is_unicode: bool, ignores_case: bool) -> Result<Self, Halt> {
        let nothing =
            Self { is_unicode, ignores_case, has_lines: false, has_words: false, work: 0 };
        visit(ast, nothing)
    }

    fn flags(&mut self, items: &[FlagsItem]) -> Result<(), Halt> {
        for item in items {
            match item.kind {
                FlagsItemKind::Flag(Flag::CaseInsensitive) => self.ignores_case = true,
                FlagsItemKind::Negation
                | FlagsItemKind::Flag(
                    Flag::MultiLine | Flag::DotMatchesNewLine | Flag::SwapGreed,
                ) => {}
                FlagsItemKind::Flag(_) => return Err(OTHER),
            }
        }
        Ok(())
    }

    fn perl(&mut self, class: &ClassPerl) -> Result<(), Halt> {
        self.has_words |= class.kind != ClassPerlKind::Digit;
        if self.is_unicode {
            self.work = self.work.saturating_add(UNICODE_CLASS);
        }
        Ok(())
    }
}

fn check_literal(kind: &LiteralKind) -> Result<(), Halt> {
    match kind {
        // In PCRE these are a class of white space, and `\u` does not exist.
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
