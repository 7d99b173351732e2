//! Bar charts in SVG, for a README: text stays text, every bar is labelled with its number, and the
//! colours follow the reader's light or dark mode. Fonts are those of the reader's system, so nothing
//! here may depend on the width of a text.
use std::fmt::Write as _;

use crate::short;

const WIDTH: f64 = 840.0;
const MARGIN: f64 = 28.0;
/// The width of the names, to the left of the bars.
const NAMES: f64 = 160.0;
/// The width of the numbers, to the right of the longest bar.
const NUMBERS: f64 = 150.0;
/// The distance between two bars.
const STEP: f64 = 22.0;
const THICKNESS: f64 = 15.0;

/// Bars, in panels below each other.
pub struct Chart {
    /// The title.
    pub title: &'static str,
    /// The unit of the numbers, and which end of the scale is better.
    pub subtitle: &'static str,
    /// The parts, from above.
    pub panels: Vec<Panel>,
    /// Whether the longest bar of all panels sets the scale of them all, or each panel has a scale
    /// of its own. Scales begin at 0.
    pub one_scale: bool,
    /// The command that draws this chart again.
    pub command: &'static str,
}

/// Bars that are compared with the first of them.
pub struct Panel {
    /// The measured quantity.
    pub title: String,
    /// The same in more words.
    pub detail: &'static str,
    /// The bars, from above.
    pub bars: Vec<Bar>,
}

/// A number and its name.
pub struct Bar {
    /// The name; `portreeve` is highlighted.
    pub name: String,
    /// The value; finite and not negative.
    pub value: f64,
    /// The value in proportion to that of the first bar.
    pub ratio: f64,
}

// === impl Chart ===

impl Chart {
    /// The chart as the text of an SVG file.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut out = text("start", MARGIN, 40.0, &[("title", self.title)]);
        out += &text("start", MARGIN, 62.0, &[("soft", self.subtitle)]);
        let of_all = self.panels.iter().map(Panel::longest).fold(0.0, f64::max);
        let mut y = 96.0;
        for panel in &self.panels {
            let longest = if self.one_scale { of_all } else { panel.longest() };
            y = panel.draw(&mut out, y, longest) + 34.0;
        }
        out += &text("start", MARGIN, y - 4.0, &[("code", self.command)]);

        let height = y + 16.0;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title numbers">
  <title id="title">{title}</title>
  <desc id="numbers">{numbers}</desc>
  <style>{STYLE}  </style>
  <rect class="paper" x="0.5" y="0.5" width="{right}" height="{bottom}" rx="10"/>
{out}</svg>
"#,
            title = escaped(self.title),
            numbers = escaped(&self.in_words()),
            right = WIDTH - 1.0,
            bottom = height - 1.0,
        )
    }

    /// The chart for a screen reader.
    fn in_words(&self) -> String {
        let mut out = format!("{}.", self.subtitle);
        for panel in &self.panels {
            write!(out, " {}, {}:", panel.title, panel.detail).expect("a string takes any text");
            for Bar { name, value, .. } in &panel.bars {
                write!(out, " {name} {};", short(*value)).expect("a string takes any text");
            }
        }
        out
    }
}

// === impl Panel ===

impl Panel {
    /// Draws the panel with its title on `top`, on a scale that ends at `longest`; returns the y of
    /// its lower end.
    fn draw(&self, out: &mut String, top: f64, longest: f64) -> f64 {
        let length = |value| (WIDTH - NAMES - NUMBERS) * value / longest;
        // A line from the end of the first bar runs through the others.
        let mark = length(self.bars[0].value);
        let title = [("panel", self.title.as_str()), ("soft", self.detail)];
        *out += &text("start", MARGIN, top, &title);

        let mut y = top + 20.0;
        for bar in &self.bars {
            let (name, shape) = match bar.name.as_str() {
                "portreeve" => ("ours", "ours-bar"),
                _ => ("name", "bar"),
            };
            let (end, base) = (length(bar.value), y + THICKNESS - 3.0);
            *out += &text("end", NAMES - 10.0, base, &[(name, &bar.name)]);
            writeln!(
                out,
                r#"  <rect class="{shape}" x="{NAMES:.1}" y="{y:.1}" width="{end:.1}" height="{THICKNESS:.1}"/>"#
            )
            .expect("a string takes any text");
            // The line must not run through the number.
            let clear = if (end..end + 12.0).contains(&mark) { mark } else { end };
            let (number, ratio) = (short(bar.value), format!("{}×", short(bar.ratio)));
            let pieces = [(name, number.as_str()), ("soft", &ratio)];
            let pieces = &pieces[..1 + usize::from(bar.ratio != 1.0)];
            *out += &text("start", NAMES + clear + 8.0, base, pieces);
            y += STEP;
        }
        let (x, first, bottom) = (NAMES + mark, top + 14.0, y - STEP + THICKNESS + 6.0);
        writeln!(
            out,
            r#"  <line class="mark" x1="{x:.1}" y1="{first:.1}" x2="{x:.1}" y2="{bottom:.1}"/>"#
        )
        .expect("a string takes any text");
        bottom
    }

    fn longest(&self) -> f64 {
        self.bars.iter().map(|bar| bar.value).fold(0.0, f64::max)
    }
}

/// A line of text on the base line `y`, made of pieces with a class each.
fn text(anchor: &str, x: f64, y: f64, pieces: &[(&str, &str)]) -> String {
    let mut out = format!(r#"  <text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">"#);
    for (at, (class, piece)) in pieces.iter().enumerate() {
        let gap = if at == 0 { "" } else { r#" dx="7""# };
        out += &format!(r#"<tspan class="{class}"{gap}>{}</tspan>"#, escaped(piece));
    }
    out + "</text>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The chart has its own background, since the page's colour mode is not always the one that the browser
/// reports to an image.
const STYLE: &str = r#"
    text { font: 13px system-ui, -apple-system, "Segoe UI", "Liberation Sans", Helvetica, Arial, sans-serif; }
    .title { font-size: 18px; font-weight: 600; }
    .panel { font-size: 14px; font-weight: 600; }
    .ours { font-weight: 600; }
    .code { font: 12px ui-monospace, "SFMono-Regular", Menlo, Consolas, "Liberation Mono", monospace; }
    .paper { fill: #ffffff; stroke: #d1d9e0; }
    .title, .panel, .name { fill: #1f2328; }
    .soft, .code { fill: #59636e; }
    .ours { fill: #0a6c68; }
    .bar { fill: #b4bcc5; }
    .ours-bar { fill: #0f8a84; }
    .mark { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 4 3; }
    @media (prefers-color-scheme: dark) {
      .paper { fill: #0d1117; stroke: #3d444d; }
      .title, .panel, .name { fill: #f0f6fc; }
      .soft, .code { fill: #9198a1; }
      .ours { fill: #56d4cc; }
      .bar { fill: #4a525c; }
      .ours-bar { fill: #2fa8a1; }
      .mark { stroke: #f0f6fc; }
    }
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_in_proportion_and_the_longest_fills_the_scale() {
        let panel = |title: &str, slowest| Panel {
            title: title.to_owned(),
            detail: "a < b",
            bars: [("portreeve", 50.0), ("theirs", slowest)]
                .map(|(name, value)| Bar { name: name.to_owned(), value, ratio: value / 50.0 })
                .into(),
        };
        let mut chart = Chart {
            title: "Fast & small",
            subtitle: "fewer is better",
            panels: vec![panel("one", 100.0), panel("two", 400.0)],
            one_scale: false,
            command: "cargo bench",
        };
        let widths = |chart: &Chart| {
            let svg = chart.to_svg();
            assert!(svg.contains("Fast &amp; small") && svg.contains("a &lt; b"));
            assert!(svg.contains("two, a &lt; b: portreeve 50; theirs 400;"));
            let bars = svg.lines().filter_map(|line| {
                let (_, rest) = line.split_once("bar\" x=")?;
                rest.split('"').nth(5)?.parse::<f64>().ok()
            });
            bars.collect::<Vec<_>>()
        };
        assert_eq!(widths(&chart), [265.0, 530.0, 66.2, 530.0]);
        chart.one_scale = true;
        assert_eq!(widths(&chart), [66.2, 132.5, 66.2, 530.0]);
    }
}
