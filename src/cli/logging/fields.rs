//! Formats fields like the default of tracing-subscriber, but faster.
//!
//! Each request has a span, whose fields are formatted at its start so that warnings can include them. The default
//! writes a style before and after each name, even without styles, which is a third of the cost of a span.

use std::error::Error;
use std::fmt::{self, Debug};

use tracing::field::{Field, Visit};
use tracing_subscriber::field::{RecordFields, VisitOutput as _};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultVisitor, Writer};

/// Bytes that the fields of most spans fit into.
const USUAL_LEN: usize = 128;

/// `name=value`, separated by blanks.
pub(super) struct Fields;

// === impl Fields ===

impl<'w> FormatFields<'w> for Fields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        if writer.has_ansi_escapes() {
            return Visitor::format(writer, fields);
        }
        // The text of a span, which begins empty, would otherwise grow several times.
        let mut text = String::with_capacity(USUAL_LEN);
        Visitor::format(Writer::new(&mut text), fields)?;
        writer.write_str(&text)
    }
}

struct Visitor<'w> {
    writer: Writer<'w>,
    is_empty: bool,
    result: fmt::Result,
}

// === impl Visitor ===

impl<'w> Visitor<'w> {
    fn format(writer: Writer<'w>, fields: impl RecordFields) -> fmt::Result {
        let mut visitor = Self { writer, is_empty: true, result: Ok(()) };
        fields.record(&mut visitor);
        visitor.result
    }

    fn by_default(&mut self, record: impl FnOnce(&mut DefaultVisitor<'_>)) {
        if self.result.is_ok() {
            let mut visitor = DefaultVisitor::new(self.writer.by_ref(), self.is_empty);
            record(&mut visitor);
            self.result = visitor.finish();
            self.is_empty = false;
        }
    }

    fn write(&mut self, name: &str, value: &dyn Debug) -> fmt::Result {
        if !self.is_empty {
            self.writer.write_char(' ')?;
        }
        self.is_empty = false;
        self.writer.write_str(name)?;
        self.writer.write_char('=')?;
        write!(self.writer, "{value:?}")
    }
}

impl Visit for Visitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "message" => self.by_default(|visitor| visitor.record_str(field, value)),
            _ => self.record_debug(field, &value),
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.by_default(|visitor| visitor.record_error(field, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let name = field.name();
        // The default escapes messages, strips `r#` and writes styles.
        if name == "message" || name.starts_with("r#") || self.writer.has_ansi_escapes() {
            self.by_default(|visitor| visitor.record_debug(field, value));
        } else if self.result.is_ok() {
            self.result = self.write(name, value);
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/log_fields.rs"]
mod tests;
