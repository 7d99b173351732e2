//! What commands print: to a pipe that nobody reads, and text from outside on a terminal.

use std::fs;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::support::binary::{assert_contains, credentials, in_dir, portreeve, run, success, text};
use crate::support::gateway::PASSWORD;

/// What a terminal interprets: the title of its window, a control character of Latin 1, a change of direction.
const HOSTILE: &str = "a\u{1b}]0;title\u{7}\u{9b}2J\u{202e}b";
const ESCAPED: &str = r"a\u{1b}]0;title\u{7}\u{9b}2J\u{202e}b";

/// Runs a command whose standard output nobody reads.
fn unread(command: &mut Command) -> Output {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = command.stdin(Stdio::null()).stdout(writer);
    child.stderr(Stdio::piped()).output().unwrap()
}

#[test]
fn a_closed_pipe_changes_neither_the_work_nor_what_is_said_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    credentials(dir, &["put", "--user", "alice"], &format!("{PASSWORD}\n"));
    let audit = dir.join("audit.log");
    let database = format!("sqlite:{}", dir.join("portreeve.db").display());
    let copied = dir.join("copy").join("portreeve.db");
    fs::create_dir(dir.join("copy")).unwrap();
    let copy = format!("sqlite:{}", copied.display());
    let file = dir.join("portreeve.toml");

    let mut rotate = in_dir(dir, &["credentials", "rotate-keys"]);
    let mut copy_all = portreeve();
    copy_all.args(["vault", "copy", "--from", &database, "--to", &copy]);
    let mut init = portreeve();
    init.args(["init", "--unchecked", "--config"]).arg(&file);
    init.args(["--groupware-url", "https://cloud.example.org", "--tokens-file"]);
    init.arg(dir.join("tokens")).arg("--data-dir").arg(dir);
    for command in [rotate.arg("--audit-log").arg(&audit), &mut copy_all, &mut init] {
        let output = unread(command);
        assert_eq!(output.status.code(), Some(0), "{command:?}: {output:?}");
        assert!(!text(&output.stderr).contains("panicked"), "{output:?}");
    }
    assert!(file.exists() && copied.exists());

    let mut token = in_dir(dir, &["token", "new", "--user", "alice"]);
    let output = unread(token.arg("--audit-log").arg(&audit));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_contains(
        text(&output.stderr),
        &["cannot be written to standard output", "token revoke"],
    );
    assert!(!text(&output.stderr).contains("wrote"), "{output:?}");
    let lines = fs::read_to_string(&audit).unwrap();
    let lines: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let said = lines.iter().map(|it| (it["action"].as_str(), it["outcome"].as_str()));
    let done = Some("done");
    assert_eq!(said.collect::<Vec<_>>(), [(Some("keys.rotate"), done), (Some("token.new"), done)]);
}

#[test]
fn a_list_that_cannot_be_read_has_no_header() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("tokens"), "no tokens").unwrap();
    for list in ["token", "forward"] {
        let output = run(&mut in_dir(dir, &[list, "list"]), "");
        assert_ne!(output.status.code(), Some(0), "{output:?}");
        assert_eq!(text(&output.stdout), "", "{list}");
    }
}

#[test]
fn text_from_outside_is_escaped_on_every_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let issuer = "https://id.example.org";
    let person = ["--issuer", issuer, "--subject", HOSTILE];
    let mut bind = in_dir(dir, &["accounts", "bind", "--user", "alice"]);
    let bound = run(bind.args(person), "");
    assert!(bound.status.success(), "{bound:?}");
    let listed = success(&mut in_dir(dir, &["accounts", "list"]), "");
    success(in_dir(dir, &["accounts", "unbind"]).args(person), "");
    let again = run(in_dir(dir, &["accounts", "unbind"]).args(person), "");
    for shown in [text(&bound.stderr), &listed, text(&again.stderr)] {
        assert_contains(shown, &[ESCAPED]);
        assert_clean(shown);
    }

    // A user cannot have control characters.
    let user = "a\u{202e}b";
    success(&mut in_dir(dir, &["token", "new", "--user", user]), "");
    let listed = success(&mut in_dir(dir, &["token", "list"]), "");
    assert_contains(&listed, &[r"a\u{202e}b"]);
    credentials(dir, &["put", "--user", user], &format!("{PASSWORD}\n"));
    assert_contains(&credentials(dir, &["list"], ""), &["a\\u{202e}b\ta\\u{202e}b\t"]);

    // What check-config prints remains the same setting.
    let issuer = format!("https://id.example.org/{HOSTILE}\"");
    let mut check = in_dir(dir, &["check-config", "--user-claim", &issuer]);
    let output = run(&mut check, "");
    let (printed, said) = (text(&output.stdout), text(&output.stderr));
    assert_clean(printed);
    assert_clean(said);
    let line = printed.lines().find(|line| line.starts_with("user_claim"));
    let table: toml::Table = line.expect(printed).parse().unwrap();
    assert_eq!(table["user_claim"].as_str(), Some(&*issuer));
}

fn assert_clean(text: &str) {
    let interpreted = |c: char| c.is_control() && !"\n\t".contains(c) || c == '\u{202e}';
    assert!(!text.contains(interpreted), "{text:?}");
}
