//! The commands of the pages can be pasted into the shells that people have.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Each shell, and how it parses without running anything.
const SHELLS: [(&str, &[&str]); 3] =
    [("bash", &["-n"]), ("zsh", &["-n"]), ("fish", &["--no-config", "--no-execute"])];

#[test]
fn each_block_of_commands_is_understood_by_bash_zsh_and_fish() {
    let blocks: Vec<_> = pages().iter().flat_map(|page| blocks(page)).collect();
    assert!(blocks.len() > 40, "{}", blocks.len());
    let mut faults = Vec::new();
    for (place, commands) in &blocks {
        // An interactive zsh takes the rest of such a line for arguments.
        let is_comment = |line: &&str| line.starts_with("# ") || line.contains(" # ");
        faults.extend(commands.lines().filter(is_comment).map(|line| {
            format!("{place}: a comment, which zsh does not know when it is pasted: {line}")
        }));
    }
    let home = tempfile::tempdir().unwrap();
    for (shell, options) in SHELLS {
        for (place, commands) in &blocks {
            let parsed = Command::new(shell)
                .args(options)
                .env("HOME", home.path())
                .stdin(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn();
            let Ok(mut parsed) = parsed else {
                println!("left out: {shell} is not installed");
                break;
            };
            let mut stdin = parsed.stdin.take().unwrap();
            stdin.write_all(commands.as_bytes()).unwrap();
            drop(stdin);
            let parsed = parsed.wait_with_output().unwrap();
            if !parsed.status.success() {
                let reason = String::from_utf8_lossy(&parsed.stderr);
                faults.push(format!("{place}: {shell} says {reason}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The pages for those who run or call it.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = super::files(&root.join("docs"), "md");
    pages.extend(["README.md", "packaging/README.md"].map(|page| root.join(page)));
    pages
}

/// The blocks of commands of a page, each with its place. In a list they are indented.
fn blocks(page: &Path) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(page).unwrap();
    let (mut found, mut open) = (Vec::new(), None::<(usize, &str, String)>);
    for (at, line) in text.lines().map(str::trim_start).enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((at + 2, language, String::new())),
            (None, None) => {}
            (Some(_), Some(_)) => {
                let (at, _, commands) = open.take().unwrap();
                if !commands.is_empty() {
                    let name = page.file_name().unwrap().to_string_lossy();
                    found.push((format!("{name}:{at}"), commands));
                }
            }
            (Some((_, language, commands)), None) => {
                commands.extend(pasted(language, line).map(|line| format!("{line}\n")));
            }
        }
    }
    found
}

/// What a reader pastes of a line in a block of this language. One that shows a session has commands and what they print.
fn pasted<'a>(language: &str, line: &'a str) -> Option<&'a str> {
    match language {
        "sh" => Some(line),
        "console" => line.strip_prefix("$ "),
        "text" => ["portreeve ", "cargo "].iter().any(|it| line.starts_with(it)).then_some(line),
        _ => None,
    }
}
