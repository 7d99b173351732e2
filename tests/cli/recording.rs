//! The recording of the demo in the README: a session in a terminal, as a picture.
//!
//! `PORTREEVE_PRINT_DOCS=1 cargo test --test cli recording` runs the session and draws it again; without
//! the variable, the test fails if the demo shows anything other than the picture.

use std::fmt::Write as _;
use std::process::Command;

use crate::support::binary::{Served, portreeve, text, wait};

const PICTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/charts/demo.svg");

/// The height of a line and the width of a column, in pixels.
const LINE: usize = 20;
const COLUMN: f64 = 7.83;

#[test]
fn the_picture_shows_what_the_demo_shows() {
    let drawn = draw(&session());
    if std::env::var_os("PORTREEVE_PRINT_DOCS").is_some() {
        std::fs::write(PICTURE, &drawn).expect("docs/charts/demo.svg can be written");
        return;
    }
    let picture = std::fs::read_to_string(PICTURE).expect("docs/charts/demo.svg is there");
    assert!(
        picture == drawn,
        "docs/charts/demo.svg is not what the demo shows; draw it with \
         PORTREEVE_PRINT_DOCS=1 cargo test --test cli recording"
    );
}

/// What is typed: a call, and an upload whose delivery fails at first. Each with the last line that the demo shows of it.
const TYPED: [(&str, &str); 2] = [
    (
        r#"curl -H "Authorization: Bearer $TOKEN" $GATEWAY/api/v1/apps"#,
        "caller    \u{2190} gateway",
    ),
    (
        r#"curl -u "alice:$PASSWORD" -T today.md $NEXTCLOUD/remote.php/dav/files/alice/"#,
        "gateway   \u{2190} receiver   200",
    ),
];

/// The lines of the session, each command followed by its answer and by what the demo shows of it.
fn session() -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("today.md"), "a note").unwrap();
    let mut demo = Served::start(portreeve().args(["demo", "--listen", "127.0.0.1:0"]));
    let mut shown = Vec::new();
    let mut printed = |what: &str| {
        wait(what, || {
            shown.extend(demo.lines());
            shown.iter().any(|line| line.contains(what))
        });
        std::mem::take(&mut shown)
    };
    let greeting = printed("Ctrl-C");
    let variables: Vec<_> =
        greeting.iter().filter_map(|line| line.strip_prefix("export ")?.split_once('=')).collect();
    let run = |call: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", call]).current_dir(&dir);
        let answer = shell.envs(variables.iter().copied()).output().unwrap();
        text(&answer.stdout).to_owned()
    };
    // What the picture does not show: the webhooks for the upload.
    run(
        r#"curl -X PUT -H "Authorization: Bearer $TOKEN" -d '{"uri": "self"}' $GATEWAY/api/v1/webhook-presets/files"#,
    );
    printed("caller    \u{2190} gateway");
    let mut lines = vec!["$ portreeve demo &".to_owned()];
    for (call, last) in TYPED {
        lines.push(format!("$ {call}"));
        lines.extend(run(call).lines().map(str::to_owned));
        let hops = printed(last);
        // Without the seconds before them, and what is longer than a line.
        let hops = hops.iter().filter_map(|line| Some(line.split_once(" s  ")?.1));
        let hops = hops.filter(|line| line.contains('\u{2192}') || line.contains('\u{2190}'));
        let mut hops: Vec<_> = hops.map(str::to_owned).collect();
        // The first attempt may begin before Nextcloud has the answer.
        hops.sort_by_key(|line| line.contains("receiver"));
        lines.extend(hops);
        lines.push(String::new());
    }
    lines.pop();
    demo.terminate();
    demo.wait();
    lines
}

/// Draws the lines as a terminal shows them.
fn draw(lines: &[String]) -> String {
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap();
    let width = 32 + (columns as f64 * COLUMN).ceil() as usize;
    let height = 32 + lines.len() * LINE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-label=\"A terminal: the caller sends a token, Nextcloud gets an app password; a delivery fails, and arrives at the second attempt\">\n\
         <style>\n\
         rect {{ fill: #16181d }}\n\
         text {{ font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #c8ccd4; \
         white-space: pre }}\n\
         .typed {{ fill: #fff }}\n.token {{ fill: #e5a34b }}\n.password {{ fill: #7cc379 }}\n\
         .signature {{ fill: #6fb7c9 }}\n.failure {{ fill: #e06c6c }}\n\
         </style>\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n"
    );
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let (y, class) =
            (30 + at * LINE, if line.starts_with("$ ") { " class=\"typed\"" } else { "" });
        writeln!(
            out,
            "<text x=\"16\" y=\"{y}\"{class} xml:space=\"preserve\">{}</text>",
            marked(line)
        )
        .unwrap();
    }
    out + "</svg>\n"
}

/// A line with its credentials in colour.
fn marked(line: &str) -> String {
    let mut line = line.replace('&', "&amp;").replace('<', "&lt;");
    for (text, class) in [
        ("Bearer prt_\u{2026}", "token"),
        ("Basic alice:\u{2022}\u{2022}\u{2022}", "password"),
        ("a signature", "signature"),
        ("503 Service Unavailable", "failure"),
    ] {
        line = line.replace(text, &format!("<tspan class=\"{class}\">{text}</tspan>"));
    }
    line
}
