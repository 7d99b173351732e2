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
        let mut visitor = Self {
            writer,
            is_empty: true,
            result: Ok(()),
        };
        fields.record(&mut visitor);
        visitor.result
    }

    /// Delegates a field to the default.
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
mod tests {
    use std::io::{self, Seek as _};
    use std::sync::Arc;

    use tracing_subscriber::fmt::format::DefaultFields;

    use super::*;

    /// The output for all kinds of spans and lines, with and without styles.
    fn written<F>(fields: F, ansi: bool) -> String
    where
        F: for<'w> FormatFields<'w> + Send + Sync + 'static,
    {
        let file = Arc::new(tempfile::tempfile().unwrap());
        let subscriber = tracing_subscriber::fmt()
            .without_time()
            .with_ansi(ansi)
            .fmt_fields(fields)
            .with_writer(file.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            let late = tracing::field::Empty;
            let span = tracing::info_span!("outer", id = %"a-1", text = "a \"b\"\n", late);
            let _outer = span.enter();
            tracing::info!("in \x1b[1mone");
            span.record("late", 7);
            let inner =
                tracing::info_span!("inner", r#type = ?Some(1.5), none = Option::<u8>::None);
            let _inner = inner.enter();
            let cause = io::Error::other("a \x1b cause");
            let error = io::Error::other(io::Error::new(io::ErrorKind::NotFound, cause));
            let error = &error as &(dyn Error + 'static);
            tracing::info!(error, is_it = true, "told");
            tracing::info!(message = "by name", message_id = 1);
            tracing::info!(number = u64::MAX);
        });
        (&*file).rewind().unwrap();
        io::read_to_string(&*file).unwrap()
    }

    #[test]
    fn lines_are_those_of_the_default() {
        for ansi in [false, true] {
            let plain = written(Fields, ansi);
            assert_eq!(plain, written(DefaultFields::new(), ansi));
            assert_eq!(plain.lines().count(), 4, "{plain}");
        }
    }
}
