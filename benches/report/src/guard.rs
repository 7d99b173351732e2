//! Compares counts with a checked-in file, so that growth is noticed.
//!
//! A line of the file is a name, a colon and a number. The file is written by the benchmark itself.

use std::path::Path;
use std::{fs, io};

use crate::{Row, Table};

/// How much a count may grow without being approved; callgrind's variation is a fraction of this.
const TOLERANCE: f64 = 0.02;

/// A count of this run, and its name.
pub type Count = (String, f64);

/// Prints the counts beside those in the file, which are replaced before if `update`.
///
/// # Errors
///
/// If one has grown by more than 2 % or the names are others, or if the file cannot be read or written.
pub fn hold(file: &Path, counts: &[Count], update: bool) -> io::Result<()> {
    if update {
        let lines = counts.iter().map(|(name, count)| format!("{name}: {count:.1}\n"));
        fs::write(file, lines.collect::<String>())?;
    }
    let known = read(&fs::read_to_string(file)?)?;
    let mut rows = Vec::new();
    let (mut grown, mut fallen, mut same_names) = (0, 0, known.len() == counts.len());
    for (name, count) in counts {
        let before = known.iter().find(|(known, _)| known == name);
        let before = before.map(|(_, before)| *before);
        same_names &= before.is_some();
        let ratio = before.map(|before| count / before);
        grown += usize::from(ratio.is_some_and(|ratio| ratio > 1.0 + TOLERANCE));
        fallen += usize::from(ratio.is_some_and(|ratio| ratio < 1.0 - TOLERANCE));
        rows.push(Row { name: name.clone(), values: vec![before, Some(*count), ratio] });
    }
    let table = Table {
        title: format!("Instructions, beside those in {}", file.display()),
        columns: vec!["checked in", "now", "÷"],
        rows,
    };
    println!("\n{table}");
    if fallen > 0 {
        println!(
            "{fallen} have fallen by more than 2 %: write the new ones, so that they stay there."
        );
    }
    if !same_names {
        return Err(io::Error::other("The file has other names than these."));
    }
    if grown > 0 {
        return Err(io::Error::other(format!("{grown} have grown by more than 2 %.")));
    }
    Ok(())
}

fn read(text: &str) -> io::Result<Vec<Count>> {
    let line = |line: &str| {
        let (name, count) = line.rsplit_once(": ")?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    text.lines()
        .map(|text| {
            line(text).ok_or_else(|| io::Error::other(format!("not a name and a number: {text:?}")))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(name: &str, count: f64) -> Count {
        (name.to_owned(), count)
    }

    #[test]
    fn two_percent_more_are_seen_and_so_are_other_names() {
        let folder = std::env::temp_dir().join(format!("bench-report-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("counts.txt");
        let counts = |a, b| [count("read: a", a), count("b", b)];
        hold(&file, &counts(1000.0, 65.3), true).unwrap();
        hold(&file, &counts(1019.0, 10.0), false).unwrap();
        hold(&file, &counts(1021.0, 65.3), false).unwrap_err();
        hold(&file, &counts(10.0, 67.0), false).unwrap_err();
        hold(&file, &counts(1000.0, 65.3)[..1], false).unwrap_err();
        let renamed = [count("read: a", 1000.0), count("c", 65.3)];
        hold(&file, &renamed, false).unwrap_err();
        fs::write(&file, "b: many\n").unwrap();
        hold(&file, &[], false).unwrap_err();
        fs::remove_dir_all(&folder).unwrap();
    }
}
