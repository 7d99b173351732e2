//! Plays a transcript: runs commands in a folder of their own, and compares what they print.

mod issuer;

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::pattern::{Names, fill, matches_text};
use crate::script::{Line, Test};
use crate::support::binary::{Served, address_in, in_dir, program, success};
use crate::support::gateway::PASSWORD;
use crate::support::issuer::{Key, StandIn};
use crate::support::nextcloud::Nextcloud;
use crate::talk::{LONGEST, Talk};

struct Shell<'a> {
    dir: TempDir,
    talk: Talk<'a>,
    /// The standard input of each command.
    input: String,
    commands: Vec<&'a Line>,
    /// What the commands print: rows with `?`, `<` or `!`.
    wanted: Vec<&'a Line>,
    /// The gateway, and the lines of its log that no row spoke of.
    served: Option<Served>,
    log: Vec<String>,
    /// The identity provider, and its key.
    issuer: Option<(StandIn, Key)>,
}

/// Fails with the command, what it printed and what was wanted.
pub(crate) fn play(test: &Test) -> Result<(), String> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.unwrap().block_on(async {
        let dir = tempfile::tempdir().unwrap();
        let nextcloud = Nextcloud::start().await;
        let (_, taken) = nextcloud.url().split_once("//").unwrap();
        let names = [
            ("dir", dir.path().to_str().unwrap()),
            ("taken", taken),
            ("password", PASSWORD),
            ("nextcloud", nextcloud.url()),
        ];
        let names = names.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut shell = Shell {
            talk: Talk::new(nextcloud, None, Names::from(names)),
            dir,
            input: String::new(),
            commands: Vec::new(),
            wanted: Vec::new(),
            served: None,
            log: Vec::new(),
            issuer: None,
        };
        for line in &test.lines {
            shell
                .line(line)
                .await
                .map_err(|what| format!("{}.txt, at line {}: {what}", test.file, line.number))?;
        }
        let last = match shell.run_all().await {
            Ok(()) => shell.talk.finish(test),
            Err(what) => Err(what),
        };
        last.map_err(|what| format!("{}.txt, at the end of {}: {what}", test.file, test.name))
    })
}

// === impl Shell ===

impl<'a> Shell<'a> {
    async fn line(&mut self, line: &'a Line) -> Result<(), String> {
        let (word, rest) = line.text.split_once(' ').unwrap_or((&line.text, ""));
        if ["?", "<", "!"].contains(&word) && !self.talk.has_asked() {
            self.wanted.push(line);
            return Ok(());
        }
        if !self.wanted.is_empty() {
            self.run_all().await?;
        }
        if self.talk.line(line).await? {
            return Ok(());
        }
        let rest = fill(rest, &self.talk.names);
        let (name, value) = rest.split_once([' ', '\n']).unwrap_or((&rest, ""));
        match word {
            "$" => match rest.strip_suffix(" &") {
                Some(row) => self.serve(row)?,
                None => self.commands.push(line),
            },
            "stdin" => self.input = rest,
            "file" => {
                let written = std::fs::write(self.dir.path().join(name), value);
                written.map_err(|error| error.to_string())?;
            }
            "nothing" if !self.dir.path().join(&rest).exists() => {}
            "nothing" => return Err(format!("{rest} exists")),
            "token" => {
                let mut new = in_dir(self.dir.path(), &["token", "new", "--user"]);
                let made = success(new.args(rest.split(' ')), "");
                let made = made.trim_end().to_owned();
                self.talk.names.insert(format!("token {name}"), made);
            }
            "issuer" | "jwt" => self.issuer(word, name, value).await?,
            "signal" => self.served()?.signal(&rest),
            "log" => self.logged(line, &rest)?,
            "quiet" => {
                let new = self.served()?.lines();
                self.log.extend(new);
                if let Some(line) = self.log.iter().find(|line| line.contains(&rest)) {
                    return Err(format!("came: {line}"));
                }
            }
            "ends" => {
                let code = self.served.as_mut().ok_or("nothing serves")?.wait().code();
                self.log.extend(self.served()?.rest());
                let log = self.log.join("\n");
                std::fs::write(self.dir.path().join("served.log"), log).unwrap();
                if code != rest.parse().ok() {
                    return Err(format!("came: {code:?}"));
                }
            }
            _ => return Err(format!("there is no {word:?}")),
        }
        Ok(())
    }

    fn served(&self) -> Result<&Served, String> {
        self.served.as_ref().ok_or_else(|| "nothing serves".into())
    }

    /// Starts what serves, in place of what served before, and waits until it listens.
    fn serve(&mut self, row: &str) -> Result<(), String> {
        // It may use the same address.
        self.served = None;
        let served = Served::start(&mut self.command(row)?);
        self.log.clone_from(&served.before_listening);
        self.talk.address = Some(served.address);
        let address = served.address.to_string();
        self.talk.names.insert("gateway".to_owned(), address);
        let mut lines = served.before_listening.iter();
        if let Some(line) = lines.find(|line| line.contains("serving metrics")) {
            let metrics = address_in(line).ok_or("no address of metrics")?;
            let name = "metrics".to_owned();
            self.talk.names.insert(name, metrics.to_string());
        }
        self.served = Some(served);
        Ok(())
    }

    /// Waits for a line of the log that is as wanted, and forgets those before it, which do not have what is below it.
    fn logged(&mut self, line: &Line, wanted: &str) -> Result<(), String> {
        let began = Instant::now();
        loop {
            let new = self.served()?.lines();
            self.log.extend(new);
            let wanted = format!("…{wanted}…");
            let names = &mut self.talk.names;
            let mut lines = self.log.iter();
            if let Some(at) = lines.position(|line| matches_text(&wanted, line, names)) {
                let before: Vec<_> = self.log.drain(..=at).take(at).collect();
                let has = |text: &String| before.iter().any(|line| line.contains(text));
                return match line.fields.iter().find(|(text, _)| has(text)) {
                    Some((text, _)) => Err(format!("{text} is before it: {before:#?}")),
                    None => Ok(()),
                };
            }
            if began.elapsed() > LONGEST {
                return Err(format!("came: {:#?}", self.log));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    async fn run_all(&mut self) -> Result<(), String> {
        let (commands, wanted) =
            (std::mem::take(&mut self.commands), std::mem::take(&mut self.wanted));
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

    /// `NAME=value portreeve …`, with no other variable but those that keep it in the folder, or a command of the
    /// shell. Rows about what it prints may call the last variable `<variable>`.
    fn command(&mut self, row: &str) -> Result<std::process::Command, String> {
        let filled = fill(row, &self.talk.names);
        let words = shlex::split(&filled).ok_or("a quote is not closed")?;
        let is_set = |word: &&String| {
            let name = word.split_once('=').map_or("", |(name, _)| name);
            !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        };
        let (variables, arguments) = words.split_at(words.iter().take_while(is_set).count());
        let variables = variables.iter().filter_map(|it| it.split_once('='));
        for (name, _) in variables.clone() {
            self.talk.names.insert("variable".to_owned(), name.to_owned());
        }
        let mut command = in_dir(self.dir.path(), &[]);
        command.current_dir(self.dir.path()).envs(variables);
        let is_alone = !arguments.iter().any(|word| ["|", ">", "&&"].contains(&&**word));
        match arguments.split_first() {
            Some((name, arguments)) if name == "portreeve" && is_alone => {
                command.args(arguments);
            }
            _ => {
                let mut paths = vec![program().parent().unwrap().to_owned()];
                let path = std::env::var_os("PATH").unwrap_or_default();
                paths.extend(std::env::split_paths(&path));
                let mut shell = std::process::Command::new("bash");
                shell.args(["-o", "pipefail", "-c", &filled]).current_dir(self.dir.path());
                shell
                    .env_clear()
                    .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
                shell.env("PATH", std::env::join_paths(paths).unwrap());
                command = shell;
            }
        }
        Ok(command)
    }

    async fn run(&mut self, row: &str) -> Result<Output, String> {
        let mut command = Command::from(self.command(row)?);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let mut stdin = child.stdin.take().unwrap();
        let input = fill(&self.input, &self.talk.names);
        // A command that needs no input may have ended already.
        tokio::spawn(async move { stdin.write_all(input.as_bytes()).await.ok() });
        let ended = tokio::time::timeout(LONGEST, child.wait_with_output()).await;
        ended.map_err(|_| format!("does not end: {row}"))?.map_err(|error| error.to_string())
    }

    fn compare(&mut self, wanted: &[&Line], output: &Output) -> Result<(), String> {
        let rows = |kind: &str| {
            let rows = wanted.iter().filter_map(|line| line.text.strip_prefix(kind));
            rows.map(|row| row.strip_prefix(' ').unwrap_or(row)).collect::<Vec<_>>().join("\n")
        };
        let code = rows("?").parse().unwrap_or(0);
        if output.status.code() != Some(code) {
            return Err("the exit code".to_owned());
        }
        for (kind, printed) in [("<", &output.stdout), ("!", &output.stderr)] {
            let is_asked = wanted.iter().any(|line| line.text.starts_with(kind));
            let printed = String::from_utf8_lossy(printed);
            if is_asked && !matches_text(&rows(kind), printed.trim_end(), &mut self.talk.names) {
                return Err(if kind == "<" { "standard output" } else { "standard error" }.into());
            }
        }
        Ok(())
    }
}
