//! The differences between the server's regular expressions and those of the engine used here.
//!
//! Most expressions mean the same in both. This module finds those that do not, before an expression is
//! compiled, and estimates its size.

use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSetBinaryOp, ClassSetItem, ClassUnicodeKind,
    Flag, FlagsItem, FlagsItemKind, HexLiteralKind, LiteralKind, RepetitionKind, RepetitionRange,
    SpecialLiteralKind, Visitor, visit,
};

use super::work::Undecidable;

/// The estimated number of states of a Unicode class.
const UNICODE_CLASS: usize = 700;

/// The general categories of Unicode that PCRE and the engine here have in common.
const CATEGORIES: &[&str] = &[
    "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N", "Nd", "Nl", "No", "P", "Pc",
    "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs",
];

pub(super) const OTHER: Undecidable = Undecidable(
    "the pattern has what only the server understands: look-around, a back reference, a possessive \
     part or the like",
);
/// Properties of an expression.
#[derive(Clone, Copy, Default)]
pub(super) struct Found {
    /// `^` or `$`.
    pub(super) lines: bool,
    /// A class of characters that is larger outside ASCII, or a word boundary.
    pub(super) words: bool,
    /// The approximate number of states it compiles to.
    pub(super) states: usize,
}

// === impl Found ===

impl Found {
    /// Analyzes an expression. Fails if PCRE interprets part of it differently.
    pub(super) fn in_expression(ast: &Ast, is_unicode: bool) -> Result<Self, Undecidable> {
        visit(ast, Known::new(is_unicode))
    }
}

/// Visits an expression, and stops at a part that PCRE interprets differently.
struct Known {
    is_unicode: bool,
    found: Found,
    /// How often the visited part is repeated, and the same for the parts around it.
    times: usize,
    outer: Vec<usize>,
}

// === impl Known ===

impl Visitor for Known {
    type Output = Found;
    type Err = Undecidable;

    fn finish(self) -> Result<Found, Undecidable> {
        Ok(self.found)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Undecidable> {
        let states = match ast {
            Ast::ClassPerl(_) | Ast::ClassUnicode(_) if self.is_unicode => UNICODE_CLASS,
            Ast::Dot(_) | Ast::ClassBracketed(_) if self.is_unicode => 40,
            Ast::Literal(_) if self.is_unicode => 8,
            _ => 2,
        };
        self.add(states);
        match ast {
            Ast::Flags(flags) => check_flags(&flags.flags.items),
            Ast::Group(group) => group
                .flags()
                .map_or(Ok(()), |flags| check_flags(&flags.items)),
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
                self.outer.push(self.times);
                let most = match repetition.op.kind {
                    RepetitionKind::Range(
                        RepetitionRange::Exactly(most)
                        | RepetitionRange::AtLeast(most)
                        | RepetitionRange::Bounded(_, most),
                    ) => usize::try_from(most).unwrap_or(usize::MAX),
                    _ => 1,
                };
                self.times = self.times.saturating_mul(most.max(1));
                let is_known = match &*repetition.ast {
                    // Possessive in PCRE.
                    Ast::Repetition(_) | Ast::Assertion(_) | Ast::Flags(_) | Ast::Empty(_) => false,
                    // In PCRE, only the last byte is repeated.
                    Ast::Literal(literal) => self.is_unicode || literal.c.is_ascii(),
                    _ => true,
                };
                known(is_known)
            }
            Ast::Literal(literal) => check_literal(&literal.kind),
            Ast::ClassPerl(class) => self.perl(class),
            Ast::ClassUnicode(class) => self.unicode(&class.kind),
            _ => Ok(()),
        }
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), Undecidable> {
        if let Ast::Repetition(_) = ast {
            self.times = self.outer.pop().unwrap_or(1);
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Undecidable> {
        match item {
            ClassSetItem::Ascii(_) | ClassSetItem::Perl(_) | ClassSetItem::Unicode(_)
                if self.is_unicode =>
            {
                self.add(UNICODE_CLASS);
            }
            _ => {}
        }
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
            // In PCRE, a bracket in a class is a literal.
            ClassSetItem::Bracketed(_) => Err(OTHER),
            ClassSetItem::Empty(_) | ClassSetItem::Union(_) => Ok(()),
        }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &ClassSetBinaryOp) -> Result<(), Undecidable> {
        Err(OTHER)
    }
}

impl Known {
    fn new(is_unicode: bool) -> Self {
        Self {
            is_unicode,
            found: Found::default(),
            times: 1,
            outer: Vec::new(),
        }
    }

    fn add(&mut self, states: usize) {
        let states = states.saturating_mul(self.times);
        self.found.states = self.found.states.saturating_add(states);
    }

    fn perl(&mut self, class: &ClassPerl) -> Result<(), Undecidable> {
        self.found.words |= class.kind != ClassPerlKind::Digit;
        Ok(())
    }

    fn unicode(&self, kind: &ClassUnicodeKind) -> Result<(), Undecidable> {
        let is_known = match kind {
            ClassUnicodeKind::OneLetter(letter) => {
                CATEGORIES.contains(&&*letter.encode_utf8(&mut [0; 4]))
            }
            ClassUnicodeKind::Named(name) => CATEGORIES.contains(&name.as_str()),
            ClassUnicodeKind::NamedValue { .. } => false,
        };
        known(is_known && self.is_unicode)
    }
}

fn known(is_known: bool) -> Result<(), Undecidable> {
    if is_known { Ok(()) } else { Err(OTHER) }
}

fn check_flags(items: &[FlagsItem]) -> Result<(), Undecidable> {
    let is_known = items.iter().all(|item| match item.kind {
        FlagsItemKind::Negation => true,
        FlagsItemKind::Flag(flag) => matches!(
            flag,
            Flag::CaseInsensitive | Flag::MultiLine | Flag::DotMatchesNewLine | Flag::SwapGreed
        ),
    });
    known(is_known)
}

fn check_literal(kind: &LiteralKind) -> Result<(), Undecidable> {
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
