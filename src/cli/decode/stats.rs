//! Counts by kind, code and size, in constant memory.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use portreeve::game::{DecodeError, PayloadKind, Response, ResponseCode};

use super::content::Content;
use super::item::{Item, Unreadable};
use super::terminal::printable;

/// How many unreadable messages are listed; the rest is only counted.
const LISTED: usize = 100;
/// Classes of sizes: 0, 1, 2 to 3, 4 to 7 and so on.
const SIZES: usize = usize::BITS as usize + 1;
/// One more for unknown kinds, and one for absent ones.
const KINDS: usize = PayloadKind::ALL.len() + 2;
const CODES: usize = ResponseCode::ALL.len() + 2;

/// The statistics.
pub(super) struct Stats {
    all: Count,
    bad: Count,
    /// The unreadable messages: their offsets in the input, and the errors.
    faults: Vec<(usize, String)>,
    /// By names of the schema, which bound their number.
    types: BTreeMap<&'static str, Count>,
    contents: BTreeMap<&'static str, Count>,
    kinds: [Count; KINDS],
    codes: [Count; CODES],
    sizes: [Count; SIZES],
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
                let class = (usize::BITS - size.leading_zeros()) as usize;
                self.sizes[class].add(size);
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
            self.kinds[kind_class(&response)].add(size);
            self.codes[code_class(&response)].add(size);
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
        section(out, "TYPE", self.types.keys(), self.types.values())?;
        let kinds = PayloadKind::ALL.iter().map(|kind| kind.name());
        section(
            out,
            "PAYLOAD",
            kinds.chain(["unknown", "none"]),
            &self.kinds,
        )?;
        let codes = ResponseCode::ALL.iter().map(|code| code.name());
        section(out, "CODE", codes.chain(["unknown", "none"]), &self.codes)?;
        section(
            out,
            "COMMAND OR EVENT",
            self.contents.keys(),
            self.contents.values(),
        )?;
        section(out, "SIZE", (0..SIZES).map(SizeClass), &self.sizes)?;
        self.print_faults(out)
    }

    fn print_faults(&self, out: &mut impl Write) -> io::Result<()> {
        if self.faults.is_empty() {
            return Ok(());
        }
        writeln!(out, "\n{:<40} REASON", "UNREADABLE AT")?;
        for (offset, reason) in &self.faults {
            writeln!(out, "{offset:<40} {}", printable(reason))?;
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

impl Default for Stats {
    fn default() -> Self {
        Self {
            all: Count::default(),
            bad: Count::default(),
            faults: Vec::new(),
            types: BTreeMap::new(),
            contents: BTreeMap::new(),
            kinds: [Count::default(); KINDS],
            codes: [Count::default(); CODES],
            sizes: [Count::default(); SIZES],
        }
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

fn kind_class(response: &Response<'_>) -> usize {
    let all = PayloadKind::ALL;
    match response.kind() {
        // The list is in the order of the numbers.
        Some(kind) => all.partition_point(|&other| other < kind),
        None if response.extensions().next().is_some() => all.len(),
        None => all.len() + 1,
    }
}

fn code_class(response: &Response<'_>) -> usize {
    let all = ResponseCode::ALL;
    match (response.code(), response.raw_code()) {
        (Some(code), _) => all.partition_point(|&other| other < code),
        (None, Some(_)) => all.len(),
        (None, None) => all.len() + 1,
    }
}

struct SizeClass(usize);

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

/// Prints the rows with nonzero counts; nothing if there are none.
fn section<'c, T: fmt::Display>(
    out: &mut impl Write,
    title: &str,
    names: impl Iterator<Item = T>,
    counts: impl IntoIterator<Item = &'c Count>,
) -> io::Result<()> {
    let mut rows = names
        .zip(counts)
        .filter(|(_, count)| count.messages > 0)
        .peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(out)?;
    head(out, title)?;
    rows.try_for_each(|(name, count)| row(out, name, count))
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
