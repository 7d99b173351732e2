//! Formats numbers for readers: three significant figures, thousands separated.

/// Writes a value with three significant figures, or with all digits before the decimal point;
/// whole numbers without a fraction.
///
/// Values are counts, times or ratios: finite and not negative.
pub fn short(value: f64) -> String {
    if value.fract() != 0.0 {
        // By the rounded value, so that 9.996 becomes 10.0.
        if value < 9.995 {
            return format!("{value:.2}");
        }
        if value < 99.95 {
            return format!("{value:.1}");
        }
    }
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn three_figures_or_all_before_the_point() {
        let cases = [
            (0.0, "0"),
            (5.0, "5"),
            (0.768, "0.77"),
            (1.004, "1.00"),
            (9.996, "10.0"),
            (17.62, "17.6"),
            (99.96, "100"),
            (999.0, "999"),
            (1_000.4, "1,000"),
            (2_002_861.0, "2,002,861"),
        ];
        for (value, expected) in cases {
            assert_eq!(short(value), expected);
        }
    }
}
