//! A server as a process, with the figures of the kernel and valgrind.
use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

use crate::cores;

/// A running server, which is stopped when this is dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The output of valgrind.
    log: NamedTempFile,
    /// What callgrind counted, by function.
    profile: NamedTempFile,
}

/// How a server is started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapped {
    Not,
    /// Under the tool that counts instructions.
    Callgrind,
    /// Under the tool that counts allocations.
    Dhat,
}

// === impl Process ===

impl Process {
    /// Starts a server on the last core and waits until it reports its address.
    pub(super) fn start(command: Command, wrapped: Wrapped) -> Self {
        let log = NamedTempFile::new().unwrap();
        let profile = NamedTempFile::new().unwrap();
        let mut command = wrapped.command(&command, &log, &profile);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = cores::on_the_last(|| command.spawn().unwrap());
        let (told, telling) = std::sync::mpsc::channel();
        // The rest of the output is read, so that the server does not block.
        let outputs: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for output in outputs {
            let told = told.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    match address(&line) {
                        Some(address) => drop(told.send(address)),
                        None => eprintln!("{line}"),
                    }
                }
            });
        }
        drop(told);
        let address = telling.recv().expect("the server tells its address");
        Self { child, address, log, profile }
    }

    /// CPU time of all its threads.
    pub(crate) fn cpu(&self) -> Duration {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        tasks
            .filter_map(|task| fs::read_to_string(task.ok()?.path().join("schedstat")).ok())
            .map(|text| Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap()))
            .sum()
    }

    /// Its resident memory, in bytes: `VmRSS` is what it has, `VmHWM` the most that it had.
    pub(crate) fn memory(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kibibytes =
            line.unwrap().trim_matches([':', '\t', ' ']).trim_end_matches(" kB").parse::<u64>();
        kibibytes.unwrap() * 1024
    }

    /// Stops it and returns valgrind's counts: the number after each of `names`.
    pub(crate) fn end<const N: usize>(mut self, names: [&str; N]) -> [f64; N] {
        self.stop();
        let log = fs::read_to_string(self.log.path()).unwrap();
        names.map(|name| {
            let rest = log.lines().find_map(|line| Some(line.split_once(name)?.1));
            let rest = rest.unwrap_or_else(|| panic!("valgrind tells no {name:?}: {log}"));
            // valgrind aligns the numbers of a table.
            let digits = rest.trim_start().chars().filter(|c| *c != ',');
            let digits: String = digits.take_while(char::is_ascii_digit).collect();
            digits.parse().unwrap()
        })
    }

    /// Stops it and returns callgrind's counts by function.
    pub(crate) fn end_with_functions(mut self) -> Vec<(String, f64)> {
        self.stop();
        let mut command = Command::new("callgrind_annotate");
        let output = command.arg("--threshold=100").arg(self.profile.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        // Lines such as `1,234 ( 5.6%)  file:function [object]`.
        let functions = text.lines().filter_map(|line| {
            let (count, rest) = line.trim_start().split_once(" (")?;
            let (_, name) = rest.split_once("%)")?;
            let count = count.replace(',', "").parse().ok()?;
            (name.trim() != "PROGRAM TOTALS").then(|| (name.to_owned(), count))
        });
        functions.collect()
    }

    fn stop(&mut self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

// === impl Wrapped ===

impl Wrapped {
    fn command(self, inner: &Command, log: &NamedTempFile, profile: &NamedTempFile) -> Command {
        let mut command = match self {
            Self::Not => Command::new(inner.get_program()),
            Self::Callgrind => {
                let profile = format!("--callgrind-out-file={}", profile.path().display());
                valgrind("callgrind", &profile, log)
            }
            Self::Dhat => valgrind("dhat", "--dhat-out-file=/dev/null", log),
        };
        if self != Self::Not {
            command.arg(inner.get_program());
        }
        command.args(inner.get_args());
        for (name, value) in inner.get_envs() {
            if let Some(value) = value {
                command.env(name, value);
            }
        }
        // The signals of a terminal are for this program, which stops its servers.
        command.process_group(0);
        command
    }
}

fn valgrind(tool: &str, out: &str, log: &NamedTempFile) -> Command {
    let mut command = Command::new("valgrind");
    command.arg(format!("--tool={tool}")).arg(out);
    command.arg(format!("--log-file={}", log.path().display()));
    command
}

/// The address in the line that reports it.
fn address(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("listening")?;
    let rest = &rest[rest.find("127.0.0.1:")?..];
    // Without the colours of a terminal.
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':');
    rest[..end.unwrap_or(rest.len())].parse().ok()
}
