//! Counts by kind, code and size, in constant memory.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use portreeve::game::{DecodeError, PayloadKind, ResponseCode};

use super::content::Content;
use super::item::{Item, Unreadable};
use crate::cli::terminal::escape;

/// How many unreadable messages are listed; the rest is only counted.
const LISTED: usize = 100;

/// The statistics. The names and numbers of the schema bound how many rows there are.
#[derive(Default)]
pub(super) struct Stats {
    all: Count,
    bad: Count,
    /// The unreadable messages: their offsets in the input, and the errors.
    faults: Vec<(usize, String)>,
    types: BTreeMap<&'static str, Count>,
    contents: BTreeMap<&'static str, Count>,
    kinds: BTreeMap<Class<PayloadKind>, Count>,
    codes: BTreeMap<Class<ResponseCode>, Count>,
    sizes: BTreeMap<SizeClass, Count>,
}

#[derive(Clone, Copy, Default)]
struct Count {
    messages: u64,
    bytes: u64,
    largest: usize,
}

// === impl Stats ===

impl Stats {
    /// Counts a message; returns `false` if it cannot be read.
    #[inline]
    pub(super) fn add(
        &mut self,
        item: &Item<'_>,
        content: Result<Content<'_>, Unreadable>,
    ) -> bool {
        // An announced size that did not arrive is not counted.
        let size = item.message.as_ref().map_or(0, |bytes| bytes.len());
        self.all.add(size);
        let counted = content.map_err(|wrong| wrong.reason).and_then(|content| {
            let counted = self.count(&content, size);
            counted.map_err(|error| error.within(content.whole.root()).to_string())
        });
        match counted {
            Ok(()) => {
                let class = SizeClass(usize::BITS - size.leading_zeros());
                self.sizes.entry(class).or_default().add(size);
                true
            }
            Err(error) => {
                if self.faults.len() < LISTED {
                    self.faults.push((item.offset, error));
                }
                self.bad.add(size);
                false
            }
        }
    }

    #[inline]
    fn count(&mut self, content: &Content<'_>, size: usize) -> Result<(), DecodeError> {
        if let Some(response) = content.response()? {
            let is_unknown = response.extensions().next().is_some();
            let kind = Class::new(response.kind(), is_unknown);
            self.kinds.entry(kind).or_default().add(size);
            let code = Class::new(response.code(), response.raw_code().is_some());
            self.codes.entry(code).or_default().add(size);
        } else {
            content.names(&mut |name| self.contents.entry(name).or_default().add(size))?;
        }
        self.types.entry(content.type_name()).or_default().add(size);
        Ok(())
    }

    /// Prints the statistics.
    pub(super) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        head(out, "MESSAGES")?;
        row(out, "all", &self.all)?;
        row(out, "unreadable", &self.bad)?;
        section(out, "TYPE", &self.types)?;
        section(out, "PAYLOAD", &self.kinds)?;
        section(out, "CODE", &self.codes)?;
        section(out, "COMMAND OR EVENT", &self.contents)?;
        section(out, "SIZE", &self.sizes)?;
        self.print_faults(out)
    }

    fn print_faults(&self, out: &mut impl Write) -> io::Result<()> {
        if self.faults.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{:<40} REASON", "UNREADABLE AT")?;
        for (offset, reason) in &self.faults {
            writeln!(out, "{offset:<40} {}", escape(reason))?;
        }
        let others = self.bad.messages - self.faults.len() as u64;
        if others > 0 {
            writeln!(
                out,
                "and {others} more; `--format json` reports each in its place"
            )?;
        }
        Ok(())
    }
}

// === impl Count ===

impl Count {
    #[inline]
    fn add(&mut self, size: usize) {
        self.messages += 1;
        self.bytes += size as u64;
        self.largest = self.largest.max(size);
    }
}

/// A kind or a code, in the order of the schema.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Class<K> {
    Known(K),
    Unknown,
    Absent,
}

// === impl Class ===

impl<K> Class<K> {
    fn new(known: Option<K>, is_unknown: bool) -> Self {
        match known {
            Some(known) => Self::Known(known),
            None if is_unknown => Self::Unknown,
            None => Self::Absent,
        }
    }
}

impl<K: fmt::Display> fmt::Display for Class<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(known) => known.fmt(f),
            Self::Unknown => f.pad("unknown"),
            Self::Absent => f.pad("none"),
        }
    }
}

/// Sizes of as many bits: 0, 1, 2 to 3, 4 to 7 and so on.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct SizeClass(u32);

// === impl SizeClass ===

impl fmt::Display for SizeClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            0 => "0".to_owned(),
            1 => "1".to_owned(),
            class => format!("{} to {}", 1_u128 << (class - 1), (1_u128 << class) - 1),
        };
        f.pad(&text)
    }
}

/// Prints the rows; nothing if there are none.
fn section<T: fmt::Display>(
    out: &mut impl Write,
    title: &str,
    rows: &BTreeMap<T, Count>,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    head(out, title)?;
    rows.iter()
        .try_for_each(|(name, count)| row(out, name, count))
}

fn head(out: &mut impl Write, title: &str) -> io::Result<()> {
    writeln!(
        out,
        "{title:<40} {:>12} {:>15} {:>12}",
        "COUNT", "BYTES", "LARGEST"
    )
}

fn row(out: &mut impl Write, name: impl fmt::Display, count: &Count) -> io::Result<()> {
    let Count {
        messages,
        bytes,
        largest,
    } = count;
    writeln!(out, "{name:<40} {messages:>12} {bytes:>15} {largest:>12}")
}
