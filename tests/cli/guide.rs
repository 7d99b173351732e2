//! The commands of docs/GUIDE.md, as printed there, against the demo.

use std::process::{Command, Stdio};

use crate::support::binary::{Served, portreeve, run, text, wait};

const PAGE: &str = include_str!("../../docs/GUIDE.md");

/// Each block of commands is pasted into each shell, and must print what the block below it says.
#[test]
fn the_guide_can_be_followed() {
    let is_here = |program| {
        let mut version = Command::new(program);
        version.arg("--version").stdout(Stdio::null());
        let is_here = version.status().is_ok();
        if !is_here {
            println!("left out: {program} is not installed");
        }
        is_here
    };
    let shells = [
        ("bash", &["-eu", "-o", "pipefail"][..]),
        ("zsh", &["-feu", "-o", "pipefail"]),
        ("fish", &["--no-config"]),
    ];
    if is_here("jq") {
        for (shell, options) in shells {
            if is_here(shell) {
                follow(shell, options);
            }
        }
    }
}

fn follow(shell: &str, options: &[&str]) {
    let mut blocks = blocks();
    let (_, first) = blocks.next().unwrap();
    assert_eq!(first, "portreeve demo\n");
    let demo = Served::start(portreeve().args(["demo", "--listen", "127.0.0.1:0"]));
    let mut variables = Vec::new();
    wait("all lines are printed", || {
        let lines = demo.lines();
        let exported = lines.iter().filter_map(|line| line.strip_prefix("export "));
        variables.extend(exported.filter_map(|line| {
            let (name, value) = line.split_once('=')?;
            Some((name.to_owned(), value.to_owned()))
        }));
        lines.iter().any(|line| line.contains("Ctrl-C"))
    });
    let dir = tempfile::tempdir().unwrap();
    let mut followed = 0;
    while let Some((language, commands)) = blocks.next() {
        if language != "sh" {
            continue;
        }
        let answer = blocks.next();
        let (_, answer) = answer.expect("an answer below each block of commands");
        let mut command = Command::new(shell);
        command.args(options).current_dir(&dir).env("HOME", dir.path());
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        let commands = if shell == "fish" { &*for_fish(commands) } else { commands };
        let output = run(&mut command, commands);
        assert!(output.status.success(), "{shell}: {commands}\n{output:?}");
        assert_shows(text(&output.stdout), answer, commands);
        followed += 1;
    }
    assert!(followed > 10, "{followed}");
}

/// As the page says: each backslash within single quotes twice.
fn for_fish(commands: &str) -> String {
    let parts = commands.split('\'').enumerate();
    let parts = parts.map(|(at, part)| match at % 2 {
        0 => part.to_owned(),
        _ => part.replace('\\', r"\\"),
    });
    parts.collect::<Vec<_>>().join("'")
}

/// `printed`, without white space, is `wanted`, in which `…` stands for any text.
fn assert_shows(printed: &str, wanted: &str, commands: &str) {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let (printed, wanted) = (dense(printed), dense(wanted));
    let parts: Vec<_> = wanted.split('\u{2026}').collect();
    let (last, others) = parts.split_last().unwrap();
    let (first, others) = others.split_first().unwrap_or((last, &[]));
    let mut rest = printed.strip_prefix(first);
    for part in others {
        rest = rest.and_then(|rest| Some(rest.split_once(part)?.1));
    }
    let is_end = |rest: &str| match parts.len() {
        1 => rest.is_empty(),
        _ => rest.ends_with(last),
    };
    assert!(rest.is_some_and(is_end), "{commands}\nprinted\n{printed}\nand not\n{wanted}");
}

/// The language and the text of each block of the page.
fn blocks() -> impl Iterator<Item = (&'static str, &'static str)> {
    let fenced = PAGE.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').expect("a language"))
}
