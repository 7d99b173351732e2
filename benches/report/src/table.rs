//! Tables in Markdown, with columns aligned as plain text too.
use std::fmt;

use crate::short;

/// A table: a name and numbers in each line.
pub struct Table {
    /// The title.
    pub title: String,
    /// The heads of the columns of numbers.
    pub columns: Vec<&'static str>,
    /// The lines, each with as many values as there are columns.
    pub rows: Vec<Row>,
}

/// A line of a table.
pub struct Row {
    /// The name of the row.
    pub name: String,
    /// A value for each column; `None` if there is nothing to measure.
    pub values: Vec<Option<f64>>,
}

// === impl Table ===

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells: Vec<Vec<String>> = self.rows.iter().map(Row::cells).collect();
        let names = self.rows.iter().map(|row| row.name.chars().count());
        let first = names.max().unwrap_or(0);
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(column, head)| {
                let cells = cells.iter().map(|cells| cells[column].len());
                cells.max().unwrap_or(0).max(head.chars().count())
            })
            .collect();

        write!(f, "{}\n\n| {:first$} |", self.title, "")?;
        for (head, width) in self.columns.iter().zip(&widths) {
            write!(f, " {head:>width$} |")?;
        }
        write!(f, "\n|-{:-<first$}-|", "")?;
        for width in &widths {
            write!(f, "-{:->width$}:|", "")?;
        }
        writeln!(f)?;
        for (row, cells) in self.rows.iter().zip(&cells) {
            write!(f, "| {:first$} |", row.name)?;
            for (cell, width) in cells.iter().zip(&widths) {
                write!(f, " {cell:>width$} |")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

// === impl Row ===

impl Row {
    fn cells(&self) -> Vec<String> {
        let cell = |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), short);
        self.values.iter().map(cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, Table};

    #[test]
    fn columns_line_up() {
        let table = Table {
            title: "### µs".to_owned(),
            columns: vec!["a", "größer"],
            rows: vec![
                Row { name: "one".to_owned(), values: vec![Some(1_234.0), None] },
                Row { name: "sixteen".to_owned(), values: vec![Some(0.5), Some(16.0)] },
            ],
        };
        let expected = "\
### µs

|         |     a | größer |
|---------|------:|-------:|
| one     | 1,234 |      - |
| sixteen |  0.50 |     16 |
";
        assert_eq!(table.to_string(), expected);
    }
}
