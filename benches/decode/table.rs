//! Tables, in Markdown.
use crate::workload::Workload;

/// A line of a table: a decoder and its value for each workload.
pub struct Row {
    pub name: String,
    pub values: Vec<Option<f64>>,
}

/// Prints a table with a column for each workload.
pub fn print(title: &str, workloads: &[Workload], rows: &[Row]) {
    println!("\n{title}\n");
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            row.values
                .iter()
                .map(|value| value.map_or_else(|| "-".into(), short))
                .collect()
        })
        .collect();
    let widths: Vec<usize> = (0..workloads.len())
        .map(|column| {
            let longest = cells
                .iter()
                .map(|cells| cells[column].len())
                .max()
                .unwrap_or(0);
            longest.max(workloads[column].name.len())
        })
        .collect();
    print!("| {:width$} |", "");
    for (workload, width) in workloads.iter().zip(&widths) {
        print!(" {:>width$} |", workload.name);
    }
    print!("\n|-{:-<width$}-|", "");
    for width in &widths {
        print!("-{:->width$}:|", "");
    }
    println!();
    for (row, cells) in rows.iter().zip(&cells) {
        print!("| {:width$} |", row.name);
        for (cell, width) in cells.iter().zip(&widths) {
            print!(" {cell:>width$} |");
        }
        println!();
    }
}

/// A ratio of two rows, as a row.
pub fn ratio(name: &str, row: &Row, to: &Row) -> Row {
    let values = row.values.iter().zip(&to.values);
    let values = values.map(|(value, to)| Some((*value)? / (*to)?)).collect();
    Row {
        name: name.to_owned(),
        values,
    }
}

/// The lowest value of each column among rows, as a row.
pub fn best(name: &str, rows: &[Row]) -> Row {
    let columns = rows.first().map_or(0, |row| row.values.len());
    let lowest = |column: usize| {
        rows.iter()
            .filter_map(|row| row.values[column])
            .min_by(f64::total_cmp)
    };
    Row {
        name: name.to_owned(),
        values: (0..columns).map(lowest).collect(),
    }
}

/// Three figures or all before the point, thousands apart.
fn short(value: f64) -> String {
    if value < 10.0 {
        return format!("{value:.2}")
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned();
    }
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
