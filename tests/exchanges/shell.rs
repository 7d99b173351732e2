//! Plays a transcript: runs commands in a folder of their own, and compares what they print.

use std::process::{Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::pattern::{Names, fill, matches_text};
use crate::script::{Line, Test};
use crate::support::binary::program;

/// No command of a transcript takes longer, unless it serves although it should not.
const LONGEST: Duration = Duration::from_secs(30);

struct Shell<'a> {
    dir: TempDir,
    names: Names,
    /// The standard input of each command.
    input: String,
    commands: Vec<&'a Line>,
    /// What the commands print: rows with `?`, `<` or `!`.
    wanted: Vec<&'a Line>,
}

/// Fails with the command, what it printed and what was wanted.
pub(crate) fn play(test: &Test) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(async {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap().to_owned();
        let mut shell = Shell {
            dir,
            names: Names::from([("dir".to_owned(), path)]),
            input: String::new(),
            commands: Vec::new(),
            wanted: Vec::new(),
        };
        for line in &test.lines {
            shell.line(line).await.map_err(|what| {
                format!("{}.txt, before line {}: {what}", test.file, line.number)
            })?;
        }
        let last = shell.run_all().await;
        last.map_err(|what| format!("{}.txt, at the end of the test: {what}", test.file))
    })
}

// === impl Shell ===

impl<'a> Shell<'a> {
    async fn line(&mut self, line: &'a Line) -> Result<(), String> {
        let (word, rest) = line.text.split_once(' ').unwrap_or((&line.text, ""));
        if ["?", "<", "!"].contains(&word) {
            self.wanted.push(line);
            return Ok(());
        }
        if !self.wanted.is_empty() {
            self.run_all().await?;
        }
        let rest = fill(rest, &self.names);
        let (name, value) = rest.split_once([' ', '\n']).unwrap_or((&rest, ""));
        match word {
            "$" => self.commands.push(line),
            "stdin" => self.input = rest,
            "let" => drop(self.names.insert(name.to_owned(), value.to_owned())),
            "file" => {
                let written = std::fs::write(self.dir.path().join(name), value);
                written.map_err(|error| error.to_string())?;
            }
            "nothing" if !self.dir.path().join(&rest).exists() => {}
            "nothing" => return Err(format!("{rest} exists")),
            _ => return Err(format!("there is no {word:?}")),
        }
        Ok(())
    }

    async fn run_all(&mut self) -> Result<(), String> {
        let (commands, wanted) = (
            std::mem::take(&mut self.commands),
            std::mem::take(&mut self.wanted),
        );
        for command in commands {
            let output = self.run(&command.text[2..]).await?;
            self.compare(&wanted, &output).map_err(|what| {
                let rows: Vec<_> = wanted.iter().map(|line| line.text.as_str()).collect();
                let printed = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy);
                format!(
                    "{what} of\n{}\nwanted:\n{}\ncame: {}\n{}{}",
                    command.text,
                    rows.join("\n"),
                    output.status,
                    printed[0],
                    printed[1],
                )
            })?;
        }
        self.input.clear();
        Ok(())
    }

    /// Runs `NAME=value portreeve …`, with no other variable but those that keep it in the folder. Rows about what it
    /// prints may call the last one `<variable>`.
    async fn run(&mut self, row: &str) -> Result<Output, String> {
        let words = shlex::split(&fill(row, &self.names)).ok_or("a quote is not closed")?;
        let at = words.iter().position(|word| word == "portreeve");
        let (variables, arguments) = words.split_at(at.ok_or("no portreeve")?);
        let variables = variables.iter().filter_map(|it| it.split_once('='));
        for (name, _) in variables.clone() {
            self.names.insert("variable".to_owned(), name.to_owned());
        }
        let mut command = Command::new(program());
        command
            .args(&arguments[1..])
            .current_dir(self.dir.path())
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("PORTREEVE_LISTEN", "127.0.0.1:0")
            .env("PORTREEVE_DATA_DIR", self.dir.path())
            .env("PORTREEVE_TOKENS_FILE", self.dir.path().join("tokens"))
            .envs(variables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let mut stdin = child.stdin.take().unwrap();
        let input = self.input.clone();
        // A command that needs no input may have ended already.
        tokio::spawn(async move { stdin.write_all(input.as_bytes()).await.ok() });
        let ended = tokio::time::timeout(LONGEST, child.wait_with_output()).await;
        ended
            .map_err(|_| format!("does not end: {row}"))?
            .map_err(|error| error.to_string())
    }

    fn compare(&mut self, wanted: &[&Line], output: &Output) -> Result<(), String> {
        let rows = |kind: &str| {
            let rows = wanted
                .iter()
                .filter_map(|line| line.text.strip_prefix(kind));
            rows.map(|row| row.strip_prefix(' ').unwrap_or(row))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let code = rows("?").parse().unwrap_or(0);
        if output.status.code() != Some(code) {
            return Err("the exit code".to_owned());
        }
        for (kind, printed) in [("<", &output.stdout), ("!", &output.stderr)] {
            let is_asked = wanted.iter().any(|line| line.text.starts_with(kind));
            let printed = String::from_utf8_lossy(printed);
            if is_asked && !matches_text(&rows(kind), printed.trim_end(), &mut self.names) {
                return Err(if kind == "<" {
                    "standard output"
                } else {
                    "standard error"
                }
                .into());
            }
        }
        Ok(())
    }
}
