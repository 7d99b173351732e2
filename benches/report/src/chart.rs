//! Bar charts in SVG, for a README: text stays text, every bar is labelled with its number, and the
//! colours follow the reader's light or dark mode. Fonts are those of the reader's system, so nothing
//! here may depend on the width of a text.
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use crate::short;
use crate::svg::{Anchor, Drawing, Escaped};

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
    pub title: String,
    /// The unit of the numbers, and which end of the scale is better.
    pub subtitle: String,
    /// The parts, from above.
    pub panels: Vec<Panel>,
    /// Whether the longest bar of all panels sets the scale of them all, or each panel has a scale
    /// of its own. Scales begin at 0.
    pub one_scale: bool,
    /// The command that draws this chart again.
    pub command: String,
}

/// Bars that are compared with each other.
pub struct Panel {
    /// The measured quantity.
    pub title: String,
    /// The same in more words.
    pub detail: String,
    /// The bars, from above.
    pub bars: Vec<Bar>,
    /// Where on their scale a line runs through them, from the end of the bar that the others are compared with.
    pub mark: f64,
}

/// A number and its name.
pub struct Bar {
    /// The name.
    pub name: String,
    /// The value; finite and not negative.
    pub value: f64,
    /// A remark after the number, such as a ratio. May be empty.
    pub remark: String,
    /// Whether the bar is highlighted.
    pub highlighted: bool,
}

// === impl Chart ===

impl Chart {
    /// Writes the chart to a file, creating the file's folder if it is missing.
    ///
    /// # Errors
    ///
    /// If the folder cannot be made or the file cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, self.to_svg())
    }

    /// The chart as the text of an SVG file.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut drawing = Drawing::default();
        drawing.text(Anchor::Start, MARGIN, 40.0, &[("title", &self.title)]);
        drawing.text(Anchor::Start, MARGIN, 62.0, &[("soft", &self.subtitle)]);
        let mut y = 96.0;
        for panel in &self.panels {
            let longest = if self.one_scale {
                self.panels.iter().map(Panel::longest).fold(0.0, f64::max)
            } else {
                panel.longest()
            };
            y = panel.draw(&mut drawing, y, longest) + 34.0;
        }
        drawing.text(Anchor::Start, MARGIN, y - 4.0, &[("code", &self.command)]);

        let height = y + 16.0;
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title numbers">
  <title id="title">{title}</title>
  <desc id="numbers">{numbers}</desc>
  <style>{STYLE}  </style>
  <rect class="paper" x="0.5" y="0.5" width="{right}" height="{bottom}" rx="10"/>
{drawing}</svg>
"#,
            title = Escaped(&self.title),
            numbers = Escaped(&self.in_words()),
            right = WIDTH - 1.0,
            bottom = height - 1.0,
            drawing = drawing.as_str(),
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
    fn draw(&self, drawing: &mut Drawing, top: f64, longest: f64) -> f64 {
        let length = |value| {
            if longest > 0.0 {
                (WIDTH - NAMES - NUMBERS) * value / longest
            } else {
                0.0
            }
        };
        let title = [("panel", self.title.as_str()), ("soft", &self.detail)];
        drawing.text(Anchor::Start, MARGIN, top, &title);

        let first = top + 20.0;
        for (bar, row) in self.bars.iter().zip(0..) {
            let y = first + f64::from(row) * STEP;
            let (name, shape) = if bar.highlighted {
                ("ours", "ours-bar")
            } else {
                ("name", "bar")
            };
            let (end, base) = (length(bar.value), y + THICKNESS - 3.0);
            drawing.text(Anchor::End, NAMES - 10.0, base, &[(name, &bar.name)]);
            drawing.rectangle(shape, NAMES, y, end, THICKNESS);
            // A mark just behind the bar's end would run through the number.
            let mark = length(self.mark);
            let clear = if (end..end + 12.0).contains(&mark) {
                mark
            } else {
                end
            };
            let number = short(bar.value);
            let pieces = [(name, number.as_str()), ("soft", &bar.remark)];
            let pieces = &pieces[..1 + usize::from(!bar.remark.is_empty())];
            drawing.text(Anchor::Start, NAMES + clear + 8.0, base, pieces);
        }
        let bottom = first + self.bars.len() as f64 * STEP - (STEP - THICKNESS);

        let x = NAMES + length(self.mark);
        drawing.line("mark", x, first - 6.0, bottom + 6.0);
        bottom + 6.0
    }

    fn longest(&self) -> f64 {
        let values = self.bars.iter().map(|bar| bar.value);
        values.fold(self.mark, f64::max)
    }
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

    fn chart() -> Chart {
        let bar = |name: &str, value, highlighted| Bar {
            name: name.to_owned(),
            value,
            remark: "2×".to_owned(),
            highlighted,
        };
        Chart {
            title: "Fast & small".to_owned(),
            subtitle: "a < b".to_owned(),
            panels: vec![Panel {
                title: "one".to_owned(),
                detail: "the first".to_owned(),
                bars: vec![bar("ours", 50.0, true), bar("theirs", 100.0, false)],
                mark: 50.0,
            }],
            one_scale: false,
            command: "cargo bench".to_owned(),
        }
    }

    #[test]
    fn lengths_are_in_proportion_and_the_longest_fills_the_scale() {
        let full = WIDTH - NAMES - NUMBERS;
        let svg = chart().to_svg();
        let bar = |class: &str, width: f64| {
            let start = format!(r#"<rect class="{class}" x="{NAMES:.1}""#);
            let line = svg.lines().find(|line| line.contains(&start)).unwrap();
            assert!(line.contains(&format!(r#" width="{width:.1}""#)), "{line}");
        };
        bar("ours-bar", full / 2.0);
        bar("bar", full);
        let x = NAMES + full / 2.0;
        assert!(svg.contains(&format!(r#"<line class="mark" x1="{x:.1}""#)));
    }

    #[test]
    fn panels_share_a_scale_if_asked() {
        let mut chart = chart();
        let mut larger = self::chart().panels.remove(0);
        larger.bars[1].value = 400.0;
        chart.panels.push(larger);
        let full = WIDTH - NAMES - NUMBERS;
        let is_full = format!(r#" width="{full:.1}""#);
        assert_eq!(chart.to_svg().matches(&is_full).count(), 2);
        chart.one_scale = true;
        assert_eq!(chart.to_svg().matches(&is_full).count(), 1);
    }

    #[test]
    fn text_cannot_become_markup() {
        let svg = chart().to_svg();
        assert!(svg.contains("Fast &amp; small") && svg.contains("a &lt; b"));
        assert!(!svg.contains("a < b") && !svg.contains("Fast & small"));
    }

    #[test]
    fn every_number_is_also_told_in_words() {
        let expected = "a &lt; b. one, the first: ours 50; theirs 100;";
        assert!(chart().to_svg().contains(expected));
    }

    #[test]
    fn a_panel_of_zeros_has_no_length() {
        let mut chart = chart();
        for bar in &mut chart.panels[0].bars {
            bar.value = 0.0;
        }
        chart.panels[0].mark = 0.0;
        assert!(!chart.to_svg().contains("NaN"));
    }
}
