//! Counts by kind, code and size, in constant memory.

use std::collections::BTreeMap;
use std::io::{self, Write};

use portreeve::game::DecodeError;

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
    kinds: BTreeMap<Class, Count>,
    codes: BTreeMap<Class, Count>,
    /// By the number of bits of the size.
    sizes: BTreeMap<u32, Count>,
}

/// The number of a kind or a code, for the order of the schema, and its name.
type Class = (i64, &'static str);

const UNKNOWN: Class = (i64::MAX - 1, "unknown");
const ABSENT: Class = (i64::MAX, "none");

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
                let bits = usize::BITS - size.leading_zeros();
                self.sizes.entry(bits).or_default().add(size);
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
            let kind = match response.kind() {
                Some(kind) => (kind.number().into(), kind.name()),
                None if response.extensions().next().is_some() => UNKNOWN,
                None => ABSENT,
            };
            self.kinds.entry(kind).or_default().add(size);
            let code = match response.code() {
                Some(code) => (code.number().into(), code.name()),
                None if response.raw_code().is_some() => UNKNOWN,
                None => ABSENT,
            };
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
        section(out, "TYPE", &self.types, |name| (*name).to_owned())?;
        section(out, "PAYLOAD", &self.kinds, |(_, name)| (*name).to_owned())?;
        section(out, "CODE", &self.codes, |(_, name)| (*name).to_owned())?;
        section(out, "COMMAND OR EVENT", &self.contents, |name| {
            (*name).to_owned()
        })?;
        section(out, "SIZE", &self.sizes, sizes_of)?;
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

/// The sizes with this number of bits: 0, 1, 2 to 3, 4 to 7 and so on.
fn sizes_of(bits: &u32) -> String {
    match bits {
        0 => "0".to_owned(),
        1 => "1".to_owned(),
        bits => format!("{} to {}", 1_u128 << (bits - 1), (1_u128 << bits) - 1),
    }
}

/// Prints the rows; nothing if there are none.
fn section<K>(
    out: &mut impl Write,
    title: &str,
    rows: &BTreeMap<K, Count>,
    name: impl Fn(&K) -> String,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    head(out, title)?;
    rows.iter()
        .try_for_each(|(key, count)| row(out, &name(key), count))
}

fn head(out: &mut impl Write, title: &str) -> io::Result<()> {
    writeln!(
        out,
        "{title:<40} {:>12} {:>15} {:>12}",
        "COUNT", "BYTES", "LARGEST"
    )
}

fn row(out: &mut impl Write, name: &str, count: &Count) -> io::Result<()> {
    let Count {
        messages,
        bytes,
        largest,
    } = count;
    writeln!(out, "{name:<40} {messages:>12} {bytes:>15} {largest:>12}")
}
