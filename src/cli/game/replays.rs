//! `portreeve game replays`: saves what an account has on a server.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, value_parser};
use portreeve::game::client::Settings;

use super::server::{ServerArguments, not_connected};
use super::session::{not_saved, saved};
use crate::cli::Failure;
use crate::cli::commands::arguments;
use crate::cli::output::is_closed;
use crate::cli::process::block_on;

pub(super) fn command() -> Command {
    Arguments::augment_args(Command::new("replays"))
        .mut_arg("user", |user| user.required(true).help("The user whose replays they are"))
        .about("Save the replays of an account that a folder lacks")
        .long_about(
            "Log in to a game server (Servatrice), and save the replays of the account that the folder does not \
             have yet, as DIR/replay_<id>.cor. A server lists the replays of the last days. Each is reported as a line \
             of JSON, {\"type\":\"REPLAY\",\"file\":…} or {\"type\":\"REPLAY\",\"replay_id\":…,\"error\":…}; \
             the exit code is 1 if one could not be saved.",
        )
        .after_help(
            "Example:\n  \
             portreeve game replays wss://server.example --user ann --password-file pw --all replays",
        )
}

#[derive(Args)]
struct Arguments {
    #[command(flatten)]
    server: ServerArguments,
    /// Saves all that are missing in this folder
    #[arg(long, value_name = "DIR", required = true)]
    all: PathBuf,
    /// The maximum length of a message from the server, and by that of a replay
    #[arg(long, value_name = "BYTES", default_value = "16777216", value_parser = value_parser!(u32).range(1..))]
    message_limit: u32,
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    block_on(save_all(arguments(matches)))
}

async fn save_all(arguments: Arguments) -> Result<(), Failure> {
    let Arguments { server, all, .. } = arguments;
    check_folder(&all)?;
    let mut settings = Settings::default();
    settings.connector = server.connector(arguments.message_limit)?;
    let credentials = server.credentials().await?;
    let (client, events) = settings.connect(&server.url).await.map_err(not_connected)?;
    drop(events);
    if let Some(credentials) = credentials {
        client.login(&credentials).await.map_err(Failure::new)?;
    }
    let (mut failed, mut written) = (0, Ok(()));
    let listed = client.save_all_replays(&all, |replay_id, outcome| {
        let report = match outcome {
            Ok(path) => saved(&path),
            Err(error) => {
                failed += 1;
                not_saved(replay_id, &error)
            }
        };
        if written.is_ok() {
            written = writeln!(io::stdout(), "{report}");
        }
    });
    let no_list = |error| Failure::new(format_args!("cannot list the replays: {error}"));
    listed.await.map_err(no_list)?;
    client.close().await;
    is_closed(written)?;
    match failed {
        0 => Ok(()),
        failed => Err(Failure::new(format_args!("replays not saved: {failed}"))),
    }
}

pub(super) fn check_folder(folder: &Path) -> Result<(), Failure> {
    if folder.is_dir() {
        return Ok(());
    }
    let folder = folder.display();
    Err(Failure::new(format_args!("cannot save replays: {folder} is not a folder")))
}
