//! Lines on standard output, and on standard error.

use std::fmt;
use std::io::{self, BufWriter, StdoutLock, Write as _};
use std::pin::pin;
use std::time::SystemTime;

use clap::{Arg, ArgMatches, Command};
use futures_util::{Stream, StreamExt as _};
use portreeve::vault::VaultError;
use serde_json::{Map, Value};

use super::Failure;
use super::commands::switch;
use super::terminal::{escape, json_line};

/// Whether the reader of the output is gone, like `head` after its lines.
pub(super) fn is_closed(written: io::Result<()>) -> Result<bool, Failure> {
    match written {
        Ok(()) => Ok(false),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Writes to standard output; it is not a failure if the reader is gone.
pub(super) fn print(text: &[u8]) -> Result<(), Failure> {
    is_closed(io::stdout().write_all(text)).map(drop)
}

/// "1 record", "2 records".
pub(super) fn count(number: u64, what: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {what}{ending}")
}

/// `--json` of a command that prints [`Records`].
pub(super) fn json_switch() -> Arg {
    switch("json", "Print each as a JSON object, one per line")
}

/// `list` of such a command.
pub(super) fn list_command(about: &'static str) -> Command {
    Command::new("list").about(about).arg(json_switch())
}

/// Prints records: each in columns that are separated by tabs, below a header, or as a JSON object.
pub(super) struct Records<const N: usize> {
    columns: [&'static str; N],
    is_json: bool,
    out: BufWriter<StdoutLock<'static>>,
}

impl<const N: usize> Records<N> {
    pub(super) fn new(matches: &ArgMatches, columns: [&'static str; N]) -> Result<Self, Failure> {
        let is_json = matches.get_flag("json");
        let mut out = BufWriter::new(io::stdout().lock());
        if !is_json {
            is_closed(writeln!(out, "{}", columns.join("\t")))?;
        }
        Ok(Self { columns, is_json, out })
    }

    /// Prints one, a value for each column; null is unset. Without a reader the command ends as if it had printed all.
    pub(super) fn add(&mut self, values: [Value; N]) -> Result<(), Failure> {
        let mut line = values.each_ref().map(cell).join("\t");
        if self.is_json {
            let names = self.columns.map(str::to_owned);
            let object: Map<_, _> = names.into_iter().zip(values).collect();
            line = json_line(&object.into());
        }
        if is_closed(writeln!(self.out, "{line}"))? {
            return Err(Failure::silent(0));
        }
        Ok(())
    }

    /// Prints those of the vault. One that cannot be decrypted is reported on standard error.
    pub(super) async fn add_all<T>(
        &mut self,
        records: impl Stream<Item = Result<T, VaultError>>,
        values: impl Fn(&T) -> [Value; N],
    ) -> Result<(), Failure> {
        let mut records = pin!(records);
        let mut unopened = 0;
        while let Some(record) = records.next().await {
            match record {
                Ok(record) => self.add(values(&record))?,
                Err(error @ VaultError::Unopened { .. }) => {
                    unopened += 1;
                    say(format_args!("portreeve: {error}"));
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.end()?;
        match unopened {
            0 => Ok(()),
            _ => Err(Failure::new(format_args!(
                "{} cannot be decrypted; see the lines above",
                count(unopened, "record")
            ))),
        }
    }

    pub(super) fn end(&mut self) -> Result<(), Failure> {
        is_closed(self.out.flush()).map(drop)
    }
}

pub(super) fn time(time: SystemTime) -> Value {
    humantime::format_rfc3339_seconds(time).to_string().into()
}

/// A value of a record as text, escaped; of an object, the values that it has.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => escape(text).into_owned(),
        Value::Object(members) => {
            let set = members.values().filter(|value| !value.is_null());
            set.map(cell).collect::<Vec<_>>().join(" ")
        }
        value => value.to_string(),
    }
}

/// Writes a line to standard error, escaped, in one piece: those of other processes are not mixed with it. It is lost if
/// that fails, where `eprintln!` would panic and leave the work half done.
pub(super) fn say(line: impl fmt::Display) {
    let line = format!("{}\n", escape(&line.to_string()));
    let _ = io::stderr().write_all(line.as_bytes());
}
