//! Behaviour on a terminal, by means of a pseudoterminal.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Child;
use std::sync::mpsc;
use std::time::Duration;

use pty_process::blocking::{Command, Pty, open};

use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};

use crate::support::binary::{LONGEST, assert_contains, credentials, in_dir, run, text};
use crate::support::gateway::PASSWORD;

/// A program on a terminal of its own.
pub(crate) struct Terminal {
    pty: Pty,
    child: Child,
    shown: String,
    bytes: mpsc::Receiver<Vec<u8>>,
}

impl Terminal {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let (pty, pts) = open().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_portreeve"))
            .args(arguments)
            .env_clear()
            .env("HOME", "/nonexistent")
            .spawn(pts)
            .unwrap();
        Self::of(pty, child)
    }

    /// A shell that runs `script` on a terminal.
    fn shell(script: &str, argument: &str) -> Self {
        let (pty, pts) = open().unwrap();
        let child = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_portreeve"), argument])
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .spawn(pts)
            .unwrap();
        Self::of(pty, child)
    }

    fn of(pty: Pty, child: Child) -> Self {
        let (sender, bytes) = mpsc::channel();
        let mut reader =
            std::fs::File::from(std::os::fd::AsFd::as_fd(&pty).try_clone_to_owned().unwrap());
        std::thread::spawn(move || {
            let mut buffer = [0; 1024];
            // Reading fails once the last program on the terminal has ended.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { pty, child, shown: String::new(), bytes }
    }

    /// Waits until it shows `part`.
    pub(crate) fn until(&mut self, part: &str) {
        while !self.shown.contains(part) {
            match self.bytes.recv_timeout(LONGEST) {
                Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!("{part:?} is not shown: {:?}", self.shown),
            }
        }
    }

    pub(crate) fn type_in(&mut self, text: &str) {
        self.pty.write_all(text.as_bytes()).unwrap();
    }

    /// The exit code, and everything that was shown.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        while let Ok(bytes) = self.bytes.recv_timeout(LONGEST) {
            self.shown += &String::from_utf8_lossy(&bytes);
        }
        (status.code(), self.shown)
    }
}

/// The password of alice.
fn stored_password(dir: &Path) -> AppPassword {
    let keyring = Keyring::read(dir.join("vault.key")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
        let credential = Vault::new(keyring, store).credential("alice").await;
        credential.unwrap().unwrap().password.clone()
    })
}

#[test]
fn a_password_is_not_shown_while_it_is_typed() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().to_str().unwrap();
    let mut terminal =
        Terminal::start(&["credentials", "put", "--user", "alice", "--data-dir", data]);
    terminal.until("app password of alice");
    // With a letter that is erased again.
    let (head, tail) = PASSWORD.split_at(5);
    terminal.type_in(&format!("{head}x\u{7f}{tail}\r"));
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_contains(&shown, &["stored the app password of alice"]);
    for part in [PASSWORD, head, tail] {
        assert!(!shown.contains(part), "{shown}");
    }
    assert!(credentials(dir.path(), &["list"], "").contains("\nalice\talice\t"));

    // A pipe works as well.
    let other = tempfile::tempdir().unwrap();
    credentials(other.path(), &["put", "--user", "alice"], &format!("{PASSWORD}\n"));
    // Without the letter that was erased.
    for dir in [&dir, &other] {
        assert_eq!(stored_password(dir.path()).expose(), PASSWORD);
    }
    let refused =
        run(&mut in_dir(other.path(), &["credentials", "put", "--user", "alice"]), "short\n");
    assert_eq!(refused.status.code(), Some(1));
    // Without a terminal there is no prompt.
    assert!(!text(&refused.stderr).contains("not shown"), "{refused:?}");
}

#[test]
fn an_interrupted_prompt_stores_nothing_and_restores_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let script = r#"
        trap : INT
        before=$(stty -g)
        "$0" credentials put --user alice --data-dir "$1"
        echo "code $?"
        [ "$before" = "$(stty -g)" ] && echo "as it was"
    "#;
    // Ctrl-C and Ctrl-D, at once, while the terminal is being changed, and later.
    for (key, later) in [("\u{3}", 0), ("\u{3}", 200), ("\u{4}", 0), ("\u{4}", 200)] {
        let mut terminal = Terminal::shell(script, dir.path().to_str().unwrap());
        terminal.until("app password of alice");
        std::thread::sleep(Duration::from_millis(later));
        terminal.type_in(key);
        terminal.until("code 1");
        let (_, shown) = terminal.end();
        assert_contains(&shown, &["nothing was stored", "as it was"]);
        assert!(!dir.path().join("portreeve.db").exists());
    }
}

#[test]
fn decode_says_on_a_terminal_that_it_waits_for_input() {
    let mut terminal = Terminal::start(&["decode", "--framing", "hex", "--message", "response"]);
    terminal.until("Ctrl-D");
    terminal.type_in("0807100a\n\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("portreeve decode FILE"), "{shown}");
    assert!(shown.contains(r#""response_code":"RespGameFull""#), "{shown}");
}
