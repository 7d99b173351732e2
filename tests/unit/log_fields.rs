//! Lines of the log have the format of the default.

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
        let inner = tracing::info_span!("inner", r#type = ?Some(1.5), none = Option::<u8>::None);
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
