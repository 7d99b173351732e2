//! docs/TROUBLESHOOTING.md: its table of messages is printed from the advice in the table of errors.
//!
//! `PORTREEVE_PRINT_DOCS=1 cargo test --test openapi troubleshooting` updates the page; without the variable the test
//! fails if the two differ.

use std::fs;

use crate::table::{literal, messages, rows};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/TROUBLESHOOTING.md");

/// The table is the last part of the page.
const BEGIN: &str = "<!-- printed from the table of errors -->\n";

/// How many words of a message suffice to find it.
const WORDS: usize = 8;

#[test]
fn the_page_has_the_advice_of_the_table_of_errors() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, _) = page.split_once(BEGIN).expect("the table begins");
    let lines: Vec<_> = rows().filter_map(line).collect();
    assert!(lines.len() > 20, "{lines:#?}");
    let table = format!("\n| message | what to do |\n|---|---|\n{}\n", lines.join("\n"));
    let printed = format!("{before}{BEGIN}{table}");
    if std::env::var_os("PORTREEVE_PRINT_DOCS").is_some() {
        fs::write(PAGE, &printed).unwrap();
    } else {
        assert_eq!(page, printed, "print it with PORTREEVE_PRINT_DOCS=1");
    }
}

/// The line of a row that has advice.
fn line(row: &str) -> Option<String> {
    let at = row.ends_with('"').then(|| row.rfind(", \""))??;
    let advice = literal(&row[at + 2..])?;
    let messages: Vec<_> = messages(row).into_iter().map(|(text, _)| shortened(&text)).collect();
    assert!(!messages.is_empty(), "{row}");
    Some(format!("| {} | {advice} |", messages.join("<br>")))
}

/// The beginning of a message, and `…` for what follows or varies.
fn shortened(message: &str) -> String {
    let words: Vec<_> = message.split(' ').take(WORDS).take_while(|it| !it.contains('{')).collect();
    let begin = words.join(" ");
    let rest = if begin.len() < message.len() { "…" } else { "" };
    format!("`{}{rest}`", begin.trim_end_matches([':', ',', ';']))
}
