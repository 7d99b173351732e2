//! The subset of SVG that a chart needs: rectangles, lines and text, with classes for the colours.
use std::fmt::{self, Write as _};

/// A drawing to which each call adds an element. Lengths are in pixels, from the upper left corner.
#[derive(Default)]
pub(crate) struct Drawing(String);

/// How a text is anchored at its position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    /// The text begins at the position.
    Start,
    /// The text ends at the position.
    End,
}

/// Text whose special characters are escaped for XML.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

// === impl Drawing ===

impl Drawing {
    pub(crate) fn rectangle(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        writeln!(
            self.0,
            r#"  <rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#
        )
        .expect("a string takes any text");
    }

    /// A vertical line.
    pub(crate) fn line(&mut self, class: &str, x: f64, from: f64, to: f64) {
        writeln!(
            self.0,
            r#"  <line class="{class}" x1="{x:.1}" y1="{from:.1}" x2="{x:.1}" y2="{to:.1}"/>"#
        )
        .expect("a string takes any text");
    }

    /// A line of text on the base line `y`, made of pieces with a class each.
    pub(crate) fn text(&mut self, anchor: Anchor, x: f64, y: f64, pieces: &[(&str, &str)]) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::End => "end",
        };
        write!(
            self.0,
            r#"  <text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">"#
        )
        .expect("a string takes any text");
        for (number, (class, text)) in pieces.iter().enumerate() {
            let gap = if number == 0 { "" } else { r#" dx="7""# };
            write!(
                self.0,
                r#"<tspan class="{class}"{gap}>{}</tspan>"#,
                Escaped(text)
            )
            .expect("a string takes any text");
        }
        self.0.push_str("</text>\n");
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

// === impl Escaped ===

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}
